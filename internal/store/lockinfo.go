package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
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
	Kind       LockKind
	Exclusive  bool
	Names      []string
	Part       string
	First, End int64
	Since      time.Time
	PID        int
	Command    string
}

// maxLockNames bounds LockInfo.Names.
const maxLockNames = 16

// Locks returns the locks that processes hold on the store, other than those of the listing itself.
func (s *Store) Locks(ctx context.Context) ([]LockInfo, error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return nil, err
	}

	held, err := filelock.List(s.Engine.LockPath())
	if errors.Is(err, filelock.ErrUnsupported) {
		return nil, fmt.Errorf("list locks: %w: only Linux tells who holds them", errors.ErrUnsupported)
	}
	if err != nil {
		return nil, fmt.Errorf("list locks: %w", err)
	}

	in, err := s.lockedStorages(ctx, held)
	if err != nil {
		return nil, err
	}

	var all []LockInfo
	for _, l := range held {
		info := LockInfo{Kind: kindOfLock(l.First), Exclusive: l.Mode == filelock.Exclusive, PID: l.PID, Command: l.Command}
		switch {
		case info.Kind == "" || info.Kind == LockStorage && in.hasPart(l):
		case l.First >= engine.FirstWriterKey:
			all = append(all, in.parts[l.First].describe(info)...)
		default:
			info.Names = in.names[l.First]
			all = append(all, info)
		}
	}
	return all, nil
}

// kindOfLock returns what a byte of the lock file stands for, or "".
func kindOfLock(off int64) LockKind {
	switch {
	case off == 0:
		return LockCatalog
	case off == 1:
		return LockTurnstile
	case off == engine.GcLock:
		return LockFiles
	case off >= engine.FirstStorageKey:
		return LockStorage
	}
	return ""
}

// lockedStorages are the storages that are locked, as a whole or in parts.
type lockedStorages struct {
	held  []filelock.Info
	names map[int64][]string     // of storages, by their locks
	parts map[int64]writtenParts // by the locks of those who write them
}

// writtenParts are what one writer writes in place in a storage.
type writtenParts struct {
	storage catalog.ID
	names   []string
	entries []catalog.Writer
}

// describe returns an entry for each part.
func (p writtenParts) describe(lock LockInfo) (all []LockInfo) {
	lock.Names = p.names
	for _, w := range p.entries {
		lock.Part, lock.First, lock.End, lock.Since = w.Part, w.First, w.End, w.Since
		all = append(all, lock)
	}
	return all
}

// hasPart reports whether a shared lock of a storage goes with parts of it that the process writes,
// which are told instead.
func (in *lockedStorages) hasPart(l filelock.Info) bool {
	if l.Mode != filelock.Shared || l.First >= engine.FirstWriterKey {
		return false
	}
	return slices.ContainsFunc(in.held, func(o filelock.Info) bool {
		p, ok := in.parts[o.First]
		return ok && o.PID == l.PID && engine.StorageKey(p.storage) == l.First
	})
}

// lockedStorages finds the tensors whose storages are locked.
func (s *Store) lockedStorages(ctx context.Context, held []filelock.Info) (*lockedStorages, error) {
	in := &lockedStorages{held: held, names: map[int64][]string{}, parts: map[int64]writtenParts{}}
	for _, l := range held {
		if kindOfLock(l.First) == LockStorage {
			in.names[l.First] = nil
		}
	}

	if len(in.names) == 0 {
		return in, nil
	}

	var after catalog.ID
	for {
		page, err := s.Engine.StoragePage(ctx, after)
		if err != nil || len(page) == 0 {
			return in, err
		}
		for _, st := range page {
			after = st.ID
			if err := in.add(ctx, s, st); err != nil {
				return nil, err
			}
		}
	}
}

// add notes a storage, if it is locked.
func (in *lockedStorages) add(ctx context.Context, s *Store, st catalog.Storage) error {
	key := engine.StorageKey(st.ID)
	if _, locked := in.names[key]; !locked {
		return nil
	}
	var sharers []string
	err := s.Engine.Catalog.View(ctx, func(c *catalog.Tx) (err error) {
		sharers, err = c.Sharers(st.ID, maxLockNames)
		return err
	})
	in.names[key] = append(in.names[key], sharers...)
	for _, w := range st.Writers {
		p := in.parts[w.Key]
		in.parts[w.Key] = writtenParts{storage: st.ID, names: sharers, entries: append(p.entries, w)}
	}
	return err
}
