package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

func TestAppend(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 2, 3))
	old, err := s.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	for _, src := range []tstore.Source{storetest.Source(t, 6, 1, 3), storetest.Source(t, 9, 3), storetest.Source(t, 12, 2, 3)} {
		if err := s.Append(t.Context(), "x", src); err != nil {
			t.Fatal(err)
		}
	}
	storetest.WantValues(t, s, "x", storetest.UpTo(18)...)
	if got := storetest.Elements(t, old.Tensor); !slices.Equal(got, storetest.UpTo(6)) {
		t.Errorf("the open tensor changed to %v", got)
	}
	if n := storetest.StorageFiles(t, s.Dir()); n != 1 {
		t.Errorf("appends made %d files", n)
	}
}

func TestAppendByCopy(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 4, 2))
	if err := s.View(t.Context(), "v", "x[1:3]"); err != nil {
		t.Fatal(err)
	}
	fortran := storetest.Source(t, 0, 2, 2)
	fortran.Order = tstore.ColumnMajor
	storetest.Create(t, s, "f", fortran)
	for _, name := range []string{"v", "f"} {
		if err := s.Append(t.Context(), name, storetest.Source(t, 100, 2)); err != nil {
			t.Fatal(err)
		}
	}
	storetest.WantValues(t, s, "v", 2, 3, 4, 5, 100, 101)
	storetest.WantValues(t, s, "f", 0, 2, 1, 3, 100, 101)
	storetest.WantValues(t, s, "x", storetest.UpTo(8)...)

	turned := storetest.Source(t, 0, 2, 2)
	turned.Order = tstore.ColumnMajor
	if err := s.Append(t.Context(), "x", turned); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x[4:]", 0, 2, 1, 3)
}

func TestAppendErrors(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 2, 3))
	storetest.Create(t, s, "scalar", storetest.Source(t, 0))
	tests := []struct {
		name string
		src  tstore.Source
	}{
		{"x", storetest.Source(t, 0, 1, 4)},
		{"x", storetest.Source(t, 0, 1, 1, 3)},
		{"x", storetest.Source(t, 0, 4)},
		{"x", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{1, 3}}}},
		{"x", tstore.FromBytes(tstore.Spec{DType: dtype.Float64, Shape: []int{1, 3}}, make([]byte, 23))},
		{"x", tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{1 << 60, 3}}}},
		{"scalar", storetest.Source(t, 0, 1)},
		{"nobody", storetest.Source(t, 0, 1)},
	}
	for i, tt := range tests {
		if err := s.Append(t.Context(), tt.name, tt.src); err == nil {
			t.Errorf("case %d: no error", i)
		}
	}
	storetest.WantValues(t, s, "x", storetest.UpTo(6)...)
	if err := s.Append(t.Context(), "x", storetest.Source(t, 6, 1, 3)); err != nil {
		t.Fatalf("append after failed ones: %v", err)
	}
	storetest.WantValues(t, s, "x", storetest.UpTo(9)...)
}

func TestAppendsDoNotGetLost(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 0, 1))
	const writers, each = 4, 8
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := s.Append(t.Context(), "x", storetest.Source(t, float64(100*w+i), 1, 1)); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	wg.Wait()
	got := storetest.Values(t, s, "x")
	slices.Sort(got)
	var want []float64
	for w := range writers {
		for i := range each {
			want = append(want, float64(100*w+i))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestResize(t *testing.T) {
	tests := []struct {
		from, to []int
		want     []float64
	}{
		{[]int{4}, []int{2}, []float64{0, 1}},
		{[]int{2}, []int{4}, []float64{0, 1, 0, 0}},
		{[]int{2, 2}, []int{3, 2}, []float64{0, 1, 2, 3, 0, 0}},
		{[]int{2, 2}, []int{2, 3}, []float64{0, 1, 0, 2, 3, 0}},
		{[]int{2, 3}, []int{3, 1}, []float64{0, 3, 0}},
		{[]int{2, 3}, []int{0, 3}, []float64{}},
		{[]int{0, 3}, []int{1, 3}, []float64{0, 0, 0}},
		{[]int{}, []int{}, []float64{0}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.from, tt.to), func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, tt.from...))
			if err := s.Resize(t.Context(), "x", tt.to...); err != nil {
				t.Fatal(err)
			}
			storetest.WantValues(t, s, "x", tt.want...)
			if err := s.Resize(t.Context(), "x", append(tt.to, 1)...); err == nil {
				t.Error("another rank was accepted")
			}
		})
	}
}

func TestShrunkElementsDoNotComeBack(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 1, 4))
	for _, n := range []int{2, 4} {
		if err := s.Resize(t.Context(), "x", n); err != nil {
			t.Fatal(err)
		}
	}
	storetest.WantValues(t, s, "x", 1, 2, 0, 0)
	if err := s.Resize(t.Context(), "x", -1); err == nil {
		t.Error("a negative size was accepted")
	}
	if err := s.Resize(t.Context(), "x", 1<<61); err == nil {
		t.Error("a size that overflows was accepted")
	}
	if err := s.Resize(t.Context(), "nobody", 1); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestChangeAfterFailedAppend copies a storage whose file is longer than what is committed.
func TestChangeAfterFailedAppend(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 1<<18))
	short := tstore.FromBytes(tstore.Spec{DType: dtype.Float64, Shape: []int{1000}}, make([]byte, 10))
	if err := s.Append(t.Context(), "x", short); err == nil {
		t.Fatal("a short source was taken")
	}
	if err := s.Fill(t.Context(), "x", storetest.Scalar(t, 7)); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x[::131072]", 7, 7)
}

// TestResizeBesideAppend appends rows at each moment of making a tensor longer: its length is the
// one asked for, or has the rows besides.
func TestResizeBesideAppend(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	other := storetest.Impatient(t, s.Dir(), time.Millisecond)
	appendRows := func() error { return other.Append(t.Context(), "x", storetest.Source(t, 2, 2)) }
	storetest.AtEachMoment(t, appendRows, func(ctx context.Context, appended func() bool) {
		storetest.Create(t, s, "x", storetest.Source(t, 1, 1))
		storetest.Must(t, s.Resize(ctx, "x", 4))
		want := [][]float64{{1, 2, 3, 0}, {1, 0, 0, 0, 2, 3}}
		if !appended() {
			want = [][]float64{{1, 0, 0, 0}}
		}
		if got := storetest.Values(t, s, "x"); !slices.ContainsFunc(want, func(w []float64) bool { return slices.Equal(w, got) }) {
			t.Errorf("x is %v, want one of %v", got, want)
		}
		storetest.Must(t, s.Delete(t.Context(), "x"))
	})
}

// TestResizeOfView makes one of two views of a file shorter, whose header describes neither then:
// it is as expected.
func TestResizeOfView(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 1, 2, 2))
	err := errors.Join(s.View(t.Context(), "rows", "x"), s.View(t.Context(), "column", "x[:, 0]"), s.Delete(t.Context(), "x"),
		s.Fill(t.Context(), "rows[1]", dtype.ScalarOf(9.0)), s.Resize(t.Context(), "rows", 0, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range storetest.Problems(t, s.Dir()) {
		t.Errorf("%s: %s", p.Kind, p.Detail)
	}
}

// TestFailedAppendGivesRoomBack appends rows from a source that fails: the file is as long as it
// was.
func TestFailedAppendGivesRoomBack(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 10))
	path, err := s.File(t.Context(), "x")
	storetest.Must(t, err)
	before, err := os.Stat(path)
	storetest.Must(t, err)

	broken := storetest.Source(t, 10, 100_000)
	broken.Data = io.LimitReader(broken.Data, 700_000)
	if err := s.Append(t.Context(), "x", broken); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("append: %v, want ErrUnexpectedEOF", err)
	}
	after, err := os.Stat(path)
	storetest.Must(t, err)
	if after.Size() != before.Size() {
		t.Errorf("the file has %d bytes, want %d as before", after.Size(), before.Size())
	}
	storetest.WantValues(t, s, "x", storetest.UpTo(10)...)
}

// TestResizeBesideSeal seals a tensor at each moment of a resize of it: one of the two is refused,
// or comes second.
func TestResizeBesideSeal(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string][]int{"shorter": {1, 2}, "longer": {4, 2}, "copied": {2, 3}} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			other := storetest.Impatient(t, s.Dir(), time.Millisecond)
			seal := func() error {
				info, err := other.Stat(t.Context(), "x")
				if err != nil || !slices.Equal(info.Layout.Shape(), []int{3, 2}) {
					return nil // too late
				}
				return other.Seal(t.Context(), "x", nil)
			}
			storetest.AtEachMoment(t, seal, func(ctx context.Context, _ func() bool) {
				storetest.Create(t, s, "x", storetest.Source(t, 1, 3, 2))
				err := s.Resize(ctx, "x", shape...)
				info, failed := s.Stat(t.Context(), "x")
				storetest.Must(t, failed)
				if sealed := info.Storage.Seal != nil; sealed && (err == nil || !errors.Is(err, tstore.ErrSealed)) {
					t.Errorf("it is sealed, and was resized to %v: %v", info.Layout.Shape(), err)
				}
				storetest.Must(t, s.Delete(t.Context(), "x"))
			})
		})
	}
}

// TestResizeBesideReplace replaces a tensor when a resize opens its file: what is resized is what
// the name has then.
func TestResizeBesideReplace(t *testing.T) {
	for name, test := range map[string]struct {
		replaced []int
		want     []float64
	}{
		"by another rank":          {[]int{4}, nil},
		"by one that needs a copy": {[]int{1, 2}, []float64{7, 8, 0, 0, 0, 0}},
		"by one that needs none":   {[]int{1, 3}, []float64{7, 8, 9, 0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 1, 3, 2))
			other := beside(t, s, fsx.OpOpen, func() error { return s.Replace(t.Context(), "x", storetest.Source(t, 7, test.replaced...)) })
			err := other.Resize(t.Context(), "x", 2, 3)
			if test.want == nil {
				if err == nil || !strings.Contains(err.Error(), "expected 1 axes as in (4,), found (2, 3)") {
					t.Errorf("resized: %v", err)
				}
				return
			}
			storetest.Must(t, err)
			storetest.WantValues(t, s, "x", test.want...)
		})
	}
}
