package tstore

import (
	"context"
	"time"

	"github.com/tstore/tstore/internal/store"
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
	// Names are up to 16 tensors whose elements are being written. There are none for a tensor that
	// is being made.
	Names []string
	// Part is the selector of what is being written in place. First and End are the bytes of the
	// storage between its first and last element, half-open. Since is the time when the writing
	// began. Part is empty if the storage is written as a whole.
	Part       string
	First, End int64
	Since      time.Time
	// PID and Command are of the process, which may be this one. Locks go when their process ends,
	// however it ends.
	PID     int
	Command string
}

func lockInfoOf(l store.LockInfo) LockInfo {
	return LockInfo{
		Kind: LockKind(l.Kind), Exclusive: l.Exclusive, Names: l.Names, Part: l.Part, First: l.First, End: l.End,
		Since: l.Since, PID: l.PID, Command: l.Command,
	}
}

// Locks returns the locks that processes hold on the store, other than those of the listing itself.
// It returns errors.ErrUnsupported where the system does not tell, which is everywhere but on
// Linux. It shows only processes that this one may look at.
func (s *Store) Locks(ctx context.Context) ([]LockInfo, error) {
	r, err := s.store.Locks(ctx)
	return each(r, lockInfoOf), err
}
