package snapshots_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func fill(t *testing.T, s *tstore.Store, sel string, v float64) {
	t.Helper()
	storetest.Must(t, s.Fill(t.Context(), sel, dtype.ScalarOf(v)))
}

func wantComputed(t testing.TB, s *tstore.Store, sel string, want ...float64) {
	t.Helper()
	x, err := s.Evaluate(t.Context(), sel)
	if err != nil {
		t.Error(err)
		return
	}
	defer x.Close()
	if got := storetest.Elements(t, x.Tensor); !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", sel, got, want)
	}
}

func TestSnapshotInExpressions(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "g/x", storetest.Source(t, 0, 3))
	storetest.Create(t, s, "g/mask", tstore.FromBytes(tstore.Spec{DType: dtype.Bool, Shape: []int{3}}, []byte{1, 0, 1}))
	storetest.Define(t, s, "g/twice", "`g/x` * 2")
	storetest.Define(t, s, "four", "`g/twice` * 2")
	storetest.Snapshot(t, s, "v1.0")
	storetest.Must(t, s.Replace(t.Context(), "g/x", storetest.Source(t, 10, 3)))
	storetest.Must(t, s.Replace(t.Context(), "g/mask", tstore.FromBytes(tstore.Spec{DType: dtype.Bool, Shape: []int{3}}, []byte{0, 1, 0})))

	wantComputed(t, s, "four@v1.0", 0, 4, 8)
	wantComputed(t, s, "four", 40, 44, 48)
	wantComputed(t, s, "g/x@v1.0[g/mask]", 0, 2)
	wantComputed(t, s, "g/x@v1.0[g/mask.T]", 0, 2)
	storetest.Must(t, storetest.Evaluates("d = `g/x` - `g/x@v1.0`; five = `four@v1.0`")(t.Context(), s))
	storetest.WantValues(t, s, "d", 10, 10, 10)
	storetest.WantValues(t, s, "five", 0, 4, 8)
	r, err := s.Eval(t.Context(), "`x@v1.0` + x", &tstore.EvalOptions{Group: "g"})
	if err != nil {
		t.Fatal(err)
	}
	if got := storetest.Elements(t, r.Outputs[0].Tensor.Tensor); !slices.Equal(got, []float64{10, 12, 14}) {
		t.Errorf("in a group: %v", got)
	}
	storetest.Must(t, r.Close())
	storetest.Must(t, s.Copy(t.Context(), "old", "g/x@v1.0[::-1]", nil))
	storetest.WantValues(t, s, "old", 2, 1, 0)

	storetest.Define(t, s, "change", "`g/x` - `g/x@v1.0`")
	wantComputed(t, s, "change", 10, 10, 10)
	storetest.Must(t, s.Materialize(t.Context(), "change", nil))
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
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	storetest.Define(t, s, "lazy", "x + 1")
	storetest.Snapshot(t, s, "monday")
	for name, err := range map[string]error{
		"fill":        s.Fill(ctx, "x@monday[0]", dtype.ScalarOf(1.0)),
		"append":      s.Append(ctx, "x@monday", storetest.Source(t, 0, 3)),
		"replace":     s.Replace(ctx, "x@monday", storetest.Source(t, 0, 3)),
		"create":      s.Create(ctx, "y@monday", storetest.Source(t, 0, 3)),
		"resize":      s.Resize(ctx, "x@monday", 2),
		"delete":      s.Delete(ctx, "x@monday"),
		"rename":      s.Rename(ctx, "x@monday", "y"),
		"rename to":   s.Rename(ctx, "x", "y@monday"),
		"view":        s.View(ctx, "v", "x@monday[1:]"),
		"materialize": s.Materialize(ctx, "lazy@monday", nil),
		"in place":    storetest.WriteInPlace(ctx, s, "x@monday", 1),
		"attribute":   s.SetAttr(ctx, "x@monday", "a", catalog.IntValue(1)),
		"eval":        storetest.Evaluates("`x@monday` = x")(ctx, s),
		"eval part":   storetest.Evaluates("`x@monday`[0] = 1")(ctx, s),
		"eval place":  storetest.EvaluatesInPlace("`x@monday`[0] = 1")(ctx, s),
	} {
		if !errors.Is(err, catalog.ErrBadName) && !errors.Is(err, tstore.ErrReadOnly) || !strings.Contains(err.Error(), "snapshot") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	storetest.WantValues(t, s, "x", 0, 1, 2)
	storetest.WantValues(t, s, "x@monday", 0, 1, 2)
}

func TestSnapshotErrors(t *testing.T) {
	ctx := t.Context()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	storetest.Snapshot(t, s, "monday")
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
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, storetest.Wide))
	storetest.Must(t, s.View(ctx, "v", "x[1:]"))
	w, err := s.OpenWritable(ctx, "v")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.CreateSnapshot(ctx, "monday", "")
	if !errors.Is(err, tstore.ErrBusy) || !strings.Contains(err.Error(), `"v", "x"`) {
		t.Errorf("while it is written in place: %v", err)
	}
	storetest.Must(t, w.Close())
	storetest.Snapshot(t, s, "monday")
	storetest.Must(t, storetest.WriteInPlace(ctx, s, "x", 9))
	storetest.Must(t, storetest.EditStorage(ctx, s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Dirty, "nobody" }))
	if _, err = s.CreateSnapshot(ctx, "tuesday", ""); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("left dirty: %v", err)
	}
	storetest.Restore(t, s, "monday")
	storetest.WantValues(t, s, "x[:2]", 0, 1)
}

// TestSnapshotFinishesPatches makes a snapshot of a store in which a small change was interrupted.
func TestSnapshotFinishesPatches(t *testing.T) {
	ctx := t.Context()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	var b [8]byte
	dtype.ScalarOf(9.0).Store(b[:])
	storetest.Must(t, storetest.PutPatch(ctx, s, "x", catalog.Patch{Offset: 8, Bytes: b[:]}))
	storetest.Must(t, storetest.EditStorage(ctx, s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "nobody" }))
	storetest.Snapshot(t, s, "monday")
	storetest.WantValues(t, s, "x@monday", 0, 9, 2)
}

// TestSnapshotSyncs makes a snapshot of what was left to the system to write.
func TestSnapshotSyncs(t *testing.T) {
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), &tstore.Options{Durability: tstore.DurabilityProcess})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	storetest.Snapshot(t, s, "monday")
	info, err := s.Stat(t.Context(), "x@monday")
	if err != nil || info.Storage.Boot != "" {
		t.Errorf("boot %q, %v", info.Storage.Boot, err)
	}
}
