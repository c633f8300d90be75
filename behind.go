package tstore

import (
	"github.com/tstore/tstore/internal/backup"
	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/snapshots"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/work"
)

// The API calls packages behind it. Each adds methods to the handle of a store. Their types have the
// fields of those here: a method inner returns the inner value of one of the API, and a function
// such as infoOf makes one of the API of an inner value.

// storeOf returns the API of a handle, or nil without one.
func storeOf(s *store.Store) *Store {
	if s == nil {
		return nil
	}
	return &Store{s}
}

func (s *Store) check() *check.Store         { return &check.Store{Store: s.store} }
func (s *Store) snapshots() *snapshots.Store { return &snapshots.Store{Store: s.store} }
func (s *Store) work() *work.Store           { return &work.Store{Store: s.store} }
func (s *Store) backup() *backup.Store       { return &backup.Store{Store: s.check()} }

func init() { store.Of = func(api any) *store.Store { return api.(*Store).store } }

// each converts the elements of a list. It keeps nil.
func each[A, B any](list []A, convert func(A) B) []B {
	if list == nil {
		return nil
	}
	all := make([]B, len(list))
	for i, x := range list {
		all[i] = convert(x)
	}
	return all
}
