package catalog_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/catalog"
)

// shown is the version of a name with the changes of its storage, 0 if the name is free.
func shown(t *testing.T, tx *catalog.Tx, name string) uint64 {
	t.Helper()
	r, err := tx.Get(name)
	if errors.Is(err, catalog.ErrNotFound) {
		return 0
	}
	if err == nil && r.Kind == catalog.KindTensor {
		s, bad := tx.Storage(r.Storage)
		r.Version, err = r.Version+s.Changes, bad
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.Version
}

// TestVersionsOnlyGrow does at random what names and storages can go through, and looks at the
// version of every name after each commit.
func TestVersionsOnlyGrow(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	names := []string{"x", "y", "g/z"}
	held := storage()
	update(t, c, func(tx *catalog.Tx) error { return errors.Join(tx.PutStorage(held), tx.Put(tensor("x", held.ID))) })
	snapshot(t, c, dir, "a")
	r := rand.New(rand.NewPCG(1, 2))
	last, kept := map[string]uint64{}, map[string]catalog.Record{}
	var lastHeld catalog.Storage
	for range 400 {
		name, other := names[r.IntN(len(names))], names[r.IntN(len(names))]
		step := map[int]func(tx *catalog.Tx) error{
			0: func(tx *catalog.Tx) error { return tx.Put(blob(name, "text")) },
			1: func(tx *catalog.Tx) error {
				s := storage()
				s.ID = catalog.NewID()
				return errors.Join(tx.PutStorage(s), tx.Put(tensor(name, s.ID)))
			},
			2: func(tx *catalog.Tx) error { return tx.Delete(name) },
			3: func(tx *catalog.Tx) error { return tx.Rename(name, other) },
			4: func(tx *catalog.Tx) error { // as a snapshot is restored
				if _, err := tx.Storage(held.ID); err == nil {
					return tx.Put(tensor(name, held.ID))
				}
				return errors.Join(tx.RestoreStorage(held), tx.Put(tensor(name, held.ID)))
			},
			5: func(tx *catalog.Tx) error { // another file
				s, err := tx.Storage(held.ID)
				if err != nil {
					return err
				}
				s.Gen = s.Next()
				s.Change(0, s.PayloadBytes)
				return tx.PutStorage(s)
			},
			6: func(tx *catalog.Tx) error { // the file of the snapshot
				s, err := tx.Storage(held.ID)
				if err != nil {
					return err
				}
				s.Gen, s.Changes, s.NextGen = 0, 0, 0
				return tx.RestoreStorage(s)
			},
		}[r.IntN(7)]
		if err := c.Update(t.Context(), step); err != nil {
			continue // a name that is not there, or taken
		}
		view(t, c, func(tx *catalog.Tx) error {
			for _, name := range names {
				now := shown(t, tx, name)
				rec, _ := tx.Get(name)
				rec.Version = 0
				if was := kept[name]; now != 0 && (now < last[name] || now == last[name] && (rec.Storage != was.Storage || rec.Created != was.Created)) {
					t.Fatalf("%s: version %d after %d", name, now, last[name])
				}
				if now != 0 {
					last[name], kept[name] = now, rec
				}
			}
			s, err := tx.Storage(held.ID)
			if err == nil && (s.Changes < lastHeld.Changes || s.Next() < lastHeld.Next()) {
				t.Fatalf("%d changes, next generation %d after %d and %d", s.Changes, s.Next(), lastHeld.Changes, lastHeld.Next())
			}
			if err == nil {
				lastHeld = s
			}
			return nil
		})
	}
}

// TestRestoredStorageHasNewNumbers deletes and restores a storage: its count of changes is never
// one that it had.
func TestRestoredStorageHasNewNumbers(t *testing.T) {
	c := create(t, nil)
	was := storage()
	seen := map[uint64]bool{}
	for range 5 {
		update(t, c, func(tx *catalog.Tx) error { return errors.Join(tx.RestoreStorage(was), tx.Put(tensor("x", was.ID))) })
		view(t, c, func(tx *catalog.Tx) error {
			s, err := tx.Storage(was.ID)
			if seen[s.Changes] {
				t.Errorf("%d changes again", s.Changes)
			}
			seen[s.Changes] = true
			return err
		})
		update(t, c, func(tx *catalog.Tx) error { return tx.Delete("x") })
	}
}

// TestFloorOfOlderCatalog takes the floor out of a catalog, as programs made them that had none:
// numbers go on from the number of commits, and a damaged floor is an error.
func TestFloorOfOlderCatalog(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	was := storage()
	for range 9 {
		update(t, c, func(tx *catalog.Tx) error { return tx.Put(blob("b", "text")) })
	}
	editBolt(t, dir, "meta", []byte("floor"), func([]byte) []byte { return nil })
	update(t, c, func(tx *catalog.Tx) error { return errors.Join(tx.RestoreStorage(was), tx.Put(tensor("x", was.ID))) })
	view(t, c, func(tx *catalog.Tx) error {
		s, err := tx.Storage(was.ID)
		if s.Changes < 9 || s.NextGen < 1<<25 {
			t.Errorf("%d changes, next generation %d: expected more than an older program can have used", s.Changes, s.NextGen)
		}
		return err
	})
	update(t, c, func(tx *catalog.Tx) error { return tx.Rename("x", "y") })
	editBolt(t, dir, "meta", []byte("floor"), func(v []byte) []byte { v[1]++; return v })
	if err := c.Update(t.Context(), func(tx *catalog.Tx) error { return tx.Delete("y") }); !errors.Is(err, catalog.ErrCorrupt) {
		t.Errorf("a damaged floor: %v, want ErrCorrupt", err)
	}
}

func TestWrittenStays(t *testing.T) {
	c := create(t, nil)
	s := storage()
	s.PayloadBytes = 100
	put := func(change func(*catalog.Storage)) catalog.Storage {
		t.Helper()
		update(t, c, func(tx *catalog.Tx) error {
			change(&s)
			return errors.Join(tx.PutStorage(s), tx.Put(tensor("x", s.ID)))
		})
		view(t, c, func(tx *catalog.Tx) (err error) { s, err = tx.Storage(s.ID); return err })
		return s
	}
	for _, step := range []struct {
		what   string
		change func(*catalog.Storage)
		want   int64
	}{
		{"new", func(*catalog.Storage) {}, 0},
		{"shorter", func(s *catalog.Storage) { s.PayloadBytes = 40 }, 100},
		{"forgotten", func(s *catalog.Storage) { s.Written = 0 }, 100},
		{"as long again", func(s *catalog.Storage) { s.PayloadBytes = 100 }, 0},
		{"longer", func(s *catalog.Storage) { s.PayloadBytes = 120 }, 0},
		{"shorter again", func(s *catalog.Storage) { s.PayloadBytes = 40 }, 120},
		{"another file", func(s *catalog.Storage) { s.Gen++ }, 0},
	} {
		if got := put(step.change).Written; got != step.want {
			t.Errorf("%s: %d bytes are written, want %d", step.what, got, step.want)
		}
	}
}
