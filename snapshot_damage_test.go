package tstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// TestDamagedSnapshot looks for damage of snapshots, and of files that only they need, and removes
// nothing while a snapshot can't be read.
func TestDamagedSnapshot(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	create(t, s, "x", source(t, 0, wide))
	create(t, s, "y", source(t, 0, wide))
	held, err := s.Stat(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, s, "monday")
	must(t, s.Delete(ctx, "x"))

	data := filepath.Join(s.Dir(), held.Storage.File())
	must(t, os.Rename(data, data+".away"))
	if got := kinds(t, s.Dir()); !slices.Equal(got, []string{"snapshot [x@monday]", "unknown-file []"}) {
		t.Errorf("file is missing: %v", got)
	}
	if _, err := s.Get(ctx, "x@monday"); !errors.Is(err, tstore.ErrMissing) {
		t.Errorf("file is missing: %v", err)
	}
	if _, err := s.Repair(ctx, nil); err != nil {
		t.Error(err)
	}
	wantValues(t, s, "y@monday[:2]", 0, 1)
	must(t, os.Rename(data+".away", data))

	file := filepath.Join(s.Dir(), snap.File())
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{"bit": append([]byte{whole[0] ^ 1}, whole[1:]...), "short": whole[:4096]} {
		must(t, os.WriteFile(file, damaged, 0o644))
		again, err := tstore.Open(ctx, s.Dir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := kinds(t, s.Dir()); !slices.Equal(got, []string{"snapshot []"}) {
			t.Errorf("%s: %v", name, got)
		}
		if _, err := again.GC(ctx, nil); !errors.Is(err, tstore.ErrCorrupt) {
			t.Errorf("%s: gc: %v", name, err)
		}
		if _, err := again.RestoreSnapshot(ctx, "monday"); !errors.Is(err, tstore.ErrCorrupt) {
			t.Errorf("%s: restore: %v", name, err)
		}
		fill(t, again, "y[0]", 3) // writers go on
		must(t, again.Close())
		if n := storageFiles(t, s.Dir()); n < 3 {
			t.Errorf("%s: a file of a damaged snapshot was removed", name)
		}
	}
	must(t, os.Remove(file))
	if _, err := s.RemoveSnapshot(ctx, "monday"); err != nil {
		t.Error(err)
	}
	collect(t, s)
	if n := storageFiles(t, s.Dir()); n != 1 {
		t.Errorf("%d files are left for one storage", n)
	}
}

// kinds are the problems that Check finds, with the names they concern.
func kinds(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	for _, p := range problems(t, dir) {
		all = append(all, fmt.Sprintf("%s %v", p.Kind, p.Names))
	}
	slices.Sort(all)
	return all
}

// TestSalvageKeepsSnapshots loses the catalog of a store with snapshots.
func TestSalvageKeepsSnapshots(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string][]string{"catalog": {"catalog.db"}, "catalog and mark": {"catalog.db", "STORE"}} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			s := newStore(t)
			create(t, s, "x", source(t, 0, wide))
			create(t, s, "y", source(t, 5, 2))
			must(t, s.View(ctx, "v", "x[1:3]"))
			must(t, s.PutBlob(ctx, "b", catalog.IntValue(1)))
			snapshot(t, s, "monday")
			fill(t, s, "x[0]", 9)
			must(t, s.Delete(ctx, "y"))
			snapshot(t, s, "tuesday")
			must(t, s.Append(ctx, "x", source(t, 0, 1)))
			damaged := snapshot(t, s, "wednesday")
			must(t, os.Truncate(filepath.Join(s.Dir(), damaged.File()), 5000))
			for _, file := range lost {
				must(t, os.Remove(filepath.Join(s.Dir(), file)))
			}
			must(t, s.Close())

			report, err := tstore.Salvage(ctx, s.Dir(), nil)
			must(t, err)
			if len(report.Snapshots) != 2 || report.Snapshots[0] != "monday" || report.Skipped[damaged.File()] == "" {
				t.Fatalf("salvaged %+v", report)
			}
			must(t, os.Remove(filepath.Join(s.Dir(), damaged.File())))
			again, err := tstore.Open(ctx, s.Dir(), nil)
			must(t, err)
			defer again.Close()
			collect(t, again)
			tuesday := report.Snapshots[1]
			wantValues(t, again, "x@monday[:2]", 0, 1)
			wantValues(t, again, "y@monday", 5, 6)
			wantValues(t, again, "x@"+tuesday+"[:2]", 9, 1)
			fill(t, again, "x[1]", 7)
			must(t, again.Append(ctx, "x", source(t, 3, 1)))
			wantValues(t, again, "x@"+tuesday+"[:2]", 9, 1)
			restore(t, again, tuesday)
			wantValues(t, again, "v", 1, 2)
			wantValues(t, again, "x[-1]", wide-1)
			if names := diffNames(t, again, tuesday, ""); len(names) > 0 {
				t.Errorf("different: %v", names)
			}
			restore(t, again, "monday")
			wantValues(t, again, "x[:2]", 0, 1)
			if snap := snapshot(t, again, "later"); snap.Seq != 3 {
				t.Errorf("the third snapshot has number %d", snap.Seq)
			}
		})
	}
}
