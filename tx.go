package tstore

import (
	"context"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/work"
	"github.com/tstore/tstore/view"
)

// Tx collects changes that become visible together, or not at all. It is valid inside the function
// given to Store.Update and not safe for concurrent use. What a Tx does is not visible to reads
// before the commit.
//
// Elements are written as the methods are called, to files that nobody sees. Each tensor gets a
// file of its own, which other programs can read as that tensor. Those of up to 64 KiB share files
// with others if Spec.Pack says so, or once the transaction has made 1,000 of them (fewer where the
// process may have fewer than 4,000 files open).
type Tx struct {
	tx *store.Tx
}

// Update runs fn and commits what it did in one transaction. An error of fn, or of the commit,
// leaves the store as it was. No lock is held while fn runs: when another writer has meanwhile
// changed what the transaction read, replaces or deletes, the commit is a *ConflictError, and when
// it has taken a new name, ErrExists. An error of any method of Tx fails the transaction, also when
// fn goes on and returns nil, and so does one of an Update of Tx.Store.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	return s.store.Update(ctx, func(tx *store.Tx) error { return fn(&Tx{tx}) })
}

// Step labels the changes that follow, for example "line 3". If one of them fails at commit, the
// error starts with the label.
func (tx *Tx) Step(name string) { tx.tx.Step(name) }

// Create makes a new tensor of src. It returns ErrExists if the name is taken.
func (tx *Tx) Create(name string, src Source) error { return tx.tx.Create(name, src.inner()) }

// CreateFilled makes a new tensor whose elements fill writes. The tensor that fill gets is C- or
// Fortran-ordered as sp says, zero at first, and seen by nobody else; it is valid inside fill only.
func (tx *Tx) CreateFilled(name string, sp Spec, fill func(*view.Tensor) error) error {
	return tx.tx.CreateFilled(name, sp.inner(), fill)
}

// Replace gives an existing tensor the shape, dtype and elements of src. Attributes and axis names
// stay unless src has its own (axis names only while the rank stays). Views of the old elements
// keep them.
func (tx *Tx) Replace(name string, src Source) error { return tx.tx.Replace(name, src.inner()) }

// ReplaceFilled is Replace with elements that fill writes, as in CreateFilled.
func (tx *Tx) ReplaceFilled(name string, sp Spec, fill func(*view.Tensor) error) error {
	return tx.tx.ReplaceFilled(name, sp.inner(), fill)
}

// View gives the view that sel selects a name: no element is copied, both names share the storage.
// It returns view.ErrNeedsCopy for what needs a copy.
func (tx *Tx) View(name, sel string) error { return tx.tx.View(name, sel) }

// Rename gives a tensor, a blob or a whole group another name.
func (tx *Tx) Rename(from, to string) error { return tx.tx.Rename(from, to) }

// Delete removes a tensor or a blob. Its elements go when no other name shares them.
func (tx *Tx) Delete(name string) error { return tx.tx.Delete(name) }

// SetAttr sets an attribute of a tensor or a blob.
func (tx *Tx) SetAttr(name, key string, v catalog.Value) error {
	return tx.tx.SetAttr(name, key, v)
}

// DeleteAttr removes an attribute. It returns ErrNotFound if there is none of that key.
func (tx *Tx) DeleteAttr(name, key string) error { return tx.tx.DeleteAttr(name, key) }

// PutBlob stores a small typed value under a name, and replaces a blob that has the name.
func (tx *Tx) PutBlob(name string, v catalog.Value) error { return tx.tx.PutBlob(name, v) }

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
func (tx *Tx) Store() *Store { return storeOf(tx.tx.Store()) }

// Get opens what sel selects, as Store.Get does, and watches the tensor's name. What the
// transaction itself has changed can't be read before the commit. The tensor is the caller's to
// close; it may outlive the transaction.
func (tx *Tx) Get(sel string) (*Tensor, error) {
	r, err := tx.tx.Get(sel)
	return tensorOf(r), err
}

// Blob returns the value of a blob, as Store.Blob does, and watches its name.
func (tx *Tx) Blob(name string) (catalog.Value, error) { return tx.tx.Blob(name) }

// Watch makes the commit fail with a *ConflictError if anyone else changes, makes or removes one of
// the names from now on. Elements that are written in place count. Get, Blob and the methods that
// replace or delete watch their names themselves. Names that don't exist can be watched too.
func (tx *Tx) Watch(names ...string) error { return tx.tx.Watch(names...) }

// Adopt names the elements of a foreign file, as Store.Adopt does.
func (tx *Tx) Adopt(name string, f Foreign) error { return tx.tx.Adopt(name, f.inner()) }

// Import makes a tensor of src, or with Overwrite gives one that is there its elements, as
// Store.Import does.
func (tx *Tx) Import(name string, src Source, o *ImportOptions) error {
	return work.Import(tx.tx, name, src.inner(), o.inner())
}

// ImportRows makes a tensor of the rows that next yields, as Store.ImportRows does.
func (tx *Tx) ImportRows(name string, sp Spec, next func() (Source, error), o *ImportOptions) error {
	return work.ImportRows(tx.tx, name, sp.inner(), innerNext(next), o.inner())
}
