package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// aliasStore holds x with the views tail and odd, and y, in one file or in files of their own.
func aliasStore(t *testing.T, pack, seal bool) *tstore.Store {
	t.Helper()
	s := storetest.NewStore(t)
	x, y := storetest.Source(t, 0, 10), storetest.Source(t, 100, 10)
	x.Pack, y.Pack = pack, pack
	storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
		put := tx.Create
		if seal {
			put = func(name string, src tstore.Source) error { return tx.Import(name, src, nil) }
		}
		return errors.Join(put("y", y), put("x", x), tx.View("tail", "x[5:]"), tx.View("odd", "x[1::2]"))
	}))
	if shared := storetest.Stat(t, s, "x").Storage.ID == storetest.Stat(t, s, "y").Storage.ID; shared != pack {
		t.Fatalf("x and y are in one file: %t, want %t", shared, pack)
	}
	return s
}

// aliasGroups fills each tensor in turn and tells which others see it.
func aliasGroups(t *testing.T, s *tstore.Store, names ...string) map[string][]string {
	t.Helper()
	seen := map[string][]string{}
	for i, name := range names {
		storetest.Must(t, s.Fill(t.Context(), name, storetest.Scalar(t, float64(1000+i))))
		for _, other := range names {
			x, err := s.Get(t.Context(), other)
			storetest.Must(t, err)
			for _, v := range storetest.Elements(t, x.Tensor) {
				if v == float64(1000+i) {
					seen[name] = append(seen[name], other)
					break
				}
			}
			storetest.Must(t, x.Close())
		}
	}
	return seen
}

// TestAliasesAreThoseOfAFile changes the lengths of tensors with views: what shares elements
// afterwards does not depend on whether they share a file with other tensors.
func TestAliasesAreThoseOfAFile(t *testing.T) {
	for name, change := range map[string]func(s *tstore.Store) error{
		"append":         func(s *tstore.Store) error { return s.Append(t.Context(), "x", storetest.Source(t, 10, 2)) },
		"append nothing": func(s *tstore.Store) error { return s.Append(t.Context(), "x", storetest.Source(t, 10, 0)) },
		"append to view": func(s *tstore.Store) error { return s.Append(t.Context(), "tail", storetest.Source(t, 10, 2)) },
		"append twice": func(s *tstore.Store) error {
			return errors.Join(s.Append(t.Context(), "x", storetest.Source(t, 10, 2)), s.Append(t.Context(), "x", storetest.Source(t, 10, 2)))
		},
		"without its name": func(s *tstore.Store) error {
			return errors.Join(s.Rename(t.Context(), "x", "z"), s.View(t.Context(), "x", "z"), s.Delete(t.Context(), "z"),
				s.Append(t.Context(), "x", storetest.Source(t, 10, 2)))
		},
		"longer": func(s *tstore.Store) error { return s.Resize(t.Context(), "x", 12) },
		"shorter, longer": func(s *tstore.Store) error {
			return errors.Join(s.Resize(t.Context(), "x", 4), s.Resize(t.Context(), "x", 12))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var want map[string][]string
			for _, pack := range []bool{false, true} {
				s := aliasStore(t, pack, false)
				storetest.Must(t, change(s))
				got := aliasGroups(t, s, "x", "tail", "odd", "y")
				if want == nil {
					want = got
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("who shares elements with whom, in files of their own and (+) in one:\n%s", diff)
				}
			}
		})
	}
}

// TestTakeOut appends to a tensor in a shared file, sealed or with changes: its names get a file of
// their own, and the elements of all are what they were.
func TestTakeOut(t *testing.T) {
	for _, seal := range []bool{false, true} {
		t.Run(fmt.Sprint("sealed ", seal), func(t *testing.T) {
			s := aliasStore(t, true, seal)
			if !seal {
				storetest.Must(t, s.Fill(t.Context(), "odd", storetest.Scalar(t, 7)))
			}
			before := storetest.Stat(t, s, "tail").Version()
			storetest.Must(t, s.Append(t.Context(), "x", storetest.Source(t, 10, 1)))

			if storetest.Stat(t, s, "y").Storage.Refs != 1 || storetest.Stat(t, s, "x").Storage.ID != storetest.Stat(t, s, "odd").Storage.ID {
				t.Error("y is not alone in its file, or x without its view")
			}
			if now := storetest.Stat(t, s, "tail").Version(); now < before {
				t.Errorf("version %d after %d", now, before)
			}
			storetest.WantSealed(t, s, "x", seal)
			storetest.WantSealed(t, s, "y", seal)
			if seal {
				storetest.WantVerified(t, s, 2)
				storetest.WantValues(t, s, "x", storetest.UpTo(11)...)
			} else {
				storetest.WantValues(t, s, "x", 0, 7, 2, 7, 4, 7, 6, 7, 8, 7, 10)
			}
			y := storetest.UpTo(110)
			storetest.WantValues(t, s, "y", y[100:]...)
		})
	}
}

// TestPackedWithoutElements gives elements, another shape, or a file of its own to a tensor that
// has none and lies in a shared file: it leaves, and its neighbours stay.
func TestPackedWithoutElements(t *testing.T) {
	for name, change := range map[string]func(s *tstore.Store) error{
		"append": func(s *tstore.Store) error { return s.Append(t.Context(), "empty", storetest.Source(t, 0, 1, 2)) },
		"longer": func(s *tstore.Store) error { return s.Resize(t.Context(), "empty", 1, 2) },
		"wider":  func(s *tstore.Store) error { return s.Resize(t.Context(), "empty", 0, 3) },
		"path":   func(s *tstore.Store) error { return storetest.Second(s.OwnFile(t.Context(), "empty")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
				for name, src := range map[string]tstore.Source{"a": storetest.Source(t, 0, 2), "empty": storetest.Source(t, 0, 0, 2), "z": storetest.Source(t, 5, 3)} {
					src.Pack = true
					if err := tx.Create(name, src); err != nil {
						return err
					}
				}
				return nil
			}))
			shared := storetest.Stat(t, s, "a").Storage.ID
			storetest.Must(t, change(s))

			wantOwnFile(t, s, "empty", true)
			if storetest.Stat(t, s, "a").Storage.ID != shared || storetest.Stat(t, s, "z").Storage.ID != shared {
				t.Error("a neighbour has left the shared file")
			}
			storetest.WantValues(t, s, "a", 0, 1)
			storetest.WantValues(t, s, "z", 5, 6, 7)
		})
	}
}

// TestTakeOutBesideUnfinished appends to tensors in a shared file, in which a writer has died: only
// what it wrote is refused.
func TestTakeOutBesideUnfinished(t *testing.T) {
	s := aliasStore(t, true, false)
	storetest.Must(t, storetest.EditStorage(t.Context(), s, "y", func(st *catalog.Storage) {
		st.State, st.Writer = catalog.Dirty, "process 1 on here"
		st.Writers = []catalog.Writer{{Key: 1, Who: "process 1 on here", Part: "y", First: 0, End: 80}}
	}))
	storetest.Must(t, s.Append(t.Context(), "x", storetest.Source(t, 10, 1)))
	storetest.WantValues(t, s, "x", storetest.UpTo(11)...)
	if err := s.Append(t.Context(), "y", storetest.Source(t, 10, 1)); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("append to y: %v, want ErrDirty", err)
	}
	_, err := s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"y"}})
	storetest.Must(t, err)
}
