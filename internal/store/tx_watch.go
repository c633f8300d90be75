package store

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/record"
)

// ConflictError lists the names on which a transaction relied and which others have changed, made
// or removed meanwhile.
type ConflictError struct {
	Names []string
}

// Error names the names, as far as a line has room for them.
func (e *ConflictError) Error() string {
	const most = 5
	quoted := make([]string, 0, most+1)
	for _, name := range e.Names[:min(len(e.Names), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	if more := len(e.Names) - most; more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s: %v; nothing was changed: read again and repeat the transaction", strings.Join(quoted, ", "), ErrConflict)
}

// Is makes a ConflictError an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// Get opens what sel selects, as Store.Get does, and watches the tensor's name.
func (tx *Tx) Get(sel string) (*Tensor, error) {
	t, err := tx.Store().Get(tx.Ctx, sel)
	if err != nil {
		return nil, tx.Fail("get", sel, err)
	}
	return t, nil
}

// Blob returns the value of a blob, as Store.Blob does, and watches its name.
func (tx *Tx) Blob(name string) (catalog.Value, error) {
	v, err := tx.Store().Blob(tx.Ctx, name)
	if err != nil {
		return v, tx.Fail("get", name, err)
	}
	return v, nil
}

// Watch makes the commit fail with a *ConflictError if anyone else changes, makes or removes one of
// the names from now on.
func (tx *Tx) Watch(names ...string) error {
	for _, name := range names {
		if tx.ended {
			return tx.Fail("watch", name, errEnded)
		}

		if _, watched := tx.seen[name]; watched {
			continue
		}
		if err := catalog.CheckName(name); err != nil {
			return tx.Fail("watch", name, err)
		}

		// A missing name is watched, too: its entry is nil.
		e, err := tx.Base.Lookup(tx.Ctx, name)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return tx.Fail("watch", name, err)
		}

		if tx.seen == nil {
			tx.seen = map[string]*catalog.Entry{}
		}
		tx.seen[name] = e
		tx.Watched = append(tx.Watched, name)
	}
	return nil
}

// KeepWatched stops watching all names but the first n of tx.Watched, so that they are looked up
// anew when they are read again.
func (tx *Tx) KeepWatched(n int) {
	for _, name := range tx.Watched[n:] {
		delete(tx.seen, name)
	}
	tx.Watched = tx.Watched[:n]
}

// Unchanged returns a *ConflictError unless every watched name stands for what it did.
func (tx *Tx) Unchanged(c *catalog.Tx) error {
	names, err := ChangedSince(c, maps.All(tx.seen))
	if names == nil || err != nil {
		return err
	}
	return PublicConflict(&ConflictError{Names: names})
}

// isAsWas reports whether a name stands for what it did; nil is nothing.
func isAsWas(c *catalog.Tx, name string, was *catalog.Entry) (bool, error) {
	rec, err := c.Get(name)
	if errors.Is(err, ErrNotFound) {
		return was == nil, nil
	}
	if err != nil || was == nil || !SameRecord(&rec, &was.Record) {
		return false, err
	}
	if rec.Kind != catalog.KindTensor {
		return true, nil
	}
	st, err := c.Storage(rec.Storage)
	if err != nil {
		return false, err
	}
	return st.State == was.Storage.State && record.Version(&rec, &st) == record.Version(&was.Record, &was.Storage), nil
}

// ChangedSince returns the names of was, sorted, that stand for something else in c than their
// entry says, or whose elements have changed. A nil entry means that nothing had the name.
func ChangedSince(c *catalog.Tx, was iter.Seq2[string, *catalog.Entry]) ([]string, error) {
	var names []string
	for name, e := range was {
		same, err := isAsWas(c, name, e)
		if err != nil {
			return nil, err
		}
		if !same {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
