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

// RestoringFile tells the folder of a restore from a store and from all else. It is removed after
// the folder has got its name, so that the folder is never unmarked under its temporary name.
const RestoringFile = "RESTORING"

// restoringPrefix is the beginning of the file's text.
const restoringPrefix = "tstore restore, made in "

// restoringText returns the file's text for a folder. A store whose mark names another folder is
// finished.
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
