package tstore_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func scalar(t testing.TB, v float64) dtype.Scalar {
	t.Helper()
	return dtype.ScalarOf(v)
}

func TestFillSmallAndLarge(t *testing.T) {
	s := newStore(t)
	const rows, cols = 600, 512
	create(t, s, "x", source(t, 0, rows, cols))
	if err := s.View(t.Context(), "row", "x[7]"); err != nil {
		t.Fatal(err)
	}
	before, err := s.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()

	if err := s.Fill(t.Context(), "x[7, 3]", scalar(t, -1)); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "row[2:5]", 7*cols+2, -1, 7*cols+4)

	if err := s.Fill(t.Context(), "x[:, ::2]", scalar(t, -2)); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "row[2:5]", -2, -1, -2)
	wantValues(t, s, "x[-1, -2:]", -2, rows*cols-1)

	if got := elements(t, before.Tensor)[2]; got != 2 {
		t.Errorf("a tensor opened before a large change shows %v", got)
	}
	info, err := s.Stat(t.Context(), "row")
	if err != nil {
		t.Fatal(err)
	}
	if info.Version() != 3 {
		t.Errorf("two changes of the storage made the view's version %d, want 3", info.Version())
	}
	if n := storageFiles(t, s.Dir()); n != 1 {
		t.Errorf("%d files are left of two generations", n)
	}
}

func TestSetConvertsAndRepeats(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", tstore.Source{Spec: tstore.Spec{DType: dtype.Int16, Shape: []int{2, 3}}})
	row, err := view.FromSlice([]float64{1.9, math.Copysign(2, -1), 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), "x", row); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "x", 1, -2, 3, 1, -2, 3)
	if err := s.Set(t.Context(), "x[0, :2]", row); err == nil {
		t.Error("three values were accepted for two")
	}
	if err := s.Set(t.Context(), "x[5]", row); err == nil {
		t.Error("an index out of bounds was accepted")
	}
}

func TestWritable(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	create(t, s, "x", source(t, 0, 6))
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
	if err := s.Fill(waiting, "x", scalar(t, 1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("fill beside a writer: %v", err)
	}
	for i := range 3 {
		if err := w.Set(scalar(t, float64(10*i)), i); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Flush(), w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("flush after close: %v", err)
	}
	wantValues(t, s, "x", 0, 1, 10, 3, 20, 5)
}

func TestAdopt(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "raw.bin")
	writeFile(t, path, "head"+string([]byte{1, 0, 2, 0, 3, 0, 4, 0})+"tail")
	f := tstore.Foreign{Path: path, Offset: 4, Spec: tstore.Spec{DType: dtype.Int16, Shape: []int{2, 2}}}
	if err := s.Adopt(ctx, "a", f); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "a[::-1]", 3, 4, 1, 2)
	if err := s.Fill(ctx, "a", scalar(t, 0)); !errors.Is(err, tstore.ErrReadOnly) {
		t.Errorf("filling an adopted tensor: %v", err)
	}
	if err := s.Copy(ctx, "own", "a", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(ctx, "a", tstore.FromBytes(tstore.Spec{DType: dtype.Int16, Shape: []int{1, 2}}, []byte{5, 0, 6, 0})); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "a", 1, 2, 3, 4, 5, 6)
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
	if found := problems(t, s.Dir()); len(found) != 1 || found[0].Kind != tstore.ProblemChanged || !slices.Equal(found[0].Names, []string{"b"}) {
		t.Errorf("check found %+v", found)
	}
	if err := errors.Join(open.Close(), s.Delete(ctx, "b")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("deleting an adopted tensor touched the file: %v", err)
	}
	for _, bad := range []tstore.Foreign{
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
