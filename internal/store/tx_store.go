package store

import (
	"context"
	"fmt"
	"path"

	"github.com/tstore/tstore/catalog"
)

// Store returns a handle on the store whose changes become part of the transaction.
func (tx *Tx) Store() *Store {
	return &Store{Engine: tx.Base.Engine.Joining(tx.usable), Within: tx, Expressions: tx.Base.Expressions}
}

// Entry returns the catalog's entry of a name. In a transaction it watches the name, and returns an
// error if the transaction has changed the name.
func (s *Store) Entry(ctx context.Context, name string) (*catalog.Entry, error) {
	if s.Within != nil {
		if s.Within.touches(name) {
			return nil, fmt.Errorf("%q is changed earlier in this transaction and can't be read before the commit", name)
		}
		if err := s.Within.Watch(name); err != nil {
			return nil, err
		}
	}
	return s.Engine.Catalog.Lookup(ctx, name)
}

// touch notes names that the transaction changes: those in a group of that name, too.
func (tx *Tx) touch(names ...string) {
	if tx.touched == nil {
		tx.touched = map[string]bool{}
	}
	for _, name := range names {
		tx.touched[name] = true
		delete(tx.freed, name)
	}
}

// free notes that nothing has a name any more.
func (tx *Tx) free(name string) {
	if tx.freed == nil {
		tx.freed = map[string]bool{}
	}
	tx.freed[name] = true
}

// HasFreed reports whether s is the store within a transaction that has deleted or renamed what had
// the name.
func (s *Store) HasFreed(name string) bool { return s.Within != nil && s.Within.freed[name] }

// touches reports whether the transaction changes what a name stands for.
func (tx *Tx) touches(name string) bool {
	for ; name != "." && name != "/"; name = path.Dir(name) {
		if tx.touched[name] {
			return true
		}
	}
	return false
}
