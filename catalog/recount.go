package catalog

import (
	"errors"
	"fmt"
)

// Recount makes the reference counts of all storages, and the index of who uses them, agree with
// the records, which are the truth. Storages that nothing uses are removed as after a Delete. It is
// for repair: it reads the whole catalog, and its memory grows with the number of storages. A
// record that can't be read is an error, and nothing is changed.
func (tx *Tx) Recount() error {
	if err := tx.writing(); err != nil {
		return err
	}

	counts := map[ID]int64{}
	for r, err := range tx.Records() {
		if err != nil {
			return err
		}

		if r.Kind != KindTensor {
			continue
		}
		counts[r.Storage]++

		key := refKey(r.Storage, r.Name)
		known, err := tx.refs.has(key)
		if err == nil && !known {
			err = tx.refs.put(key, nil)
		}
		if err != nil {
			return err
		}
	}

	// The references are complete: what is left over has no record.
	return errors.Join(tx.dropStaleRefs(), tx.setCounts(counts))
}

// dropStaleRefs removes the entries of the index that no record stands behind.
func (tx *Tx) dropStaleRefs() error {
	cur := tx.refs.cursor()
	key, _, err := cur.seek(nil)
	for err == nil && key != nil {
		stale, bad := tx.isStale(key)
		if bad != nil {
			return bad
		}
		if stale {
			if err := tx.refs.del(key); err != nil {
				return err
			}
		}
		key, _, err = cur.nextAfter(key)
	}
	return err
}

func (tx *Tx) isStale(key []byte) (bool, error) {
	if len(key) <= len(ID{}) {
		return true, nil
	}
	id := ID(key[:len(ID{})])
	name, err := keyName(key[len(id):])
	if err != nil {
		return true, nil
	}
	r, err := tx.find(name)
	return r == nil || r.Kind != KindTensor || r.Storage != id, err
}

func (tx *Tx) setCounts(counts map[ID]int64) error {
	for s, err := range tx.Storages() {
		if err != nil {
			return err
		}
		if s.Refs == counts[s.ID] {
			continue
		}
		s.Refs = counts[s.ID]
		if err := tx.keepOrDrop(&s); err != nil {
			return fmt.Errorf("storage %s: %w", s.ID, err)
		}
	}
	return nil
}
