package store_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// TestInvisibleNames refuses them in every way to a new name, and brings one of an older store back
// from its snapshot.
func TestInvisibleNames(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	bad := "x\u202e"
	for what, err := range map[string]error{
		"create":   s.Create(ctx, bad, storetest.Source(t, 0, 3)),
		"blob":     s.PutBlob(ctx, bad, catalog.IntValue(1)),
		"view":     s.View(ctx, bad, "x[1:]"),
		"copy":     s.Copy(ctx, bad, "x", nil),
		"rename":   s.Rename(ctx, "x", bad),
		"define":   s.Define(ctx, bad, "x + 1", nil),
		"eval":     storetest.Second(s.Eval(ctx, "`"+bad+"` = x + 1", nil)),
		"snapshot": storetest.Second(s.CreateSnapshot(ctx, bad, "")),
	} {
		if !errors.Is(err, catalog.ErrBadName) {
			t.Errorf("%s: %v, expected ErrBadName", what, err)
		}
	}
	storetest.Must(t, storetest.EditRecordName(ctx, s, "x", bad))
	storetest.Must(t, storetest.Second(s.CreateSnapshot(ctx, "old", "")))
	storetest.WantValues(t, s, bad, 0, 1, 2)
	storetest.Must(t, s.Rename(ctx, bad, "seen"))
	storetest.Must(t, storetest.Second(s.RestoreSnapshot(ctx, "old")))
	storetest.WantValues(t, s, bad, 0, 1, 2)
	storetest.Must(t, s.Delete(ctx, bad))
}

// TestInvisibleLabels refuses them in every way to a new axis or attribute, and keeps those of an
// older store through all that is made of its tensor.
func TestInvisibleLabels(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	for _, bad := range []string{"t\u200b", "t\u202e", "a\nb"} {
		axis, attr := storetest.Source(t, 0, 3), storetest.Source(t, 0, 3)
		axis.Dims, attr.Attrs = []string{bad}, map[string]catalog.Value{bad: catalog.IntValue(1)}
		filled := func(*view.Tensor) error { return nil }
		for what, err := range map[string]error{
			"create":             s.Create(ctx, "y", axis),
			"create, attribute":  s.Create(ctx, "y", attr),
			"create, filled":     s.CreateFilled(ctx, "y", axis.Spec, filled),
			"replace":            s.Replace(ctx, "x", axis),
			"import":             s.Import(ctx, "y", attr, nil),
			"import, job":        s.Import(ctx, "y", axis, &tstore.ImportOptions{Journal: storetest.MustResume}),
			"adopt":              s.Adopt(ctx, "y", tstore.Foreign{Spec: axis.Spec, Path: "nothing"}),
			"define":             s.Define(ctx, "y", "x + 1", &tstore.DefineOptions{Dims: axis.Dims}),
			"define, attribute":  s.Define(ctx, "y", "x + 1", &tstore.DefineOptions{Attrs: attr.Attrs}),
			"attribute":          s.SetAttr(ctx, "x", bad, catalog.IntValue(1)),
			"in a transaction":   s.Update(ctx, func(tx *tstore.Tx) error { return tx.ReplaceFilled("x", axis.Spec, filled) }),
			"attribute of blobs": s.Update(ctx, func(tx *tstore.Tx) error { return tx.SetAttr("x", bad, catalog.IntValue(1)) }),
		} {
			if !errors.Is(err, catalog.ErrBadName) {
				t.Errorf("%s: %v, expected ErrBadName", what, err)
			}
		}
	}

	label := "t\u200b"
	storetest.Must(t, storetest.EditRecord(ctx, s, "x", func(r *catalog.Record) {
		r.Dims, r.Attrs = []string{label}, map[string]catalog.Value{label: catalog.IntValue(1)}
	}))
	storetest.Must(t, errors.Join(
		s.SetAttr(ctx, "x", label, catalog.IntValue(2)), s.Append(ctx, "x", storetest.Source(t, 3, 1)), s.Replace(ctx, "x", storetest.Source(t, 0, 2)),
		s.View(ctx, "part", "x[1:]"), s.Copy(ctx, "copied", "x", nil), storetest.Second(s.Eval(ctx, "sum = x + 1", nil)), s.Rename(ctx, "x", "z")))
	for _, name := range []string{"part", "copied", "sum", "z"} {
		info, err := s.Stat(ctx, name)
		storetest.Must(t, err)
		if diff := cmp.Diff([]string{label}, info.Dims()); diff != "" {
			t.Errorf("the axes of %s: %s", name, diff)
		}
	}
	storetest.Must(t, s.DeleteAttr(ctx, "z", label))
}

// TestOldNamesOfBackup brings names of an older store, which are not given any more, back from its
// backup.
func TestOldNamesOfBackup(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	storetest.Must(t, s.PutBlob(ctx, "b", catalog.IntValue(1)))
	storetest.Must(t, s.SetAttr(ctx, "b", "unit", catalog.StringValue("m")))
	storetest.Must(t, s.Define(ctx, "l", "x + 1", nil))
	label, names := "t\u200b", map[string]string{"x": "x\u202e", "b": "b\u202e", "l": "l\u202e"}
	storetest.Must(t, storetest.EditRecord(ctx, s, "x", func(r *catalog.Record) { r.Dims = []string{label} }))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 3))
	for _, plain := range []string{"b", "l", "x"} {
		storetest.Must(t, storetest.EditRecordName(ctx, s, plain, names[plain]))
	}
	storetest.Must(t, s.Rename(ctx, "y", "x")) // for the formula
	dir := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dir, nil)
	for _, bad := range names {
		storetest.Must(t, s.Delete(ctx, bad))
		storetest.Must(t, storetest.Second(s.RestoreNames(ctx, []string{dir}, []string{bad}, nil)))
	}
	storetest.WantValues(t, s, names["x"], 0, 1, 2)
	if e, err := s.Lookup(ctx, names["l"]); err != nil || e.Record.Formula.Text != "x + 1" {
		t.Errorf("the lazy name: %v", err)
	}
	info, err := s.Stat(ctx, names["x"])
	storetest.Must(t, err)
	if diff := cmp.Diff([]string{label}, info.Dims()); diff != "" {
		t.Error(diff)
	}
	e, err := s.Lookup(ctx, names["b"])
	storetest.Must(t, err)
	if unit, err := e.Record.Attrs["unit"].Text(); err != nil || unit != "m" || e.Record.Blob != catalog.IntValue(1) {
		t.Errorf("the blob is %v, of unit %q, %v", e.Record.Blob, unit, err)
	}
}
