package tstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestSnapshotStays changes tensors in every way there is, and reads what they
// were from a snapshot, before and after gc, through this handle and a new one.
func TestSnapshotStays(t *testing.T) {
	for name, change := range map[string]func(context.Context, *tstore.Store) error{
		"patch":   func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[1]", dtype.ScalarOf(9.0)) },
		"rewrite": func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "wide", dtype.ScalarOf(9.0)) },
		"picked": func(ctx context.Context, s *tstore.Store) error {
			return s.Fill(ctx, "x[[0, 2]]", dtype.ScalarOf(9.0))
		},
		"in place":      func(ctx context.Context, s *tstore.Store) error { return writeInPlace(ctx, s, "x", 9) },
		"eval":          evaluates("x[1] = 9; wide = wide + 1"),
		"eval in place": evaluatesInPlace("x += 9; wide[:7] = 9"),
		"append":        func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", source(t, 6, 2)) },
		"append in place": func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "wide", source(t, 6, 2))
		},
		"append and change": func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Append(ctx, "wide", source(t, 6, 2)), s.Fill(ctx, "wide[7]", dtype.ScalarOf(9.0)), s.Append(ctx, "wide", source(t, 6, 2)))
		},
		"append and delete": func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Append(ctx, "wide", source(t, 6, 2)), s.Delete(ctx, "wide"))
		},
		"narrow":  func(ctx context.Context, s *tstore.Store) error { return s.Resize(ctx, "x", 1) },
		"replace": func(ctx context.Context, s *tstore.Store) error { return s.Replace(ctx, "x", source(t, 7, 3)) },
		"delete":  func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "x", "wide", "v") },
		"rename":  func(ctx context.Context, s *tstore.Store) error { return s.Rename(ctx, "x", "z") },
		"attribute": func(ctx context.Context, s *tstore.Store) error {
			return s.SetAttr(ctx, "x", "unit", catalog.StringValue("m"))
		},
		"blob": func(ctx context.Context, s *tstore.Store) error { return s.PutBlob(ctx, "b", catalog.IntValue(2)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			create(t, s, "x", source(t, 0, 4))
			create(t, s, "wide", source(t, 0, wide))
			must(t, s.View(t.Context(), "v", "wide[5:8]"))
			must(t, s.PutBlob(t.Context(), "b", catalog.IntValue(1)))
			define(t, s, "lazy", "x * 2")
			snapshot(t, s, "monday")
			must(t, change(t.Context(), s))
			wantAsMonday(t, s)
			collect(t, s)
			wantAsMonday(t, s)
			again, err := tstore.Open(t.Context(), s.Dir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			wantAsMonday(t, again)
			must(t, again.Close())
			wantSound(t, s.Dir())

			restore(t, s, "monday")
			wantAsMonday(t, s)
			for sel, want := range map[string][]float64{"x": upTo(4), "v": {5, 6, 7}, "wide[-1]": {wide - 1}} {
				wantValues(t, s, sel, want...)
			}
			for diff, err := range s.DiffSnapshots(t.Context(), "monday", "") {
				t.Errorf("restored, and yet different: %+v, %v", diff, err)
			}
			wantSound(t, s.Dir())
			must(t, s.Append(t.Context(), "wide", source(t, 70, 2)))
			fill(t, s, "x[0]", 80)
			wantValues(t, s, "wide[-3:]", wide-1, 70, 71)
			wantAsMonday(t, s)

			if _, err := s.RemoveSnapshot(t.Context(), "monday"); err != nil {
				t.Fatal(err)
			}
			wantValues(t, s, "x", 80, 1, 2, 3)
			if n := collect(t, s); n > 0 {
				t.Errorf("%d files were left behind", n)
			}
			sum, err := s.Summary(t.Context())
			if n := storageFiles(t, s.Dir()); err != nil || n != sum.Storages {
				t.Errorf("%d files are left for %d storages, %v", n, sum.Storages, err)
			}
		})
	}
}

func evaluatesInPlace(text string) func(context.Context, *tstore.Store) error {
	return func(ctx context.Context, s *tstore.Store) error {
		r, err := s.Eval(ctx, text, &tstore.EvalOptions{InPlace: true})
		if err != nil {
			return err
		}
		return r.Close()
	}
}

func wantAsMonday(t *testing.T, s *tstore.Store) {
	t.Helper()
	wantValues(t, s, "x@monday", 0, 1, 2, 3)
	wantValues(t, s, "x@monday[1:3]", 1, 2)
	wantValues(t, s, "v@monday", 5, 6, 7)
	if got := values(t, s, "wide@monday"); !slices.Equal(got, upTo(wide)) {
		t.Errorf("wide@monday: %v …", got[:10])
	}
	wantComputed(t, s, "lazy@monday", 0, 2, 4, 6)
	wantComputed(t, s, "x@monday[[3, 0]]", 3, 0)
	b, err := s.Blob(t.Context(), "b@monday")
	if err != nil || b != catalog.IntValue(1) {
		t.Errorf("b@monday is %v, %v", b, err)
	}
	attrs, err := s.Attrs(t.Context(), "x@monday")
	if err != nil || len(attrs) > 0 {
		t.Errorf("attributes of x@monday: %v, %v", attrs, err)
	}
	var names []string
	for item, err := range s.List(t.Context(), &tstore.ListOptions{Snapshot: "monday"}) {
		if err != nil {
			t.Error(err)
		}
		names = append(names, item.Name)
	}
	if diff := cmp.Diff([]string{"b", "lazy", "v", "wide", "x"}, names); diff != "" {
		t.Errorf("names (-want +got): %s", diff)
	}
}

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
	must(t, tstore.EditStorage(ctx, s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Dirty, "nobody" }))
	if _, err = s.CreateSnapshot(ctx, "tuesday", ""); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("left dirty: %v", err)
	}
	restore(t, s, "monday")
	wantValues(t, s, "x[:2]", 0, 1)
}

// TestSnapshotFinishesPatches makes a snapshot of a store in which a small
// change was interrupted.
func TestSnapshotFinishesPatches(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	create(t, s, "x", source(t, 0, 3))
	var b [8]byte
	dtype.ScalarOf(9.0).Store(b[:])
	must(t, tstore.PutPatch(ctx, s, "x", catalog.Patch{Offset: 8, Bytes: b[:]}))
	must(t, tstore.EditStorage(ctx, s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "nobody" }))
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

func TestRestoreNames(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	create(t, s, "g/x", source(t, 0, wide))
	must(t, s.View(ctx, "g/v", "g/x[:3]"))
	must(t, s.View(ctx, "shared", "g/x[1:3]"))
	create(t, s, "other", source(t, 0, 2))
	create(t, s, "gone", source(t, 5, 2))
	snapshot(t, s, "monday")
	fill(t, s, "g/x[:2]", 9)
	fill(t, s, "other", 9)
	must(t, s.Delete(ctx, "gone"))
	create(t, s, "new", source(t, 0, 2))
	before, err := s.Stat(ctx, "g/x")
	if err != nil {
		t.Fatal(err)
	}

	// "shared" keeps what it has now, so the elements of the group are copied.
	if done := restore(t, s, "monday", "g"); done != (tstore.Restored{Changed: 2, Copied: 8 * wide}) {
		t.Errorf("restored %+v", done)
	}
	wantValues(t, s, "g/x[:3]", 0, 1, 2)
	wantValues(t, s, "g/v", 0, 1, 2)
	wantValues(t, s, "shared", 9, 2)
	wantValues(t, s, "other", 9, 9)
	wantValues(t, s, "new", 0, 1)
	fill(t, s, "g/v[0]", 4)
	wantValues(t, s, "g/x[:3]", 4, 1, 2)
	after, err := s.Stat(ctx, "g/x")
	if err != nil || after.Version() <= before.Version() {
		t.Errorf("version %d became %d, %v", before.Version(), after.Version(), err)
	}

	if done := restore(t, s, "monday", "gone", "gone"); done != (tstore.Restored{Changed: 1}) {
		t.Errorf("restored %+v", done)
	}
	wantValues(t, s, "gone", 5, 6)
	done := restore(t, s, "monday")
	if done.Deleted != 1 || done.Copied != 0 {
		t.Errorf("restored %+v", done)
	}
	wantValues(t, s, "shared", 1, 2)
	wantValues(t, s, "other", 0, 1)
	if done := restore(t, s, "monday"); done != (tstore.Restored{}) {
		t.Errorf("restored once more: %+v", done)
	}
	collect(t, s)
	wantValues(t, s, "g/x@monday[:3]", 0, 1, 2)
	if names := diffNames(t, s, "monday", ""); len(names) > 0 {
		t.Errorf("different: %v", names)
	}
}

// TestRestoreAnotherBranch goes back and forth between two snapshots, and writes
// in between: files with the same elements in them are never mixed up.
func TestRestoreAnotherBranch(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	create(t, s, "x", source(t, 0, wide))
	snapshot(t, s, "a")
	must(t, s.Append(ctx, "x", source(t, 100, 2)))
	snapshot(t, s, "b")
	fill(t, s, "x[0]", 7)
	snapshot(t, s, "c")
	want := func() {
		t.Helper()
		wantValues(t, s, "x@a[-1]", wide-1)
		wantValues(t, s, "x@b[-3:]", wide-1, 100, 101)
		wantValues(t, s, "x@b[0]", 0)
		wantValues(t, s, "x@c[0]", 7)
		wantValues(t, s, "x@c[-1]", 101)
	}
	for i, name := range []string{"a", "c", "b", "a", "b"} {
		restore(t, s, name)
		must(t, s.Append(ctx, "x", source(t, float64(1000+i), 1)))
		want()
		fill(t, s, "x[1]", float64(i))
		must(t, s.Append(ctx, "x", source(t, float64(2000+i), 1)))
		want()
		wantValues(t, s, "x[-2:]", float64(1000+i), float64(2000+i))
		if i == 2 {
			must(t, s.Delete(ctx, "x"))
			want()
		}
		collect(t, s)
		wantSound(t, s.Dir())
	}
	if diff := cmp.Diff([]string{"x shape elements"}, diffNames(t, s, "a", "b")); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"b", "a", "c"} {
		if _, err := s.RemoveSnapshot(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if n := storageFiles(t, s.Dir()); n != 1 {
		t.Errorf("%d files are left for one storage", n)
	}
}

func diffNames(t testing.TB, s *tstore.Store, a, b string) []string {
	t.Helper()
	var names []string
	for d, err := range s.DiffSnapshots(t.Context(), a, b) {
		if err != nil {
			t.Fatal(err)
		}
		text := d.Name
		switch {
		case d.A == nil:
			text = "+" + text
		case d.B == nil:
			text = "-" + text
		}
		names = append(names, strings.Join(append([]string{text}, d.What...), " "))
	}
	return names
}

func TestDiffSnapshots(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	must(t, s.Update(ctx, func(tx *tstore.Tx) error { // two tensors in one file
		return errors.Join(tx.Create("a", source(t, 0, 3)), tx.Create("a.b", source(t, 0, 3)))
	}))
	create(t, s, "g/x", source(t, 0, 3))
	create(t, s, "gone", source(t, 0, 3))
	must(t, s.PutBlob(ctx, "blob", catalog.IntValue(1)))
	define(t, s, "lazy", "a + 1")
	snapshot(t, s, "one")
	fill(t, s, "a[0]", 5)
	must(t, s.SetAttr(ctx, "g/x", "k", catalog.IntValue(1)))
	must(t, s.Delete(ctx, "gone"))
	must(t, s.PutBlob(ctx, "blob", catalog.IntValue(2)))
	must(t, s.Define(ctx, "lazy", "a + 2", &tstore.DefineOptions{Replace: true}))
	create(t, s, "new", source(t, 0, 3))
	snapshot(t, s, "two")
	want := []string{"a elements", "blob value", "g/x attributes", "-gone", "lazy formula", "+new"}
	for _, b := range []string{"two", ""} {
		if diff := cmp.Diff(want, diffNames(t, s, "one", b)); diff != "" {
			t.Errorf("one and %q (-want +got): %s", b, diff)
		}
	}
	if got := diffNames(t, s, "two", "two"); len(got) > 0 {
		t.Errorf("two and itself: %v", got)
	}
	for _, err := range s.DiffSnapshots(ctx, "one", "three") {
		if !errors.Is(err, tstore.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	}
}

// TestDamagedSnapshot looks for damage of snapshots, and of files that only they
// need, and removes nothing while a snapshot can't be read.
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

			report, err := tstore.Salvage(ctx, s.Dir())
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

// TestSnapshotForAnotherProcess keeps a tensor of a snapshot open, and a handle
// that has read it, while another process changes and removes everything.
func TestSnapshotForAnotherProcess(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	create(t, s, "x", source(t, 0, wide))
	snapshot(t, s, "monday")
	open, err := s.Get(ctx, "x@monday")
	must(t, err)
	defer open.Close()
	for _, step := range []string{"fill", "delete", "gc", "rm"} {
		wantValues(t, s, "x@monday[:2]", 0, 1)
		cmd := exec.Command(os.Args[0], s.Dir(), step)
		cmd.Env = append(os.Environ(), childEnv+"=unsnapshot")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", step, err, out)
		}
	}
	if got := elements(t, open.Tensor); !slices.Equal(got, upTo(wide)) {
		t.Errorf("open tensor: %v …", got[:5])
	}
	if _, err := s.Get(ctx, "x@monday"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("after rm: %v", err)
	}
	if files := snapshotFiles(t, s.Dir()); len(files) > 0 || storageFiles(t, s.Dir()) > 0 {
		t.Errorf("left behind: %v and %d storage files", files, storageFiles(t, s.Dir()))
	}
}

// unsnapshotChild does one step of TestSnapshotForAnotherProcess.
func unsnapshotChild(args []string) error {
	ctx := context.Background()
	s, err := tstore.Open(ctx, args[0], nil)
	if err != nil {
		return err
	}
	switch args[1] {
	case "fill":
		err = errors.Join(s.Fill(ctx, "x[0]", dtype.ScalarOf(9.0)), writeInPlace(ctx, s, "x", 8))
	case "delete":
		err = s.Delete(ctx, "x")
	case "gc":
		_, err = s.GC(ctx, nil)
	case "rm":
		_, err = s.RemoveSnapshot(ctx, "monday")
	}
	return errors.Join(err, s.Close())
}
