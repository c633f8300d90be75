package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore/catalog"
)

func lookup(t testing.TB, c *catalog.Catalog, name string) *catalog.Entry {
	t.Helper()
	e, err := c.Lookup(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestLookupCache checks that entries are served again until anyone commits, and never after that.
func TestLookupCache(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	other := open(t, dir, nil)
	addTensors(t, c, "a", "b")
	first := lookup(t, c, "a")
	if lookup(t, c, "a") != first {
		t.Error("the second lookup read the record again")
	}
	for i := range 5 {
		update(t, other, func(tx *catalog.Tx) error { return tx.Put(blob("note", fmt.Sprint(i))) })
		v, err := lookup(t, c, "note").Record.Blob.Text()
		if err != nil || v != fmt.Sprint(i) {
			t.Fatalf("lookup after commit %d: %q, %v", i, v, err)
		}
	}
	if lookup(t, c, "a") == first {
		t.Error("an entry outlived a commit")
	}
	update(t, other, func(tx *catalog.Tx) error { return tx.Delete("a") })
	if _, err := c.Lookup(t.Context(), "a"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("lookup of a deleted record: %v", err)
	}
	if _, err := c.Lookup(t.Context(), "a//"); !errors.Is(err, catalog.ErrBadName) {
		t.Errorf("lookup of a bad name: %v", err)
	}
}

// TestCurrent checks that entries are those of one state until anyone commits, and never after
// that.
func TestCurrent(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	other := open(t, dir, nil)
	addTensors(t, c, "a", "b")
	both := map[string]*catalog.Entry{"a": lookup(t, c, "a"), "b": lookup(t, c, "b")}
	if !c.Current(maps.All(both)) {
		t.Error("what was just looked up is not current")
	}
	update(t, other, func(tx *catalog.Tx) error { return tx.Put(blob("note", "x")) })
	if c.Current(maps.All(both)) {
		t.Error("entries are current after a commit")
	}
	both["a"] = lookup(t, c, "a")
	if c.Current(maps.All(both)) {
		t.Error("entries of two states are current")
	}
	both["b"] = lookup(t, c, "b")
	if !c.Current(maps.All(both)) {
		t.Error("what was looked up again is not current")
	}
}

func TestLookupBound(t *testing.T) {
	c := create(t, &catalog.Options{CacheEntries: 2})
	addTensors(t, c, "a", "b", "c", "d")
	for _, name := range []string{"a", "b", "c", "d", "a", "b"} {
		if got := lookup(t, c, name).Record.Name; got != name {
			t.Errorf("Lookup(%q) = %q", name, got)
		}
	}
}

// TestLookupReplaced replaces catalog.db below an open handle, by Rebuild and as restoring a backup
// does.
func TestLookupReplaced(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	update(t, c, func(tx *catalog.Tx) error { return tx.Put(blob("note", "old")) })
	backup, err := os.ReadFile(filepath.Join(dir, "catalog.db"))
	if err != nil {
		t.Fatal(err)
	}
	text := func() string {
		v, err := lookup(t, c, "note").Record.Blob.Text()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	text()
	id := c.StoreID()
	err = catalog.Rebuild(t.Context(), dir, id, nil, func(tx *catalog.Tx) error { return tx.Put(blob("note", "new")) })
	if err != nil {
		t.Fatal(err)
	}
	if got := text(); got != "new" {
		t.Errorf("lookup after Rebuild: %q", got)
	}
	restored := filepath.Join(dir, "restored")
	if err := os.WriteFile(restored, backup, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(restored, filepath.Join(dir, "catalog.db")); err != nil {
		t.Fatal(err)
	}
	replaced := time.Now()
	for text() != "old" && time.Since(replaced) < 1100*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
	if got := text(); got != "old" {
		t.Errorf("lookup a second after the file was replaced: %q", got)
	}
}

// TestConcurrentHandle uses one handle from many goroutines. Versions that a reader sees never go
// back.
func TestConcurrentHandle(t *testing.T) {
	c := create(t, &catalog.Options{NoSync: true})
	addTensors(t, c, "x")
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			last := uint64(0)
			for {
				select {
				case <-done:
					return
				default:
				}
				e, err := c.Lookup(context.Background(), "x")
				if err != nil || e.Record.Version < last {
					t.Errorf("version %d after %d: %v", e.Record.Version, last, err)
					return
				}
				last = e.Record.Version
				runtime.Gosched()
			}
		})
	}
	for i := range 100 {
		update(t, c, func(tx *catalog.Tx) error {
			r, err := tx.Get("x")
			if err != nil {
				return err
			}
			return tx.Put(r)
		})
		if got := lookup(t, c, "x").Record.Version; got != uint64(i)+2 {
			t.Fatalf("version %d after %d updates", got, i+1)
		}
	}
	close(done)
	wg.Wait()
}

func TestTxID(t *testing.T) {
	c := create(t, nil)
	before, err := c.TxID()
	if err != nil {
		t.Fatal(err)
	}
	view(t, c, func(*catalog.Tx) error { return nil })
	update(t, c, func(*catalog.Tx) error { return nil })
	if same, _ := c.TxID(); same != before {
		t.Errorf("transaction %d after nothing changed, before %d", same, before)
	}
	addTensors(t, c, "a")
	if after, _ := c.TxID(); after <= before {
		t.Errorf("transaction %d after a change, before %d", after, before)
	}
}

// TestLookupAhead looks many names up, in and out of order, while others commit.
func TestLookupAhead(t *testing.T) {
	const n = 300
	c, dir := createIn(t, t.TempDir(), nil)
	other := open(t, dir, nil)
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("g/%d", i))
	}
	addTensors(t, c, names...)
	for _, step := range []int{1, 7, n - 1} {
		for i := range n {
			name := names[(i*step)%n]
			if e := lookup(t, c, name); e.Record.Name != name || e.Storage.ID != e.Record.Storage {
				t.Fatalf("looked %q up and got %q in storage %v, not %v", name, e.Record.Name, e.Storage.ID, e.Record.Storage)
			}
		}
		update(t, other, func(tx *catalog.Tx) error { return tx.Delete(names[0]) })
		if _, err := c.Lookup(t.Context(), names[0]); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("a deleted name: %v", err)
		}
		addTensors(t, c, names[0])
	}
}
