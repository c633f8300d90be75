package store_test

import (
	"errors"
	"io"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// following yields sources one after another, and then err.
func following(err error, all ...tstore.Source) func() (tstore.Source, error) {
	return func() (tstore.Source, error) {
		if len(all) == 0 {
			return tstore.Source{}, err
		}
		src := all[0]
		all = all[1:]
		return src, nil
	}
}

// TestAppendAll appends several sources at once to tensors that grow at the end of their files, and
// to some that are copied.
func TestAppendAll(t *testing.T) {
	for name, seal := range map[string]bool{"open": false, "sealed": true} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, 4, 2))
			fortran := storetest.Source(t, 0, 2, 2)
			fortran.Order = tstore.ColumnMajor
			storetest.Create(t, s, "f", fortran)
			if err := s.View(t.Context(), "v", "x[1:3]"); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"x", "f"} {
				if !seal {
					continue
				}
				if err := s.Seal(t.Context(), name, nil); err != nil {
					t.Fatal(err)
				}
			}
			want := map[string][]float64{"x": storetest.UpTo(8), "f": {0, 2, 1, 3}, "v": {2, 3, 4, 5}}
			for _, name := range []string{"v", "f", "x"} {
				turned := storetest.Source(t, 0, 2, 2)
				turned.Order = tstore.ColumnMajor
				zeros := tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{1, 2}}}
				next := following(io.EOF, storetest.Source(t, 100, 2), storetest.Source(t, 0, 0, 2), turned, zeros)
				if err := s.AppendAll(t.Context(), name, next); err != nil {
					t.Fatal(err)
				}
				storetest.WantValues(t, s, name, append(want[name], 100, 101, 0, 2, 1, 3, 0, 0)...)
				if sealed := storetest.Stat(t, s, name).Storage.Seal != nil; sealed != seal {
					t.Errorf("%s is sealed: %t, want %t", name, sealed, seal)
				}
			}
			if _, err := s.Verify(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAppendAllOrNothing ends appends in the middle.
func TestAppendAllOrNothing(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 4, 2))
	if err := s.View(t.Context(), "v", "x[1:3]"); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		last  func() tstore.Source
		after error
		want  error // nil: any
	}{
		"next":  {func() tstore.Source { return storetest.Source(t, 0, 2) }, broken, broken},
		"shape": {func() tstore.Source { return storetest.Source(t, 0, 3) }, io.EOF, nil},
		"dtype": {func() tstore.Source { return tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{1, 2}}} }, io.EOF, nil},
		"large": {func() tstore.Source {
			return tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{1 << 60, 2}}}
		}, io.EOF, nil},
		"short": {func() tstore.Source {
			return tstore.FromBytes(tstore.Spec{DType: dtype.Float64, Shape: []int{1, 2}}, make([]byte, 9))
		}, io.EOF, io.ErrUnexpectedEOF},
	} {
		for _, tensor := range []string{"x", "v"} {
			err := s.AppendAll(t.Context(), tensor, following(tc.after, storetest.Source(t, 100, 3, 2), tc.last()))
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("%s, %s: error %v, want %v", name, tensor, err, tc.want)
			}
		}
	}
	storetest.WantValues(t, s, "x", storetest.UpTo(8)...)
	storetest.WantValues(t, s, "v", 2, 3, 4, 5)

	if err := s.AppendAll(t.Context(), "x", following(io.EOF)); err != nil {
		t.Error(err)
	}
	if err := s.Append(t.Context(), "x", storetest.Source(t, 8, 2)); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x", storetest.UpTo(10)...)
}
