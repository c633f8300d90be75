package backup

import (
	"fmt"

	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// mustBeLeft returns ErrExists unless the folder is what an interrupted restore left.
func (x *extraction) mustBeLeft() error {
	entries, err := x.fs.ReadDir(x.dir)
	if err != nil {
		return err
	}

	marked := false
	for _, e := range entries {
		marked = marked || e.Name() == storefile.RestoringFile
	}

	// A mark that names another folder came here by the last rename: then this is a whole store.
	finished, err := storefile.WasRestored(x.fs, x.dir)
	if err != nil {
		return err
	}

	// A restore may also die before it has written more than its lock file.
	if marked && !finished || len(entries) == 0 || len(entries) == 1 && entries[0].Name() == storefile.LockFile {
		return nil
	}
	return fmt.Errorf("%w: the store would be made in %q, which is there and is not what an interrupted restore has left: give it another name, or choose another folder", store.ErrExists, x.dir)
}
