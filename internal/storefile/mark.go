package storefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/sentinel"
)

// ErrNotStore: the folder holds no store.
var ErrNotStore = errors.New("not a tstore store")

// Mark is the content of the STORE file.
type Mark struct {
	Format     int
	ID         catalog.ID
	Durability Durability
}

// String returns the content of the file.
func (m Mark) String() string {
	return fmt.Sprintf("tstore store\nformat %d\nid %v\ndurability %v\n", m.Format, m.ID, m.Durability)
}

// WriteMark publishes the STORE file of the store in dir.
func WriteMark(fsys fsx.FS, dir string, m Mark) error {
	tmp := filepath.Join(dir, TmpDir, MarkFile)
	f, err := fsys.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, m.String()); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(fsx.Publish(fsys, f, tmp, filepath.Join(dir, MarkFile)), f.Close())
}

// ReadMark reads the STORE file.
func ReadMark(fsys fsx.FS, dir string) (Mark, error) {
	f, err := fsys.OpenFile(filepath.Join(dir, MarkFile), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := fsys.Stat(filepath.Join(dir, BackupFile)); err == nil {
			return Mark{}, fmt.Errorf("%w: it is a folder for a backup that was never finished: run tstore backup again", ErrNotStore)
		}
		return Mark{}, fmt.Errorf("%w: it has no %s file (make a store with: tstore init)", ErrNotStore, MarkFile)
	}
	if err != nil {
		return Mark{}, err
	}
	defer f.Close()
	return ParseMark(io.LimitReader(f, 4096))
}

// ParseMark reads the text that String returns. It returns ErrNotStore if r holds no mark, and
// ErrFuture if a newer program wrote it.
func ParseMark(r io.Reader) (Mark, error) {
	m := Mark{Durability: DurabilityPower}
	sc := bufio.NewScanner(r)
	if !sc.Scan() || sc.Text() != "tstore store" {
		return m, fmt.Errorf("%w: the %s file does not begin with %q", ErrNotStore, MarkFile, "tstore store")
	}

	// Unknown keys are skipped: a later program may add some without a new format.
	for sc.Scan() {
		key, value, _ := strings.Cut(sc.Text(), " ")
		var err error
		switch key {
		case "format":
			// Check at once: the lines after it may have a form that only newer programs know.
			if m.Format, err = strconv.Atoi(value); m.Format > FormatVersion {
				return m, sentinel.Newer("the store", m.Format, FormatVersion)
			}
		case "id":
			m.ID, err = catalog.ParseID(value)
		case "durability":
			m.Durability, err = ParseDurability(value)
		}
		if err != nil {
			return m, fmt.Errorf("%w: %s file, line %q: %v", catalog.ErrCorrupt, MarkFile, sc.Text(), err)
		}
	}

	switch {
	case sc.Err() != nil:
		return m, sc.Err()
	case m.Format < 1 || m.ID == catalog.ID{}:
		return m, fmt.Errorf("%w: the %s file names no format and id", catalog.ErrCorrupt, MarkFile)
	}
	return m, nil
}
