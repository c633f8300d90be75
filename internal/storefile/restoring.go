package storefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tstore/tstore/internal/fsx"
)

// RestoringFile tells the folder of a restore from a store and from all else. It goes when the
// folder has its name, so that there is no moment at which the folder, under the name that a
// restore gives it first, is anybody's.
const RestoringFile = "RESTORING"

// restoringPrefix begins what the file says.
const restoringPrefix = "tstore restore, made in "

// restoringText returns what the file says in a folder. A store that bears the mark and has another
// name is finished.
func restoringText(dir string) string {
	return fmt.Sprintf("%s%q\n", restoringPrefix, filepath.Base(dir))
}

// MarkRestoring marks a folder as a restore's.
func MarkRestoring(fsys fsx.FS, dir string) error {
	f, err := fsys.OpenFile(filepath.Join(dir, RestoringFile), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, restoringText(dir))
	return errors.Join(err, f.Close())
}

// WasRestored reports whether a folder has the mark of a restore that has given it its name.
func WasRestored(fsys fsx.FS, dir string) (bool, error) {
	f, err := fsys.OpenFile(filepath.Join(dir, RestoringFile), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	named := strings.HasPrefix(string(text), restoringPrefix) && !strings.HasPrefix(restoringText(dir), string(text))
	return named, errors.Join(err, f.Close())
}
