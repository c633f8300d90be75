package tstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/mmapstore"
)

// mapStorage returns the payload of a storage, mapped for reading, with a
// reference for the caller.
func (s *engineStore) mapStorage(ctx context.Context, st catalog.Storage) (*mmapstore.Storage, error) {
	if st.Adopted {
		if err := checkAdopted(s.fs, st); err != nil {
			return nil, errors.Join(err, s.maps.Forget(st.ID))
		}
	}
	if err := s.mustBeWritten(st); err != nil {
		return nil, err
	}
	m, err := s.maps.Map(s.dataPath(st), st)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", errMissing, s.dataPath(st))
	}
	return m, err
}

// dataPath is the file that holds a storage's bytes.
func (s *engineStore) dataPath(st catalog.Storage) string {
	if st.Adopted {
		return st.Path
	}
	return s.path(st.File())
}

// checkAdopted returns ErrChanged if an adopted file is not the one adopted.
func checkAdopted(fsys fsx.FS, st catalog.Storage) error {
	fi, err := fsys.Stat(st.Path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s is gone", errChanged, st.Path)
	}
	if err != nil {
		return fmt.Errorf("adopted file: %w", err)
	}
	now := identity(fsx.IdentityOf(fi))
	if now == st.Identity {
		return nil
	}
	return fmt.Errorf("%w: %s: expected %d bytes of inode %d, modified at %d ns; found %d bytes of inode %d, modified at %d ns: adopt it again, or restore it",
		errChanged, st.Path, st.Identity.Size, st.Identity.Inode, st.Identity.MTimeNs, now.Size, now.Inode, now.MTimeNs)
}

// identity is the catalog's form of a file's identity.
func identity(id fsx.Identity) catalog.Identity {
	return catalog.Identity{Size: id.Size, MTimeNs: id.MTimeNs, Inode: id.Inode, Dev: id.Dev}
}
