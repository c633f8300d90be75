package tstore

import (
	"context"

	"github.com/tstore/tstore/internal/fsx"
)

// OpenOn opens a store whose file operations, other than the catalog's, go
// through fsys.
func OpenOn(ctx context.Context, dir string, fsys fsx.FS) (*Store, error) {
	s, err := Open(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	s.fs = fsys
	return s, nil
}

// LockStorageOf holds the write lock of a tensor's storage until the returned
// function is called.
func LockStorageOf(ctx context.Context, s *Store, name string) (unlock func() error, err error) {
	info, err := s.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	l, err := s.lockStorage(ctx, info.Storage.ID)
	if err != nil {
		return nil, err
	}
	return l.Unlock, nil
}
