package snapshots_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// TestDamagedSnapshot looks for damage of snapshots, and of files that only they need, and removes
// nothing while a snapshot can't be read.
func TestDamagedSnapshot(t *testing.T) {
	ctx := t.Context()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, storetest.Wide))
	storetest.Create(t, s, "y", storetest.Source(t, 0, storetest.Wide))
	held, err := s.Stat(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	snap := storetest.Snapshot(t, s, "monday")
	storetest.Must(t, s.Delete(ctx, "x"))

	data := filepath.Join(s.Dir(), held.Storage.File())
	storetest.Must(t, os.Rename(data, data+".away"))
	if got := kinds(t, s.Dir()); !slices.Equal(got, []string{"snapshot [x@monday]", "unknown-file []"}) {
		t.Errorf("file is missing: %v", got)
	}
	if _, err := s.Get(ctx, "x@monday"); !errors.Is(err, tstore.ErrMissing) {
		t.Errorf("file is missing: %v", err)
	}
	if _, err := s.Repair(ctx, nil); err != nil {
		t.Error(err)
	}
	storetest.WantValues(t, s, "y@monday[:2]", 0, 1)
	storetest.Must(t, os.Rename(data+".away", data))

	file := filepath.Join(s.Dir(), snap.File())
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{"bit": append([]byte{whole[0] ^ 1}, whole[1:]...), "short": whole[:4096]} {
		storetest.Must(t, os.WriteFile(file, damaged, 0o644))
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
		storetest.Must(t, again.Close())
		if n := storetest.StorageFiles(t, s.Dir()); n < 3 {
			t.Errorf("%s: a file of a damaged snapshot was removed", name)
		}
	}
	storetest.Must(t, os.Remove(file))
	if _, err := s.RemoveSnapshot(ctx, "monday"); err != nil {
		t.Error(err)
	}
	storetest.Collect(t, s)
	if n := storetest.StorageFiles(t, s.Dir()); n != 1 {
		t.Errorf("%d files are left for one storage", n)
	}
}

// kinds are the problems that Check finds, with the names they concern.
func kinds(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	for _, p := range storetest.Problems(t, dir) {
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
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, storetest.Wide))
			storetest.Create(t, s, "y", storetest.Source(t, 5, 2))
			storetest.Must(t, s.View(ctx, "v", "x[1:3]"))
			storetest.Must(t, s.PutBlob(ctx, "b", catalog.IntValue(1)))
			storetest.Snapshot(t, s, "monday")
			fill(t, s, "x[0]", 9)
			storetest.Must(t, s.Delete(ctx, "y"))
			storetest.Snapshot(t, s, "tuesday")
			storetest.Must(t, s.Append(ctx, "x", storetest.Source(t, 0, 1)))
			damaged := storetest.Snapshot(t, s, "wednesday")
			storetest.Must(t, os.Truncate(filepath.Join(s.Dir(), damaged.File()), 5000))
			for _, file := range lost {
				storetest.Must(t, os.Remove(filepath.Join(s.Dir(), file)))
			}
			storetest.Must(t, s.Close())

			report, err := tstore.Salvage(ctx, s.Dir(), nil)
			storetest.Must(t, err)
			if len(report.Snapshots) != 2 || report.Snapshots[0] != "monday" || report.Skipped[damaged.File()] == "" {
				t.Fatalf("salvaged %+v", report)
			}
			storetest.Must(t, os.Remove(filepath.Join(s.Dir(), damaged.File())))
			again, err := tstore.Open(ctx, s.Dir(), nil)
			storetest.Must(t, err)
			defer again.Close()
			storetest.Collect(t, again)
			tuesday := report.Snapshots[1]
			storetest.WantValues(t, again, "x@monday[:2]", 0, 1)
			storetest.WantValues(t, again, "y@monday", 5, 6)
			storetest.WantValues(t, again, "x@"+tuesday+"[:2]", 9, 1)
			fill(t, again, "x[1]", 7)
			storetest.Must(t, again.Append(ctx, "x", storetest.Source(t, 3, 1)))
			storetest.WantValues(t, again, "x@"+tuesday+"[:2]", 9, 1)
			storetest.Restore(t, again, tuesday)
			storetest.WantValues(t, again, "v", 1, 2)
			storetest.WantValues(t, again, "x[-1]", storetest.Wide-1)
			if names := diffNames(t, again, tuesday, ""); len(names) > 0 {
				t.Errorf("different: %v", names)
			}
			storetest.Restore(t, again, "monday")
			storetest.WantValues(t, again, "x[:2]", 0, 1)
			if snap := storetest.Snapshot(t, again, "later"); snap.Seq != 3 {
				t.Errorf("the third snapshot has number %d", snap.Seq)
			}
		})
	}
}
