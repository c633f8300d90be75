package check_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
	"github.com/tstore/tstore/internal/storetest"
)

// salvagedCopy copies a store, loses the catalog of the copy, and salvages it.
func salvagedCopy(t *testing.T, s *tstore.Store, damage func(file string, b []byte) []byte) (*tstore.Store, *tstore.SalvageReport) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "salvaged")
	storetest.Must(t, os.CopyFS(dir, os.DirFS(s.Dir())))
	storetest.Must(t, os.Remove(filepath.Join(dir, "catalog.db")))
	files, err := filepath.Glob(filepath.Join(dir, "storages", "*", "*.npy"))
	storetest.Must(t, err)
	for _, file := range files {
		b, err := os.ReadFile(file)
		storetest.Must(t, err)
		if damage != nil {
			storetest.Must(t, os.WriteFile(file, damage(filepath.Base(file), b), 0o644))
		}
	}
	report, err := tstore.Salvage(t.Context(), dir, nil)
	storetest.Must(t, err)
	return storetest.OpenStore(t, dir), report
}

// TestSalvageAfterRestoresAgain loses the catalog after each restore and change: the elements are
// those of the file that was in use.
func TestSalvageAfterRestoresAgain(t *testing.T) {
	for _, a := range storetest.SomeAgains(1) {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			s := a.Start(t)
			for i, v := range []float64{3, 70, 3, 9} {
				storetest.Must(t, a.Change(t.Context(), s, v))
				wantSalvaged(t, s)
				storetest.Restore(t, s, "a", "x")
				wantSalvaged(t, s)
				if i == 0 {
					storetest.Must(t, a.Change(t.Context(), s, v+1))
					storetest.Snapshot(t, s, "b")
				}
			}
		})
	}
}

// wantSalvaged fails the test unless x is the same in a salvaged copy of a store, and changes and
// snapshots go on there.
func wantSalvaged(t *testing.T, s *tstore.Store) {
	t.Helper()
	found, report := salvagedCopy(t, s, nil)
	want := storetest.Values(t, s, "x")
	if got := storetest.Values(t, found, "x"); !slices.Equal(got, want) {
		t.Fatalf("salvaged %d elements that end in %v, want %d that end in %v: %+v", len(got), got[max(0, len(got)-4):], len(want), want[max(0, len(want)-4):], report)
	}
	storetest.Must(t, storetest.Appended(t.Context(), found, 5))
	snaps, err := found.Snapshots(t.Context())
	storetest.Must(t, err)
	for _, snap := range snaps {
		for _, name := range report.Snapshots {
			if snap.Name == name {
				storetest.WantValues(t, found, "x@"+name+"[:2]", storetest.Values(t, s, "x@"+orFirst(t, s, name)+"[:2]")...)
			}
		}
	}
	storetest.WantSound(t, found.Dir())
}

// orFirst is the name of a snapshot of the store, which salvage may have lost.
func orFirst(t *testing.T, s *tstore.Store, name string) string {
	t.Helper()
	snaps, err := s.Snapshots(t.Context())
	storetest.Must(t, err)
	for _, snap := range snaps {
		if snap.Name == name || strings.HasSuffix(name, snap.ID.String()[:8]) {
			return snap.Name
		}
	}
	t.Fatalf("no snapshot is %q", name)
	return ""
}

// withoutCounts makes headers those of programs that did not note counts of changes.
func withoutCounts(_ string, b []byte) []byte {
	for i := range 10 {
		old := []byte(`,"changes":` + string(rune('0'+i)))
		b = bytes.Replace(b, old, bytes.Repeat([]byte(" "), len(old)), 1)
	}
	return b
}

// TestSalvageTellsWhatItDoesNotKnow loses the catalog of stores whose files do not tell all.
func TestSalvageTellsWhatItDoesNotKnow(t *testing.T) {
	rewritten := func(s *tstore.Store) error {
		return errors.Join(s.Fill(t.Context(), "x[0]", dtype.ScalarOf(9.0)), storetest.Second(s.CreateSnapshot(t.Context(), "b", "")))
	}
	for name, test := range map[string]struct {
		change func(s *tstore.Store) error
		damage func(file string, b []byte) []byte
		want   []float64
		doubt  string
	}{
		"nothing":                    {nil, nil, []float64{1, 2}, ""},
		"two files, both counted":    {rewritten, nil, []float64{9, 2}, ""},
		"two files, restored":        {func(s *tstore.Store) error { return errors.Join(rewritten(s), storetest.RestoredX(t.Context(), s)) }, nil, []float64{1, 2}, ""},
		"two files of older program": {func(s *tstore.Store) error { return s.Fill(t.Context(), "x[0]", dtype.ScalarOf(9.0)) }, withoutCounts, []float64{9, 2}, "may have been in use instead"},
		"rows behind": {func(s *tstore.Store) error {
			return errors.Join(storetest.Appended(t.Context(), s, 3), s.Delete(t.Context(), "x"), storetest.RestoredX(t.Context(), s))
		}, nil, []float64{1, 2}, "16 bytes lie behind"},
		"no header": {nil, func(_ string, b []byte) []byte { clear(b[:4096]); return b }, []float64{1, 2}, "as a snapshot knew it"},
		"an older header": {func(s *tstore.Store) error {
			return errors.Join(storetest.Appended(t.Context(), s, 3), storetest.Second(s.CreateSnapshot(t.Context(), "b", "")))
		}, func(_ string, b []byte) []byte {
			return bytes.Replace(b, []byte("'shape': (4,)"), []byte("'shape': (2,)"), 1)
		}, []float64{1, 2, 3, 3}, "as a snapshot knew it"},
		"a later file is broken": {rewritten, func(file string, b []byte) []byte {
			if strings.HasSuffix(file, ".1.npy") {
				clear(b[:4096])
				return b[:4100]
			}
			return b
		}, []float64{1, 2}, "which can't be read, may have been in use instead"},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.Agains[0].Start(t)
			if test.change != nil {
				storetest.Must(t, test.change(s))
			}
			found, report := salvagedCopy(t, s, test.damage)
			storetest.WantValues(t, found, "x", test.want...)
			if test.doubt == "" && len(report.Doubts) > 0 {
				t.Errorf("doubts: %v", report.Doubts)
			}
			for _, text := range report.Doubts {
				if test.doubt == "" || !strings.Contains(text, test.doubt) {
					t.Errorf("doubt %q, want %q", text, test.doubt)
				}
			}
			if test.doubt != "" && len(report.Doubts) != 1 {
				t.Errorf("%d doubts", len(report.Doubts))
			}
		})
	}
}

// wantTrueHeaders fails the test unless the file of each tensor that has one for itself has a
// header that describes it, and no header promises more than its file has.
func wantTrueHeaders(t *testing.T, s *tstore.Store) {
	t.Helper()
	for item, err := range s.List(t.Context(), nil) {
		storetest.Must(t, err)
		info, err := s.Stat(t.Context(), item.Name)
		storetest.Must(t, err)
		st := info.Storage
		if st.Refs != 1 {
			continue
		}
		f, err := os.Open(filepath.Join(s.Dir(), filepath.FromSlash(st.File())))
		storetest.Must(t, err)
		h, err := npyheader.Read(f)
		storetest.Must(t, errors.Join(err, f.Close()))
		if !slices.Equal(int64s(h.Shape), item.Record.Shape) || h.DType != item.Record.DType || !strings.Contains(h.Comment, `"name":"`+item.Name+`"`) {
			t.Errorf("%s: %v of shape %v: header %+v", item.Name, item.Record.DType, item.Record.Shape, h)
		}
	}
	err := filepath.WalkDir(filepath.Join(s.Dir(), "storages"), func(path string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".npy" {
			return err
		}
		f, err := os.Open(path)
		storetest.Must(t, err)
		h, err := npyheader.Read(f)
		storetest.Must(t, errors.Join(err, f.Close()))
		if fi, err := os.Stat(path); err != nil || fi.Size() < int64(h.DataOffset)+h.PayloadBytes() {
			t.Errorf("%s: header %+v of a file of %d bytes, %v", path, h, fi.Size(), err)
		}
		return nil
	})
	storetest.Must(t, err)
}

func int64s(v []int) (out []int64) {
	for _, n := range v {
		out = append(out, int64(n))
	}
	return out
}

// TestHeadersAreTrue looks at all headers after each step of a history with snapshots, in the store
// and in what is restored from its backups.
func TestHeadersAreTrue(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Source(t, 1, 2))
	storetest.Create(t, s, "wide", storetest.Source(t, 0, storetest.Wide))
	folder := filepath.Join(t.TempDir(), "folder")
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"a", func() error { return storetest.Second(s.CreateSnapshot(ctx, "a", "")) }},
		{"append", func() error { return storetest.Appended(ctx, s, 3) }},
		{"restore fewer rows", func() error { return storetest.RestoredX(ctx, s) }},
		{"append to fewer", func() error { return storetest.Appended(ctx, s, 70) }},
		{"b", func() error { return storetest.Second(s.CreateSnapshot(ctx, "b", "")) }},
		{"delete and restore", func() error { return errors.Join(s.Delete(ctx, "x"), storetest.RestoredX(ctx, s)) }},
		{"append", func() error { return storetest.Appended(ctx, s, 5) }},
		{"rename", func() error {
			return errors.Join(s.Rename(ctx, "wide", "broad"), s.Fill(ctx, "broad", storetest.Scalar(t, 3)))
		}},
		{"all of b", func() error { return storetest.Second(s.RestoreSnapshot(ctx, "b")) }},
		{"all of a", func() error { return storetest.Second(s.RestoreSnapshot(ctx, "a")) }},
		{"narrow, column-major", func() error {
			src := storetest.Source(t, 0, 4, 3)
			src.Order = tstore.ColumnMajor
			return errors.Join(s.Create(ctx, "columns", src), s.Resize(ctx, "columns", 2, 3), s.Delete(ctx, "columns"))
		}},
		{"narrow", func() error { return s.Resize(ctx, "wide", 5) }},
		{"set in place", func() error { return storetest.WriteInPlace(ctx, s, "wide", 8) }},
	} {
		storetest.Must(t, step.do())
		wantTrueHeaders(t, s)
		storetest.Backup(t, s, folder, nil)
		wantTrueHeaders(t, storetest.OpenStore(t, storetest.RestoreTo(t, folder)))
		if t.Failed() {
			t.Fatalf("after %q", step.what)
		}
	}
}
