package engine

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
)

// The reserve is a file that only takes room. A commit writes new pages of the catalog before it
// gives the old ones back, so that on a full disk even a delete finds no room: it is given that of
// the reserve.
const (
	ReserveFile  = "reserve"
	reserveBytes = 256 << 10
)

// WithReserve runs commit, the commit of a change that gives room back. When the disk is full, it
// removes the reserve and runs it again. Afterwards it puts the reserve back, as soon as there is
// room.
func (s *Store) WithReserve(commit func() error) error {
	err := commit()
	if errors.Is(err, syscall.ENOSPC) && !errors.Is(err, catalog.ErrInDoubt) && s.FS.Remove(s.Path(ReserveFile)) == nil {
		err = commit()
	}
	// Without a reserve everything works but deleting on a full disk.
	_ = KeepReserve(s.FS, s.Path(ReserveFile))
	return err
}

// KeepReserve makes the reserve unless it is there.
func KeepReserve(fsys fsx.FS, path string) error {
	if _, err := fsys.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = errors.Join(fsx.Reserve(f, 0, reserveBytes), f.Close())
	if err != nil {
		err = errors.Join(err, fsys.Remove(path))
	}
	return err
}
