package catalog

import (
	"errors"
	"fmt"
)

// Put inserts a record, or replaces the one of the same name. In the same transaction it counts the
// reference to the storage, which must exist, and drops the reference of the replaced record. A
// storage without references is removed. Its file is queued as trash, unless it is adopted or held
// by a snapshot. Put returns ErrConflict if the name would be a value and a group at once.
//
// Put stamps the record. Version is higher than the version of the replaced record and of any
// record that is gone. Created is the replaced record's unless set, else now. Modified is now,
// unless it is set to a time later than the replaced record's.
func (tx *Tx) Put(r Record) error { return tx.putNamed(r, CheckNewName) }

// PutBack is Put for a record from an older store or a snapshot. Its name may be one that Put no
// longer accepts.
func (tx *Tx) PutBack(r Record) error { return tx.putNamed(r, CheckName) }

func (tx *Tx) putNamed(r Record, check func(name string) error) error {
	if err := errors.Join(tx.writing(), tx.relieve()); err != nil {
		return err
	}

	old, err := tx.find(r.Name)
	if err != nil {
		return err
	}

	if err := errors.Join(tx.stamp(&r, old), r.check()); err != nil {
		return err
	}

	if old == nil {
		if err := check(r.Name); err != nil {
			return err
		}
		if err := tx.checkFree(r.Name); err != nil {
			return err
		}
	}

	return tx.swap(old, &r)
}

func (tx *Tx) stamp(r, old *Record) error {
	least, err := tx.leastVersion(r, old)
	if err != nil {
		return err
	}
	r.Version = max(r.Version, least)
	if old != nil && r.Created.IsZero() {
		r.Created = old.Created
	}
	if r.Created.IsZero() {
		r.Created = tx.now
	}
	if r.Modified.IsZero() || old != nil && !r.Modified.After(old.Modified) {
		r.Modified = tx.now
	}
	return nil
}

// leastVersion returns the least version that r may have in the place of old, which may be nil.
func (tx *Tx) leastVersion(r, old *Record) (uint64, error) {
	switch {
	case old == nil:
		f, err := tx.floor()
		return f.changes + 1, err
	case old.Kind == r.Kind && old.Storage == r.Storage:
		return old.Version + 1, nil
	}
	// The changes of its storage count no more.
	n, err := tx.bound(old)
	return n + 1, err
}

// checkFree makes sure that a value may get this name, which is not in use as a value: it is not a
// group, and lies in no value.
func (tx *Tx) checkFree(name string) error {
	isGroup, err := tx.names.hasPrefix(groupKey(name))
	if err != nil {
		return err
	}
	if isGroup {
		return fmt.Errorf("%w: %q is a group", ErrConflict, name)
	}
	return tx.checkAncestors(name)
}

func (tx *Tx) checkAncestors(name string) error {
	for above := range ancestors(name) {
		there, err := tx.names.has(nameKey(above))
		if err != nil {
			return err
		}
		if there {
			return fmt.Errorf("%w: %q lies in %q, which is not a group", ErrConflict, name, above)
		}
	}
	return nil
}

// swap replaces the record old by r, with all entries that depend on them. Either may be nil.
func (tx *Tx) swap(old, r *Record) error {
	if r != nil && r.Kind == KindTensor {
		if err := tx.link(r); err != nil {
			return err
		}
	}
	if old != nil && old.Kind == KindTensor {
		if err := tx.unlink(old, r); err != nil {
			return err
		}
	}
	if r == nil {
		return tx.names.del(nameKey(old.Name))
	}
	return tx.names.put(nameKey(r.Name), encodeRecord(r))
}

// refKey is the key of the reverse index for a name that uses a storage.
func refKey(id ID, name string) []byte { return append(id[:], nameKey(name)...) }

// link counts the reference of r to its storage, unless it is counted already.
func (tx *Tx) link(r *Record) error {
	key := refKey(r.Storage, r.Name)
	counted, err := tx.refs.has(key)
	if counted || err != nil {
		return err
	}
	s, err := tx.Storage(r.Storage)
	if err != nil {
		return fmt.Errorf("put %q: %w", r.Name, err)
	}
	s.Refs++
	return errors.Join(tx.refs.put(key, nil), tx.storages.put(s.ID[:], encodeStorage(&s)))
}

// unlink drops the reference of old to its storage, unless r, which takes its place, has the same.
func (tx *Tx) unlink(old, r *Record) error {
	if r != nil && r.Kind == KindTensor && r.Storage == old.Storage && r.Name == old.Name {
		return nil
	}

	key := refKey(old.Storage, old.Name)
	counted, err := tx.refs.has(key)
	if err != nil {
		return err
	}

	s, err := tx.Storage(old.Storage)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}

	if err != nil || !counted || s.Refs < 1 {
		return tx.refs.bad(key, fmt.Errorf("record %q and its storage disagree about their reference (counted: %t, references: %d)", old.Name, counted, s.Refs))
	}

	s.Refs--
	return errors.Join(tx.refs.del(key), tx.keepOrDrop(&s))
}

// keepOrDrop stores s, or removes it if nothing refers to it any more.
func (tx *Tx) keepOrDrop(s *Storage) error {
	if s.Refs > 0 {
		return tx.storages.put(s.ID[:], encodeStorage(s))
	}
	err := errors.Join(tx.storages.del(s.ID[:]), tx.patches.del(s.ID[:]), tx.Raise(s.Changes, s.Next()-1))
	return errors.Join(err, tx.discard(s, s.OwnFiles()))
}

// Delete removes the record of name, with the same care for its storage as Put. A missing name is a
// *NotFoundError that carries similar names; a group is ErrConflict, since only values can be
// deleted.
func (tx *Tx) Delete(name string) error {
	if err := tx.writing(); err != nil {
		return err
	}
	if err := CheckName(name); err != nil {
		return err
	}
	old, err := tx.find(name)
	if err != nil {
		return err
	}
	if old == nil {
		return tx.missing("delete", name)
	}
	return errors.Join(tx.leave(old), tx.swap(old, nil))
}

// suggestions is how many similar names an error carries.
const suggestions = 3

// missing returns the error for a name that verb needs and that is no value.
func (tx *Tx) missing(verb, name string) error {
	isGroup, err := tx.names.hasPrefix(groupKey(name))
	if err != nil {
		return err
	}
	if isGroup {
		return fmt.Errorf("%s %q: %w: it is a group; name the values in it", verb, name, ErrConflict)
	}
	near, err := tx.Nearest(name, suggestions)
	if err != nil {
		return err
	}
	return &NotFoundError{Name: name, Near: near}
}
