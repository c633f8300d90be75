package store_test

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func TestFillSmallAndLarge(t *testing.T) {
	s := storetest.NewStore(t)
	const rows, cols = 600, 512
	storetest.Create(t, s, "x", storetest.Source(t, 0, rows, cols))
	if err := s.View(t.Context(), "row", "x[7]"); err != nil {
		t.Fatal(err)
	}
	before, err := s.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()

	if err := s.Fill(t.Context(), "x[7, 3]", storetest.Scalar(t, -1)); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "row[2:5]", 7*cols+2, -1, 7*cols+4)

	if err := s.Fill(t.Context(), "x[:, ::2]", storetest.Scalar(t, -2)); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "row[2:5]", -2, -1, -2)
	storetest.WantValues(t, s, "x[-1, -2:]", -2, rows*cols-1)

	if got := storetest.Elements(t, before.Tensor)[2]; got != 2 {
		t.Errorf("a tensor opened before a large change shows %v", got)
	}
	info, err := s.Stat(t.Context(), "row")
	if err != nil {
		t.Fatal(err)
	}
	if info.Version() != 3 {
		t.Errorf("two changes of the storage made the view's version %d, want 3", info.Version())
	}
	if n := storetest.StorageFiles(t, s.Dir()); n != 1 {
		t.Errorf("%d files are left of two generations", n)
	}
}

func TestSetConvertsAndRepeats(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", tstore.Source{Spec: tstore.Spec{DType: dtype.Int16, Shape: []int{2, 3}}})
	row, err := view.FromSlice([]float64{1.9, math.Copysign(2, -1), 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), "x", row); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x", 1, -2, 3, 1, -2, 3)
	if err := s.Set(t.Context(), "x[0, :2]", row); err == nil {
		t.Error("three values were accepted for two")
	}
	if err := s.Set(t.Context(), "x[5]", row); err == nil {
		t.Error("an index out of bounds was accepted")
	}
}

func TestWritable(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 6))
	w, err := s.OpenWritable(ctx, "x[::2]")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.OpenWritable(ctx, "x"); !errors.Is(err, tstore.ErrBusy) {
		t.Errorf("second writer: %v", err)
	}
	if _, err := s.Get(ctx, "x"); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("reading a storage that is being written: %v", err)
	}
	waiting, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if err := s.Fill(waiting, "x", storetest.Scalar(t, 1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("fill beside a writer: %v", err)
	}
	for i := range 3 {
		if err := w.Set(storetest.Scalar(t, float64(10*i)), i); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Flush(), w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("flush after close: %v", err)
	}
	storetest.WantValues(t, s, "x", 0, 1, 10, 3, 20, 5)
}

func TestAdopt(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "raw.bin")
	storetest.WriteFile(t, path, "head"+string([]byte{1, 0, 2, 0, 3, 0, 4, 0})+"tail")
	f := tstore.Foreign{Path: path, Offset: 4, Spec: tstore.Spec{DType: dtype.Int16, Shape: []int{2, 2}}}
	if err := s.Adopt(ctx, "a", f); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "a[::-1]", 3, 4, 1, 2)
	if err := s.Fill(ctx, "a", storetest.Scalar(t, 0)); !errors.Is(err, tstore.ErrReadOnly) {
		t.Errorf("filling an adopted tensor: %v", err)
	}
	if err := s.Copy(ctx, "own", "a", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(ctx, "a", tstore.FromBytes(tstore.Spec{DType: dtype.Int16, Shape: []int{1, 2}}, []byte{5, 0, 6, 0})); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "a", 1, 2, 3, 4, 5, 6)
	if err := s.Adopt(ctx, "b", f); err != nil {
		t.Fatal(err)
	}
	open, err := s.Get(ctx, "b")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 6); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, "b"); !errors.Is(err, tstore.ErrChanged) {
		t.Errorf("a truncated file: %v", err)
	}
	if err := open.Unchanged(); !errors.Is(err, tstore.ErrChanged) {
		t.Errorf("an open tensor of a truncated file: %v", err)
	}
	if found := storetest.Problems(t, s.Dir()); len(found) != 1 || found[0].Kind != tstore.ProblemChanged || !slices.Equal(found[0].Names, []string{"b"}) {
		t.Errorf("check found %+v", found)
	}
	if err := errors.Join(open.Close(), s.Delete(ctx, "b")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("deleting an adopted tensor touched the file: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(s.Dir(), "STORE"), link); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []tstore.Foreign{
		{Path: link, Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{1}}},
		{Path: path, Offset: 0, Spec: tstore.Spec{DType: dtype.Int16, Shape: []int{4}}},
		{Path: path, Offset: -1, Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{1}}},
		{Path: filepath.Dir(path), Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{1}}},
		{Path: filepath.Join(s.Dir(), "STORE"), Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{1}}},
		{Path: path + ".no", Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{1}}},
	} {
		if err := s.Adopt(ctx, "bad", bad); err == nil {
			t.Errorf("adopted %+v", bad)
		}
	}
}

// touchedSource is a Source over an adopted tensor's bytes that changes the file's time when the
// first of them are read.
type touchedSource struct{ touch func() error }

func (r touchedSource) Read(p []byte) (int, error) {
	clear(p)
	return len(p), r.touch()
}

// TestAdoptedChangesMeanwhile: what was read of a file that changed is not committed.
func TestAdoptedChangesMeanwhile(t *testing.T) {
	s := storetest.NewStore(t)
	path := filepath.Join(t.TempDir(), "raw.bin")
	storetest.WriteFile(t, path, "12345678")
	storetest.Must(t, s.Adopt(t.Context(), "a", tstore.Foreign{Path: path, Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{8}}}))
	touch := func() error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) }
	more := tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{4}}, Data: io.LimitReader(touchedSource{touch}, 4)}
	if err := s.Append(t.Context(), "a", more); !errors.Is(err, tstore.ErrChanged) {
		t.Errorf("append to an adopted file that changes: %v", err)
	}
	storetest.Must(t, s.Delete(t.Context(), "a"))
}

// TestCopyOfChangedFileIsNotCommitted changes an adopted file while it is copied.
func TestCopyOfChangedFileIsNotCommitted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	path := filepath.Join(t.TempDir(), "raw.bin")
	storetest.WriteFile(t, path, "12345678")
	fsys := fsx.NewFaulty(fsx.OS)
	made, err := tstore.Init(t.Context(), dir, nil)
	storetest.Must(t, err)
	defer made.Close()
	storetest.Must(t, made.Adopt(t.Context(), "a", tstore.Foreign{Path: path, Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{8}}}))
	s, err := storetest.OpenOn(t.Context(), dir, fsys, nil)
	storetest.Must(t, err)
	defer s.Close()
	fsys.FailIf(func(o fsx.Op) error {
		if strings.HasPrefix(o.Path, filepath.Join(dir, "tmp")) {
			return os.Chtimes(path, time.Time{}, time.Unix(1, 0))
		}
		return nil
	})
	if err := s.Copy(t.Context(), "copy", "a", nil); !errors.Is(err, tstore.ErrChanged) {
		t.Errorf("copy of a file that changes: %v", err)
	}
	if _, err := made.Stat(t.Context(), "copy"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("the copy that failed: %v", err)
	}
}

// TestBadRecordSpoilsNoOther fills through a record that reaches beyond its storage.
func TestBadRecordSpoilsNoOther(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 20_000))
	storetest.Must(t, s.View(t.Context(), "y", "x[:10]"))
	storetest.Must(t, storetest.EditRecord(t.Context(), s, "y", func(r *catalog.Record) { r.Offset = 19_995 }))
	f, err := os.OpenFile(storetest.OnlyStorage(t, s.Dir()), os.O_WRONLY|os.O_APPEND, 0)
	storetest.Must(t, err)
	_, err = f.Write(make([]byte, 4096))
	storetest.Must(t, errors.Join(err, f.Close()))
	if err := s.Fill(t.Context(), "y", storetest.Scalar(t, 1)); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("fill beyond the storage: %v", err)
	}
	storetest.WantValues(t, s, "x[:2]", 0, 1)
	storetest.Must(t, s.Delete(t.Context(), "y"))
}

// TestReplacedFilesAreLetGo: the mappings that a store keeps ready do not hold the disk space of
// what was replaced or deleted.
func TestReplacedFilesAreLetGo(t *testing.T) {
	s := storetest.NewStore(t)
	mapped := func() int64 {
		var n int64
		for _, st := range mmapstore.Stats() {
			if st.Kind == mmapstore.KindMapped {
				n += st.Bytes
			}
		}
		return n
	}
	before := mapped()
	const n = 1 << 18
	storetest.Create(t, s, "x", storetest.Source(t, 0, n))
	for i := range 5 {
		storetest.Must(t, s.Fill(t.Context(), "x", storetest.Scalar(t, float64(i))))
		storetest.Must(t, s.Append(t.Context(), "x", storetest.Source(t, 0, 10)))
		storetest.Values(t, s, "x[:1]")
	}
	if got := mapped() - before; got > 8*(n+50) {
		t.Errorf("%d bytes are mapped, want at most those of one tensor of %d", got, 8*(n+50))
	}
	storetest.Must(t, s.Delete(t.Context(), "x"))
	if got := mapped() - before; got != 0 {
		t.Errorf("%d bytes of a deleted tensor are mapped", got)
	}
}

// TestChangeOfNothing changes parts that have no elements, some of which would begin behind the end
// of their file.
func TestChangeOfNothing(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "none", storetest.Source(t, 0, 0, 3))
	storetest.Create(t, s, "x", storetest.Source(t, 0, 4))
	for _, text := range []string{"none[:, 1:] = 42", "none += 1", "x[4:] = 7", "x[2:2] += 1", "none[:, 2] = 5; x[4:] = 3; x[1] += 10"} {
		for _, run := range []func(string) func(context.Context, *tstore.Store) error{storetest.Evaluates, storetest.EvaluatesInPlace} {
			if err := run(text)(t.Context(), s); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	for _, sel := range []string{"none[:, 1:]", "x[4:]"} {
		w, err := s.OpenWritable(t.Context(), sel)
		storetest.Must(t, err)
		storetest.Must(t, w.Flush())
		storetest.Must(t, w.Close())
		storetest.Must(t, s.Fill(t.Context(), sel, storetest.Scalar(t, 1)))
	}
	storetest.WantValues(t, s, "x", 0, 21, 2, 3)
}

// TestChangeNothingReversed sets parts of an empty tensor whose views run backwards.
func TestChangeNothingReversed(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 0, 3))
	storetest.Must(t, s.View(t.Context(), "turned", "x.T"))
	for _, sel := range []string{"x[::-1]", "x[:, ::-1]", "turned[::-1]", "turned[:, ::-1]", "turned[::-1][1:]"} {
		storetest.Must(t, s.Fill(t.Context(), sel, dtype.ScalarOf(1.0)))
		storetest.Eval(t, s, sel+" += 1", nil)
		storetest.Eval(t, s, sel+" += 1; y = x", nil)
		storetest.Eval(t, s, sel+" += 1", &tstore.EvalOptions{InPlace: true})
	}
}
