package tstore_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/internal/storetest"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

func snapshot(t testing.TB, s *tstore.Store, name string) catalog.Snapshot {
	t.Helper()
	snap, err := s.CreateSnapshot(t.Context(), name, "")
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func fill(t *testing.T, s *tstore.Store, sel string, v float64) {
	t.Helper()
	must(t, s.Fill(t.Context(), sel, dtype.ScalarOf(v)))
}

func restore(t testing.TB, s *tstore.Store, name string, names ...string) tstore.Restored {
	t.Helper()
	done, err := s.RestoreSnapshot(t.Context(), name, names...)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func collect(t testing.TB, s *tstore.Store) int {
	t.Helper()
	removed, err := s.GC(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return len(removed)
}

// writeInPlace stores v into the first element of a tensor.
func writeInPlace(ctx context.Context, s *tstore.Store, name string, v float64) error {
	w, err := s.OpenWritable(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(w.Set(dtype.ScalarOf(v), 0), w.Close())
}

const wide = 150_000 // float64 elements that are more than a small change

func wantComputed(t testing.TB, s *tstore.Store, sel string, want ...float64) {
	t.Helper()
	x, err := s.Evaluate(t.Context(), sel)
	if err != nil {
		t.Error(err)
		return
	}
	defer x.Close()
	if got := elements(t, x.Tensor); !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", sel, got, want)
	}
}

func TestSnapshotInExpressions(t *testing.T) {
	s := newStore(t)
	create(t, s, "g/x", source(t, 0, 3))
	create(t, s, "g/mask", tstore.FromBytes(tstore.Spec{DType: dtype.Bool, Shape: []int{3}}, []byte{1, 0, 1}))
	define(t, s, "g/twice", "`g/x` * 2")
	define(t, s, "four", "`g/twice` * 2")
	snapshot(t, s, "v1.0")
	must(t, s.Replace(t.Context(), "g/x", source(t, 10, 3)))
	must(t, s.Replace(t.Context(), "g/mask", tstore.FromBytes(tstore.Spec{DType: dtype.Bool, Shape: []int{3}}, []byte{0, 1, 0})))

	wantComputed(t, s, "four@v1.0", 0, 4, 8)
	wantComputed(t, s, "four", 40, 44, 48)
	wantComputed(t, s, "g/x@v1.0[g/mask]", 0, 2)
	wantComputed(t, s, "g/x@v1.0[g/mask.T]", 0, 2)
	must(t, evaluates("d = `g/x` - `g/x@v1.0`; five = `four@v1.0`")(t.Context(), s))
	wantValues(t, s, "d", 10, 10, 10)
	wantValues(t, s, "five", 0, 4, 8)
	r, err := s.Eval(t.Context(), "`x@v1.0` + x", &tstore.EvalOptions{Group: "g"})
	if err != nil {
		t.Fatal(err)
	}
	if got := elements(t, r.Outputs[0].Tensor.Tensor); !slices.Equal(got, []float64{10, 12, 14}) {
		t.Errorf("in a group: %v", got)
	}
	must(t, r.Close())
	must(t, s.Copy(t.Context(), "old", "g/x@v1.0[::-1]", nil))
	wantValues(t, s, "old", 2, 1, 0)

	define(t, s, "change", "`g/x` - `g/x@v1.0`")
	wantComputed(t, s, "change", 10, 10, 10)
	must(t, s.Materialize(t.Context(), "change", nil))
	f, err := s.Formula(t.Context(), "change")
	if err != nil || f.Stale {
		t.Errorf("formula %+v, %v", f, err)
	}
	if f, err = s.Formula(t.Context(), "four@v1.0"); err != nil || f.Inputs[0].State != tstore.InputSame {
		t.Errorf("formula %+v, %v", f, err)
	}
	if _, err := s.RemoveSnapshot(t.Context(), "v1.0"); err != nil {
		t.Fatal(err)
	}
	if f, err = s.Formula(t.Context(), "change"); err != nil || !f.Stale {
		t.Errorf("formula %+v, %v", f, err)
	}
}

// TestSnapshotsNeverChange tries to write to one.
func TestSnapshotsNeverChange(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	create(t, s, "x", source(t, 0, 3))
	define(t, s, "lazy", "x + 1")
	snapshot(t, s, "monday")
	for name, err := range map[string]error{
		"fill":        s.Fill(ctx, "x@monday[0]", dtype.ScalarOf(1.0)),
		"append":      s.Append(ctx, "x@monday", source(t, 0, 3)),
		"replace":     s.Replace(ctx, "x@monday", source(t, 0, 3)),
		"create":      s.Create(ctx, "y@monday", source(t, 0, 3)),
		"resize":      s.Resize(ctx, "x@monday", 2),
		"delete":      s.Delete(ctx, "x@monday"),
		"rename":      s.Rename(ctx, "x@monday", "y"),
		"rename to":   s.Rename(ctx, "x", "y@monday"),
		"view":        s.View(ctx, "v", "x@monday[1:]"),
		"materialize": s.Materialize(ctx, "lazy@monday", nil),
		"in place":    writeInPlace(ctx, s, "x@monday", 1),
		"attribute":   s.SetAttr(ctx, "x@monday", "a", catalog.IntValue(1)),
		"eval":        evaluates("`x@monday` = x")(ctx, s),
		"eval part":   evaluates("`x@monday`[0] = 1")(ctx, s),
		"eval place":  evaluatesInPlace("`x@monday`[0] = 1")(ctx, s),
	} {
		if !errors.Is(err, catalog.ErrBadName) && !errors.Is(err, tstore.ErrReadOnly) || !strings.Contains(err.Error(), "snapshot") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	wantValues(t, s, "x", 0, 1, 2)
	wantValues(t, s, "x@monday", 0, 1, 2)
}

func TestSnapshotErrors(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	create(t, s, "x", source(t, 0, 3))
	snapshot(t, s, "monday")
	get := func(sel string) error { _, err := s.Get(ctx, sel); return err }
	_, again := s.CreateSnapshot(ctx, "monday", "")
	_, slash := s.CreateSnapshot(ctx, "a/b", "")
	_, missing := s.RestoreSnapshot(ctx, "friday")
	_, missingName := s.RestoreSnapshot(ctx, "monday", "y")
	_, gone := s.RemoveSnapshot(ctx, "friday")
	for name, tc := range map[string]struct{ got, want error }{
		"made twice":       {again, tstore.ErrExists},
		"slash":            {slash, catalog.ErrBadName},
		"no such snapshot": {get("x@friday"), tstore.ErrNotFound},
		"no such name":     {get("y@monday"), tstore.ErrNotFound},
		"two":              {get("x@monday@tuesday"), catalog.ErrBadName},
		"restore":          {missing, tstore.ErrNotFound},
		"restore a name":   {missingName, tstore.ErrNotFound},
		"remove":           {gone, tstore.ErrNotFound},
	} {
		if !errors.Is(tc.got, tc.want) {
			t.Errorf("%s: got %v, want %v", name, tc.got, tc.want)
		}
	}
	if err := get("y@monday"); !strings.Contains(err.Error(), `"x@monday"`) {
		t.Errorf("no suggestion: %v", err)
	}
	if n := len(snapshotFiles(t, s.Dir())); n != 1 {
		t.Errorf("%d files of one snapshot", n)
	}
}

func snapshotFiles(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSnapshotWhileWriting refuses to keep elements that are half written.
func TestSnapshotWhileWriting(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	create(t, s, "x", source(t, 0, wide))
	must(t, s.View(ctx, "v", "x[1:]"))
	w, err := s.OpenWritable(ctx, "v")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.CreateSnapshot(ctx, "monday", "")
	if !errors.Is(err, tstore.ErrBusy) || !strings.Contains(err.Error(), `"v", "x"`) {
		t.Errorf("while it is written in place: %v", err)
	}
	must(t, w.Close())
	snapshot(t, s, "monday")
	must(t, writeInPlace(ctx, s, "x", 9))
	must(t, storetest.EditStorage(ctx, s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Dirty, "nobody" }))
	if _, err = s.CreateSnapshot(ctx, "tuesday", ""); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("left dirty: %v", err)
	}
	restore(t, s, "monday")
	wantValues(t, s, "x[:2]", 0, 1)
}

// TestSnapshotFinishesPatches makes a snapshot of a store in which a small change was interrupted.
func TestSnapshotFinishesPatches(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	create(t, s, "x", source(t, 0, 3))
	var b [8]byte
	dtype.ScalarOf(9.0).Store(b[:])
	must(t, storetest.PutPatch(ctx, s, "x", catalog.Patch{Offset: 8, Bytes: b[:]}))
	must(t, storetest.EditStorage(ctx, s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "nobody" }))
	snapshot(t, s, "monday")
	wantValues(t, s, "x@monday", 0, 9, 2)
}

// TestSnapshotSyncs makes a snapshot of what was left to the system to write.
func TestSnapshotSyncs(t *testing.T) {
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), &tstore.Options{Durability: tstore.DurabilityProcess})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	create(t, s, "x", source(t, 0, 3))
	snapshot(t, s, "monday")
	info, err := s.Stat(t.Context(), "x@monday")
	if err != nil || info.Storage.Boot != "" {
		t.Errorf("boot %q, %v", info.Storage.Boot, err)
	}
}
