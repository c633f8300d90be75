package catalog

import (
	"errors"
	"math"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// floorKey is a key of its own in bucket meta: programs that don't know it leave it as it is.
var floorKey = []byte("floor")

// floor has the greatest numbers of what is gone. What comes, new or from a snapshot, gets greater
// ones, so that no version, count of changes or generation ever stands for other elements than it
// did.
type floor struct {
	changes uint64 // versions of records, and counts of changes of storages
	gen     uint32 // generations
}

// oldGen is more than the generations of storages that went while the store had no floor.
const oldGen = 1 << 25

// floor returns the floor. That of a store that an older program made is a bound: each change took
// a commit.
func (tx *Tx) floor() (floor, error) {
	if tx.lowest != nil {
		return *tx.lowest, nil
	}
	f := floor{changes: tx.commit.Meta().TxID, gen: oldGen}
	message, err := tx.metas.get(floorKey)
	if err != nil {
		return f, err
	}
	if message != nil {
		if f, err = decodeFloor(message); err != nil {
			return f, tx.metas.bad(floorKey, err)
		}
	}
	tx.lowest = &f
	return f, nil
}

// Raise makes what comes get a greater version and count than changes, and a greater generation
// than gen.
func (tx *Tx) Raise(changes uint64, gen uint32) error {
	if err := tx.writing(); err != nil {
		return err
	}
	f, err := tx.floor()
	if err != nil || changes <= f.changes && gen <= f.gen {
		return err
	}
	f = floor{max(f.changes, changes), max(f.gen, gen)}
	tx.lowest = &f
	return tx.metas.put(floorKey, encodeFloor(f))
}

// Highest returns numbers that none in the catalog exceeds, nor any of what was in it before: of
// versions and counts of changes, and of generations.
func (tx *Tx) Highest() (changes uint64, gen uint32, err error) {
	f, err := tx.floor()
	if err != nil {
		return 0, 0, err
	}

	counts := map[ID]uint64{}
	// A tensor shows its own version plus the changes of its storage.
	for s, err := range tx.Storages() {
		if err != nil {
			return 0, 0, err
		}
		counts[s.ID] = s.Changes
		f = floor{max(f.changes, s.Changes), max(f.gen, s.Next()-1)}
	}

	for r, err := range tx.Records() {
		if err != nil {
			return 0, 0, err
		}
		f.changes = max(f.changes, r.Version+counts[r.Storage])
	}

	return f.changes, f.gen, nil
}

// bound is a version that r does not exceed now. A storage that can't be read counts for nothing.
func (tx *Tx) bound(r *Record) (uint64, error) {
	if r.Kind != KindTensor {
		return r.Version, nil
	}
	s, err := tx.Storage(r.Storage)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrCorrupt) {
		return r.Version, nil
	}
	return r.Version + s.Changes, err
}

// leave notes the version of a record whose name is about to be free.
func (tx *Tx) leave(r *Record) error {
	n, err := tx.bound(r)
	if err != nil {
		return err
	}
	return tx.Raise(n, 0)
}

// outdo gives a storage greater numbers than any storage that is gone.
func (f floor) outdo(s *Storage) {
	s.Changes = max(s.Changes, f.changes+1)
	if s.Next() <= f.gen {
		s.NextGen = min(f.gen, math.MaxUint32-1) + 1
	}
}

func encodeFloor(f floor) []byte { return wire.Encode(&f, (*floor).fields) }

func decodeFloor(message []byte) (f floor, err error) {
	err = wire.Decode(message, &f, (*floor).fields)
	return f, err
}

func (f *floor) fields(c *wire.Coder) {
	c.Uint(1, &f.changes)
	c.Uint32(2, &f.gen)
}
