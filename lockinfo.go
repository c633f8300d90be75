package tstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
)

// LockKind says what a lock guards.
type LockKind string

// The kinds of locks.
const (
	LockCatalog   LockKind = "catalog"   // a transaction
	LockTurnstile LockKind = "turnstile" // the next transaction
	LockFiles     LockKind = "files"     // shared: data files that are about to be committed; exclusive: gc, init or salvage
	LockStorage   LockKind = "storage"   // the elements of some tensors, or of one that is being made
)

// LockInfo is a lock that a process holds on something in the store.
type LockInfo struct {
	Kind      LockKind
	Exclusive bool
	// Names are up to 16 tensors whose elements are being written; none for a
	// tensor that is being made.
	Names []string
	// PID and Command are of the process, which may be this one. Locks go when
	// their process ends, however it ends.
	PID     int
	Command string
}

// maxLockNames bounds LockInfo.Names.
const maxLockNames = 16

// Locks lists the locks that processes hold on the store now, other than those of
// the listing itself. It is errors.ErrUnsupported where the system does not tell, which
// is everywhere but on Linux, and shows only processes that this one may look at.
func (s *Store) Locks(ctx context.Context) ([]LockInfo, error) {
	if err := s.checkOpen(); err != nil {
		return nil, err
	}
	held, err := filelock.List(s.lockPath())
	if errors.Is(err, filelock.ErrUnsupported) {
		return nil, fmt.Errorf("list locks: %w: only Linux tells who holds them", errors.ErrUnsupported)
	}
	if err != nil {
		return nil, fmt.Errorf("list locks: %w", err)
	}
	var names map[int64][]string
	var all []LockInfo
	for _, l := range held {
		info := LockInfo{Kind: kindOfLock(l.First), Exclusive: l.Mode == filelock.Exclusive, PID: l.PID, Command: l.Command}
		if info.Kind == "" {
			continue
		}
		if info.Kind == LockStorage {
			if names == nil {
				if names, err = s.namesByLock(ctx, held); err != nil {
					return nil, err
				}
			}
			info.Names = names[l.First]
		}
		all = append(all, info)
	}
	return all, nil
}

// kindOfLock is what a byte of the lock file stands for, or "".
func kindOfLock(off int64) LockKind {
	switch {
	case off == 0:
		return LockCatalog
	case off == 1:
		return LockTurnstile
	case off == gcLock:
		return LockFiles
	case off >= firstStorageKey:
		return LockStorage
	}
	return ""
}

// namesByLock finds the tensors whose storages are locked.
func (s *Store) namesByLock(ctx context.Context, held []filelock.Info) (map[int64][]string, error) {
	names := map[int64][]string{}
	for _, l := range held {
		if kindOfLock(l.First) == LockStorage {
			names[l.First] = nil
		}
	}
	var after catalog.ID
	for {
		page, err := s.storagePage(ctx, after)
		if err != nil || len(page) == 0 {
			return names, err
		}
		for _, st := range page {
			after = st.ID
			key := storageKey(st.ID)
			if _, locked := names[key]; !locked {
				continue
			}
			err := s.cat.View(ctx, func(c *catalog.Tx) error {
				sharers, err := c.Sharers(st.ID, maxLockNames)
				names[key] = append(names[key], sharers...)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
}
