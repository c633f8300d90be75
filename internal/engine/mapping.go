package engine

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

// MapStorage returns the payload of a storage, mapped for reading, with a reference for the caller.
func (s *Store) MapStorage(ctx context.Context, st catalog.Storage) (*mmapstore.Storage, error) {
	if st.Adopted {
		if err := CheckAdopted(s.FS, st); err != nil {
			return nil, errors.Join(err, s.maps.Forget(st.ID))
		}
	}

	if err := s.MustBeWritten(st); err != nil {
		return nil, err
	}

	// Look for a kept mapping first: making the path costs more than the look.
	if m, err := s.maps.Kept(st); m != nil || err != nil {
		return m, err
	}
	m, err := s.maps.Map(s.DataPath(st), st)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrMissing, s.DataPath(st))
	}
	return m, err
}

// DataPath returns the file that holds a storage's bytes.
func (s *Store) DataPath(st catalog.Storage) string {
	if st.Adopted {
		return st.Path
	}
	return s.Path(st.File())
}

// CheckAdopted returns ErrChanged if an adopted file is not the one adopted.
func CheckAdopted(fsys fsx.FS, st catalog.Storage) error {
	fi, err := fsys.Stat(st.Path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s is gone", ErrChanged, st.Path)
	}
	if err != nil {
		return fmt.Errorf("adopted file: %w", err)
	}
	now := Identity(fsx.IdentityOf(fi))
	if now == st.Identity {
		return nil
	}
	return fmt.Errorf("%w: %s: expected %d bytes of inode %d, modified at %d ns; found %d bytes of inode %d, modified at %d ns: adopt it again, or restore it",
		ErrChanged, st.Path, st.Identity.Size, st.Identity.Inode, st.Identity.MTimeNs, now.Size, now.Inode, now.MTimeNs)
}

// Identity returns the catalog's form of a file's identity.
func Identity(id fsx.Identity) catalog.Identity {
	return catalog.Identity{Size: id.Size, MTimeNs: id.MTimeNs, Inode: id.Inode, Dev: id.Dev}
}
