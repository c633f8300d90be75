package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"go.etcd.io/bbolt"
)

func TestCreateAndOpenErrors(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	if _, err := catalog.Open(ctx, dir, nil); !errors.Is(err, catalog.ErrNotCatalog) {
		t.Errorf("open of an empty folder: %v", err)
	}
	if _, err := catalog.Open(ctx, dir, &catalog.Options{ReadOnly: true}); !errors.Is(err, catalog.ErrNotCatalog) {
		t.Errorf("read-only open of an empty folder: %v", err)
	}
	if _, err := catalog.Open(ctx, filepath.Join(dir, "none"), nil); !errors.Is(err, catalog.ErrNotCatalog) {
		t.Errorf("open of no folder: %v", err)
	}
	if _, err := catalog.Create(ctx, filepath.Join(dir, "none"), nil); !errors.Is(err, catalog.ErrNotCatalog) {
		t.Errorf("create in no folder: %v", err)
	}
	if _, err := catalog.Open(ctx, dir, &catalog.Options{LockTimeout: -1}); !errors.Is(err, catalog.ErrInvalid) {
		t.Errorf("negative timeout: %v", err)
	}
	id := catalog.NewID()
	c, err := catalog.Create(ctx, dir, &catalog.Options{StoreID: id})
	if err != nil || c.StoreID() != id || c.Meta().Format != catalog.FormatVersion || c.Meta().Created.IsZero() {
		t.Fatalf("created %+v, %v", c.Meta(), err)
	}
	if _, err := catalog.Create(ctx, dir, nil); !errors.Is(err, catalog.ErrExists) {
		t.Errorf("second create: %v", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Errorf("close twice: %v", err)
	}
	if err := c.View(ctx, func(*catalog.Tx) error { return nil }); !errors.Is(err, catalog.ErrClosed) {
		t.Errorf("view after close: %v", err)
	}
	if _, err := c.Lookup(ctx, "a"); !errors.Is(err, catalog.ErrClosed) {
		t.Errorf("lookup after close: %v", err)
	}
	if _, err := c.TxID(); !errors.Is(err, catalog.ErrClosed) {
		t.Errorf("transaction id after close: %v", err)
	}
}

// TestCreateAfterCrash creates over what a crash left before the catalog had its name.
func TestCreateAfterCrash(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "catalog.db.tmp"), []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, _ := createIn(t, dir, nil)
	addTensors(t, c, "a")
	if _, err := os.Stat(filepath.Join(dir, "catalog.db.tmp")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary file is still there: %v", err)
	}
}

func TestLockTimeout(t *testing.T) {
	_, dir := createIn(t, t.TempDir(), nil)
	for name, tc := range map[string]struct {
		off  int64
		mode filelock.Mode
		read bool // whether reading has to wait
	}{
		"writer at work": {0, filelock.Exclusive, true},
		"reader at work": {0, filelock.Shared, false},
		"turnstile":      {1, filelock.Exclusive, true},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := filelock.TryLock(filepath.Join(dir, "lock"), tc.off, tc.mode)
			if err != nil {
				t.Fatal(err)
			}
			fast, err := catalog.Open(t.Context(), dir, &catalog.Options{LockTimeout: 20 * time.Millisecond})
			if tc.read {
				mustTimeOut(t, err)
			} else if err != nil {
				t.Fatal(err)
			} else {
				mustTimeOut(t, fast.Update(t.Context(), func(*catalog.Tx) error { return nil }))
				fast.Close()
			}
			if err := l.Unlock(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func mustTimeOut(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, catalog.ErrLockTimeout) || !strings.Contains(err.Error(), "lock\"") || !strings.Contains(err.Error(), "ms") {
		t.Errorf("got %v, want an ErrLockTimeout with the file and the time", err)
	}
	if runtime.GOOS == "linux" && !strings.Contains(err.Error(), "which this process holds") {
		t.Errorf("%v, which does not say who holds the lock", err)
	}
}

func TestContext(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	l, err := filelock.TryLock(filepath.Join(dir, "lock"), 0, filelock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("no more patience")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if err := c.View(ctx, func(*catalog.Tx) error { return nil }); !errors.Is(err, why) || errors.Is(err, catalog.ErrLockTimeout) {
		t.Errorf("view: %v, want the cause of the context", err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	err = c.Update(ctx, func(tx *catalog.Tx) error {
		stop()
		return tx.Put(blob("a", "x"))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("update whose context ended in the callback: %v", err)
	}
	if _, err := c.Lookup(t.Context(), "a"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("it was committed: %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	addTensors(t, c, "a")
	ro := open(t, dir, &catalog.Options{ReadOnly: true})
	if err := ro.Update(t.Context(), func(*catalog.Tx) error { return nil }); !errors.Is(err, catalog.ErrReadOnly) {
		t.Errorf("update: %v", err)
	}
	view(t, ro, func(tx *catalog.Tx) error {
		for what, err := range map[string]error{
			"Put": tx.Put(blob("b", "")), "Delete": tx.Delete("a"), "Rename": tx.Rename("a", "b"), "PutStorage": tx.PutStorage(storage()),
			"DropStorage": tx.DropStorage(catalog.ID{1}), "Queue": tx.Queue("f"), "ClearTrash": tx.ClearTrash("f"),
			"PutPatch": tx.PutPatch(catalog.ID{1}, catalog.Patch{Bytes: []byte{1}}), "ClearPatch": tx.ClearPatch(catalog.ID{1}), "Recount": tx.Recount(),
		} {
			if !errors.Is(err, catalog.ErrReadOnly) {
				t.Errorf("%s: %v", what, err)
			}
		}
		return nil
	})
}

// TestNoLockFile reads a catalog where no lock file can be, as on read-only media: bbolt's own lock
// keeps writers out. Package tstore's tests do it on media that root can't write to either.
func TestNoLockFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can make a lock file in any folder")
	}
	c, dir := createIn(t, t.TempDir(), nil)
	addTensors(t, c, "a")
	file, err := os.ReadFile(filepath.Join(dir, "catalog.db"))
	must(t, err)
	bare := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bare, "catalog.db"), file, 0o444))
	must(t, os.Chmod(bare, 0o555))
	t.Cleanup(func() { must(t, os.Chmod(bare, 0o755)) })
	ro := open(t, bare, &catalog.Options{ReadOnly: true})
	if first := lookup(t, ro, "a"); first != lookup(t, ro, "a") {
		t.Error("the second lookup read the record again")
	}
	if _, err := catalog.Open(t.Context(), bare, nil); err == nil {
		t.Error("a catalog without a lock file opens for writing")
	}
}

// TestTxEnds uses transactions after their end.
func TestTxEnds(t *testing.T) {
	c := create(t, nil)
	addTensors(t, c, "a")
	var kept *catalog.Tx
	view(t, c, func(tx *catalog.Tx) error { kept = tx; return nil })
	if _, err := kept.Get("a"); !errors.Is(err, catalog.ErrClosed) {
		t.Errorf("Get: %v", err)
	}
	for _, err := range kept.Records() {
		if !errors.Is(err, catalog.ErrClosed) {
			t.Errorf("Records: %v", err)
		}
	}
	update(t, c, func(tx *catalog.Tx) error { kept = tx; return nil })
	if err := kept.Put(blob("b", "")); !errors.Is(err, catalog.ErrClosed) {
		t.Errorf("Put: %v", err)
	}
}

// TestCallbackPanics lets a panic through, and leaves nothing locked.
func TestCallbackPanics(t *testing.T) {
	c := create(t, nil)
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("recovered %v", p)
			}
		}()
		_ = c.Update(t.Context(), func(tx *catalog.Tx) error {
			if err := tx.Put(blob("a", "")); err != nil {
				return err
			}
			panic("boom")
		})
	}()
	if _, err := c.Lookup(t.Context(), "a"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("lookup: %v", err)
	}
	addTensors(t, c, "b")
}

func TestErrorsPassThrough(t *testing.T) {
	c := create(t, nil)
	if err := c.View(t.Context(), func(*catalog.Tx) error { return errStop }); err != errStop {
		t.Errorf("view: %v", err)
	}
	if err := c.Update(t.Context(), func(*catalog.Tx) error { return errStop }); err != errStop {
		t.Errorf("update: %v", err)
	}
}

func TestLongIterationEndsWithContext(t *testing.T) {
	c := create(t, &catalog.Options{NoSync: true})
	update(t, c, func(tx *catalog.Tx) error {
		for i := range 3000 {
			if err := tx.Put(blob("n"+string(rune('a'+i%26))+strings.Repeat("x", i/26), "")); err != nil {
				return err
			}
		}
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	err := c.View(ctx, func(tx *catalog.Tx) error {
		cancel()
		for _, err := range tx.Records() {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestForeignLock waits for a program that has the file open through bbolt alone.
func TestForeignLock(t *testing.T) {
	_, dir := createIn(t, t.TempDir(), nil)
	c := open(t, dir, &catalog.Options{LockTimeout: 150 * time.Millisecond})
	path := filepath.Join(dir, "catalog.db")
	db, err := bbolt.Open(path, 0o644, nil)
	must(t, err)
	err = c.View(t.Context(), func(*catalog.Tx) error { return nil })
	if !errors.Is(err, catalog.ErrLockTimeout) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want an ErrLockTimeout with the file", err)
	}
	must(t, db.Close())
	view(t, c, func(*catalog.Tx) error { return nil })
}

// TestRehearse changes a catalog that is open for reading, as far as the transaction sees.
func TestRehearse(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	addTensors(t, c, "a")
	before, err := c.TxID()
	if err != nil {
		t.Fatal(err)
	}
	reader := open(t, dir, &catalog.Options{ReadOnly: true})
	err = reader.Rehearse(t.Context(), func(tx *catalog.Tx) error {
		if err := errors.Join(tx.Rename("a", "b"), tx.Put(blob("note", "new"))); err != nil {
			return err
		}
		_, err := tx.Get("b")
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := reader.Rehearse(t.Context(), func(tx *catalog.Tx) error { return tx.Delete("b") }); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("deleting what is not there: %v", err)
	}
	if now, err := c.TxID(); err != nil || now != before {
		t.Errorf("transaction %d became %d, %v", before, now, err)
	}
	lookup(t, c, "a")
}

// TestWithCommitting looks who is told of which commits.
func TestWithCommitting(t *testing.T) {
	c := create(t, nil)
	type told struct {
		Number uint64
		Names  []string
	}
	var all []told
	ctx := catalog.WithCommitting(t.Context(), func(tx *catalog.Tx, number uint64) {
		var names []string
		for rec, err := range tx.Records() {
			if err != nil {
				t.Error(err)
			}
			names = append(names, rec.Name)
		}
		all = append(all, told{number, names})
	})
	before, err := c.TxID()
	if err != nil {
		t.Fatal(err)
	}
	blob := catalog.Record{Name: "a", Kind: catalog.KindBlob, Blob: catalog.IntValue(1)}
	failed := errors.New("failed")
	steps := []struct {
		ctx  context.Context
		want error
		do   func(*catalog.Tx) error
	}{
		{ctx, nil, func(tx *catalog.Tx) error { return tx.Put(blob) }},
		{ctx, nil, func(*catalog.Tx) error { return nil }},
		{ctx, failed, func(tx *catalog.Tx) error { return errors.Join(tx.Delete("a"), failed) }},
		{t.Context(), nil, func(tx *catalog.Tx) error { return tx.Rename("a", "b") }},
		{ctx, nil, func(tx *catalog.Tx) error { return tx.Rename("b", "c") }},
	}
	for i, step := range steps {
		if err := c.Update(step.ctx, step.do); !errors.Is(err, step.want) {
			t.Errorf("step %d: %v, want %v", i, err, step.want)
		}
	}
	want := []told{{before + 1, []string{"a"}}, {before + 3, []string{"c"}}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
