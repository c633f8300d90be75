package catalog

import (
	"errors"
	"fmt"
	"iter"
)

// Storage returns a storage, or ErrNotFound.
func (tx *Tx) Storage(id ID) (Storage, error) {
	message, err := tx.storages.get(id[:])
	if err != nil {
		return Storage{}, err
	}
	if message == nil {
		return Storage{}, fmt.Errorf("storage %s %w", id, ErrNotFound)
	}
	s, err := decodeStorage(id, message)
	return s, tx.storages.bad(id[:], err)
}

// PutStorage inserts a storage, or changes one. It leaves the reference count as it is: only Put,
// Delete and Rename change it. If the change gives the storage other files, the former ones are
// queued as trash, except an adopted one and those that a snapshot holds. The new files are taken
// off the trash. PutStorage sets Born if the storage gets another payload file. A new storage must
// get a record in the same transaction, else it is a leak that Check reports.
//
// The numbers of a storage only grow: Changes and the generation of its next file never fall, nor
// does Written of the same file.
func (tx *Tx) PutStorage(s Storage) error { return tx.putStorage(s, false) }

func (tx *Tx) putStorage(s Storage, keepBorn bool) error {
	if err := errors.Join(tx.writing(), tx.relieve()); err != nil {
		return err
	}

	s.Refs = 0

	old, err := tx.Storage(s.ID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	known := err == nil

	switch {
	case known:
		s.Refs = old.Refs
		s.follow(&old, keepBorn)
	case keepBorn:
		f, err := tx.floor()
		if err != nil {
			return err
		}
		f.outdo(&s)
	}

	// Born is the number of the newest snapshot when the file was new: no snapshot up to it holds
	// the file.
	switch {
	case keepBorn:
	case known && old.File() == s.File():
		s.Born = old.Born
	default:
		s.Born = tx.meta.Snapshots
	}

	if s.Created.IsZero() {
		s.Created = tx.now
	}
	if err := s.check(); err != nil {
		return err
	}

	// Files of a storage are no trash any more; those that it has given up are from now on.
	for _, file := range s.OwnFiles() {
		if err := tx.ClearTrash(file); err != nil {
			return err
		}
	}

	if known {
		if err := tx.discard(&old, without(old.OwnFiles(), s.OwnFiles())); err != nil {
			return err
		}
	}

	return tx.storages.put(s.ID[:], encodeStorage(&s))
}

// follow keeps the numbers of a storage from falling below those that it had. A file that is not
// restored is a new one.
func (s *Storage) follow(old *Storage, restored bool) {
	s.Changes = max(s.Changes, old.Changes)
	if s.Next() < old.Next() {
		s.NextGen = old.Next()
	}
	switch {
	case s.File() == old.File():
		s.Written = max(s.Written, old.Written, old.PayloadBytes)
	case !restored:
		s.Written = 0
	}
}

// DropStorage removes a storage that no record refers to, and queues its file as trash unless it is
// adopted or held.
func (tx *Tx) DropStorage(id ID) error {
	if err := tx.writing(); err != nil {
		return err
	}
	s, err := tx.Storage(id)
	if err != nil {
		return err
	}
	if s.Refs > 0 {
		return fmt.Errorf("%w: storage %s has %d references", ErrInvalid, id, s.Refs)
	}
	return tx.keepOrDrop(&s)
}

// Sharers returns the names of the records that use a storage, in order, at most limit of them (all
// when limit is 0 or less).
func (tx *Tx) Sharers(id ID, limit int) ([]string, error) {
	var names []string
	var fault error
	tx.refs.each(id[:], func(key, _ []byte) bool {
		name, err := keyName(key[len(id):])
		if err != nil {
			fault = tx.refs.bad(key, err)
			return false
		}
		names = append(names, name)
		return len(names) != limit
	}, func(err error) { fault = err })
	return names, fault
}

// Storages yields all storages in order of their ids. A damaged one is yielded as its error, and
// the iteration goes on; it ends early when the tree itself is damaged or ctx ends.
func (tx *Tx) Storages() iter.Seq2[Storage, error] {
	return func(yield func(Storage, error) bool) {
		tx.storages.each(nil, func(key, value []byte) bool { return yield(tx.storage(key, value)) },
			func(err error) { yield(Storage{}, err) })
	}
}

// StoragesNotIn iterates in the order of ids over the storages whose records other, an image of
// another state, does not have just so; over all if other is nil. Equal records are skipped without
// being decoded, so that states which share nearly all are compared quickly. What can't be read of
// other counts as not there.
func (tx *Tx) StoragesNotIn(other *Tx) iter.Seq2[Storage, error] {
	if other == nil {
		return tx.Storages()
	}

	return func(yield func(Storage, error) bool) {
		theirs := other.storages.cursor()
		at, record, err := theirs.seek(nil)
		tx.storages.each(nil, func(key, value []byte) bool {
			for err == nil && at != nil && string(at) < string(key) {
				at, record, err = theirs.nextAfter(at)
			}

			if err == nil && string(at) == string(key) && string(record) == string(value) {
				return true
			}
			return yield(tx.storage(key, value))
		}, func(err error) { yield(Storage{}, err) })
	}
}

// StoragesAfter returns a page of up to limit storages in order of their ids, behind after (the
// zero ID to start). An empty page is the end.
func (tx *Tx) StoragesAfter(after ID, limit int) ([]Storage, error) {
	var page []Storage
	cur := tx.storages.cursor()
	key, value, err := cur.seek(after[:])
	for err == nil && key != nil && len(page) < limit {
		if string(key) != string(after[:]) {
			s, bad := tx.storage(key, value)
			if bad != nil {
				return page, bad
			}
			page = append(page, s)
		}
		key, value, err = cur.nextAfter(key)
	}
	return page, err
}

// storage decodes a pair of bucket storages.
func (tx *Tx) storage(key, value []byte) (Storage, error) {
	message, err := tx.storages.open(key, value)
	if err != nil {
		return Storage{}, err
	}
	id, err := idOf(key)
	if err != nil {
		return Storage{}, tx.storages.bad(key, err)
	}
	s, err := decodeStorage(id, message)
	return s, tx.storages.bad(key, err)
}
