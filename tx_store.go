package tstore

import (
	"context"
	"fmt"
	"path"

	"github.com/tstore/tstore/catalog"
)

// Store returns a handle on the store whose changes become part of the transaction: Create, Import,
// Copy, Replace, View, Rename, Delete, Define, attributes, blobs, and Eval. Methods that change
// elements or files where they are, such as Append, Set, GC or Eval in place, return an error.
//
// The handle reads what was committed before, and the transaction relies on it, as with Tx.Get. A
// name that the transaction has changed can't be read before the commit; one that it has deleted or
// renamed is free for another. The handle ends with the transaction; closing it does nothing.
//
// Eval locks the storages whose elements it changes until the transaction ends: others who change
// them wait. If waiting for a lock could last for ever, because two transactions wait for each
// other, it returns ErrBusy: repeat the transaction, or change all tensors in one Eval.
func (tx *Tx) Store() *Store {
	return &Store{eng: tx.store.eng.Joining(tx.usable), within: tx, expressions: tx.store.expressions}
}

// entry returns the catalog's entry of a name. In a transaction it watches the name, and returns an
// error if the transaction has changed the name.
func (s *Store) entry(ctx context.Context, name string) (*catalog.Entry, error) {
	if s.within != nil {
		if s.within.touches(name) {
			return nil, fmt.Errorf("%q is changed earlier in this transaction and can't be read before the commit", name)
		}
		if err := s.within.Watch(name); err != nil {
			return nil, err
		}
	}
	return s.eng.Catalog.Lookup(ctx, name)
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

// frees reports whether the transaction that the handle is of, if any, has taken away what had a
// name.
func (s *Store) frees(name string) bool { return s.within != nil && s.within.freed[name] }

// touches reports whether the transaction changes what a name stands for.
func (tx *Tx) touches(name string) bool {
	for ; name != "." && name != "/"; name = path.Dir(name) {
		if tx.touched[name] {
			return true
		}
	}
	return false
}
