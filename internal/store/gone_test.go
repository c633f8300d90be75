package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// TestMovedStore moves a store's folder while it is open and written in place: what fails says so,
// and at its new place the store has what was written, marked.
func TestMovedStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 9000))
	w, err := s.OpenWritable(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Fill(ctx, w.Tensor, dtype.ScalarOf(7.0)); err != nil {
		t.Fatal(err)
	}
	moved := dir + "-moved"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"close":    w.Close(),
		"create":   s.Create(ctx, "z", storetest.Source(t, 0, 9000)),
		"patch":    s.Fill(ctx, "y[0]", storetest.Scalar(t, 1)),
		"rewrite":  s.Fill(ctx, "y", storetest.Scalar(t, 1)),
		"append":   s.Append(ctx, "y", storetest.Source(t, 0, 9)),
		"delete":   s.Delete(ctx, "y"),
		"writable": storetest.Second(s.OpenWritable(ctx, "y")),
		"snapshot": storetest.Second(s.CreateSnapshot(ctx, "monday", "")),
		"backup":   storetest.Second(s.Backup(ctx, dir+"-backup", nil)),
		"gc":       storetest.Second(s.GC(ctx, nil)),
		"list":     storetest.Second(s.Summary(ctx)),
	} {
		if !errors.Is(err, tstore.ErrGone) {
			t.Errorf("%s: %v, expected ErrGone", name, err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made at the old place: %v", err)
	}
	if _, err := tstore.Open(ctx, dir, nil); !errors.Is(err, tstore.ErrNotStore) {
		t.Errorf("opened at the old place: %v", err)
	}
	again := storetest.OpenStore(t, moved)
	if _, err := again.Get(ctx, "x"); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("x: %v, expected ErrDirty", err)
	}
	if _, err := again.Repair(ctx, &tstore.RepairOptions{AcceptDirty: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, again, "x[-2:]", 7, 7)
	storetest.WantValues(t, again, "y[-2:]", 8998, 8999)
	storetest.WantSound(t, moved)
}
