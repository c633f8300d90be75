package catalog_test

import (
	"errors"
	"math"
	"testing"

	"github.com/tstore/tstore/catalog"
)

// TestPatchRuns puts patches of one and of several runs. Only the latter have a version byte that
// programs which know one run refuse.
func TestPatchRuns(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	s := storage()
	update(t, c, func(tx *catalog.Tx) error { return errors.Join(tx.PutStorage(s), tx.Put(tensor("a", s.ID))) })
	one := catalog.Patch{Offset: 4, Bytes: []byte("ab")}
	more := catalog.Patch{Bytes: []byte("ab"), More: []catalog.Run{{Offset: 2, Bytes: []byte("c")}, {Offset: 9, Bytes: []byte("de")}}}
	for version, p := range map[byte]catalog.Patch{1: one, 2: more} {
		update(t, c, func(tx *catalog.Tx) error { return tx.PutPatch(s.ID, p) })
		view(t, c, func(tx *catalog.Tx) error {
			back, err := tx.Patch(s.ID)
			mustEqual(t, "patch", back, p)
			return err
		})
		editBolt(t, dir, "patches", s.ID[:], func(v []byte) []byte {
			if v[0] != version {
				t.Errorf("a patch of %d runs has version byte %d, want %d", len(p.Runs()), v[0], version)
			}
			return v
		})
	}
}

func TestBadPatches(t *testing.T) {
	c := create(t, nil)
	s := storage()
	update(t, c, func(tx *catalog.Tx) error { return errors.Join(tx.PutStorage(s), tx.Put(tensor("a", s.ID))) })
	b := []byte("abcd")
	many := make([]catalog.Run, catalog.MaxPatchRuns)
	for i := range many {
		many[i] = catalog.Run{Offset: int64(8 + 8*i), Bytes: b}
	}
	put := func(p catalog.Patch) error {
		return c.Update(t.Context(), func(tx *catalog.Tx) error { return tx.PutPatch(s.ID, p) })
	}
	for name, p := range map[string]catalog.Patch{
		"nothing":      {},
		"empty run":    {Bytes: b, More: []catalog.Run{{Offset: 9}}},
		"negative":     {Offset: -1, Bytes: b},
		"overflow":     {Offset: math.MaxInt64 - 3, Bytes: b},
		"overlap":      {Bytes: b, More: []catalog.Run{{Offset: 3, Bytes: b}}},
		"order":        {Offset: 8, Bytes: b, More: []catalog.Run{{Offset: 0, Bytes: b}}},
		"bytes":        {Bytes: make([]byte, catalog.MaxPatchBytes+1)},
		"bytes in all": {Bytes: b, More: []catalog.Run{{Offset: 4, Bytes: make([]byte, catalog.MaxPatchBytes-3)}}},
		"runs":         {Bytes: b, More: many},
	} {
		if err := put(p); !errors.Is(err, catalog.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, p := range map[string]catalog.Patch{
		"most runs":  {Bytes: b, More: many[1:]},
		"most bytes": {Bytes: b, More: []catalog.Run{{Offset: 4, Bytes: make([]byte, catalog.MaxPatchBytes-4)}}},
	} {
		if err := put(p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
