package tstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
)

// restoringFile tells the folder of a restore from a store and from all else. It
// goes when the folder has its name, so that there is no moment at which the
// folder, under the name that a restore gives it first, is anybody's.
const restoringFile = "RESTORING"

// restoringPrefix begins what the file says.
const restoringPrefix = "tstore restore, made in "

// restoringText is what the file says in a folder. A store that bears the mark and
// has another name is finished.
func restoringText(dir string) string {
	return fmt.Sprintf("%s%q\n", restoringPrefix, filepath.Base(dir))
}

// markRestoring marks a folder as a restore's.
func markRestoring(fsys fsx.FS, dir string) error {
	f, err := fsys.OpenFile(filepath.Join(dir, restoringFile), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, restoringText(dir))
	return errors.Join(err, f.Close())
}

// wasRestored reports whether a folder has the mark of a restore that has given it
// its name.
func wasRestored(fsys fsx.FS, dir string) (bool, error) {
	f, err := fsys.OpenFile(filepath.Join(dir, restoringFile), os.O_RDONLY, 0)
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

// leftMark is the mark of a restore that died after it had given the store its name.
func (s *engineStore) leftMark() ([]leftover, error) {
	finished, err := wasRestored(s.fs, s.dir)
	if err != nil || !finished {
		return nil, err
	}
	busy, err := filelock.Taken(s.lockPath(), restoreLock, filelock.Exclusive)
	if err != nil || busy {
		return nil, err
	}
	return []leftover{{File: restoringFile}}, nil
}
