package catalog

import (
	"bytes"
	"errors"
	"fmt"
)

// Rename gives a value, or a group with all that lies in it, another name. The new name must be
// free, as a value and as a group: ErrExists or ErrConflict otherwise. A missing old name is a
// *NotFoundError that carries similar names. Records keep their times, and their version unless a
// record that is gone had as great a one; the Parent of views made earlier keeps telling the old
// name. Renaming a group costs time and memory in proportion to what lies in it.
func (tx *Tx) Rename(from, to string) error {
	if err := tx.writing(); err != nil {
		return err
	}
	if err := errors.Join(CheckName(from), CheckName(to)); err != nil {
		return err
	}

	old, err := tx.find(from)
	if err != nil {
		return err
	}

	isGroup := false
	if old == nil {
		if isGroup, err = tx.names.hasPrefix(groupKey(from)); err != nil {
			return err
		}
		if !isGroup {
			return tx.missing("rename", from)
		}
	}

	if from == to {
		return nil
	}

	if err := tx.checkTarget(from, to); err != nil {
		return err
	}

	f, err := tx.floor()
	if err != nil {
		return err
	}

	if isGroup {
		return tx.renameGroup(from, to, f)
	}
	return tx.move(old, to, f)
}

// checkTarget makes sure that from can become to.
func (tx *Tx) checkTarget(from, to string) error {
	if err := CheckNewName(to); err != nil {
		return fmt.Errorf("rename %q: %w", from, err)
	}

	there, err := tx.names.has(nameKey(to))
	if err != nil {
		return err
	}
	if there {
		return fmt.Errorf("rename %q: %q %w", from, to, ErrExists)
	}

	if bytes.HasPrefix(nameKey(to), groupKey(from)) {
		return fmt.Errorf("rename %q: %w: %q lies inside it", from, ErrConflict, to)
	}

	if err := tx.checkFree(to); err != nil {
		return fmt.Errorf("rename %q: %w", from, err)
	}
	return nil
}

// move renames one record, whose version is to be greater than the floor before. References are
// re-indexed, not recounted.

func (tx *Tx) move(r *Record, to string, before floor) error {
	from := r.Name
	r.Name = to
	if err := r.check(); err != nil {
		return err
	}

	shown, err := tx.bound(r)
	if err != nil {
		return err
	}

	if shown <= before.changes {
		r.Version = before.changes + 1
	}

	err = errors.Join(tx.Raise(shown, 0), tx.names.del(nameKey(from)), tx.names.put(nameKey(to), encodeRecord(r)))

	if r.Kind != KindTensor || err != nil {
		return err
	}

	return errors.Join(tx.refs.del(refKey(r.Storage, from)), tx.refs.put(refKey(r.Storage, to), nil))
}

func (tx *Tx) renameGroup(from, to string, before floor) error {
	var fault error
	tx.names.each(groupKey(from), func(key, value []byte) bool {
		var r Record
		if r, fault = tx.record(key, value); fault == nil {
			fault = tx.move(&r, to+r.Name[len(from):], before)
		}
		return fault == nil
	}, func(err error) { fault = err })
	return fault
}
