package store_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// streamOf hides that a source can be read at any place.
func streamOf(src tstore.Source) tstore.Source {
	src.Data = struct{ io.Reader }{src.Data}
	return src
}

// TestConcatenate joins sources along each axis.
func TestConcatenate(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	bytesOf := func(shape []int, elems ...byte) tstore.Source {
		return tstore.FromBytes(tstore.Spec{DType: dtype.Uint8, Shape: shape}, elems)
	}
	columns := bytesOf([]int{2, 2}, 7, 9, 8, 10)
	columns.Order = tstore.ColumnMajor

	for name, tt := range map[string]struct {
		axis    int
		sources []tstore.Source
		shape   []int
		want    []byte
	}{
		"rows":            {0, []tstore.Source{bytesOf([]int{1, 2}, 1, 2), bytesOf([]int{2, 2}, 3, 4, 5, 6)}, []int{3, 2}, []byte{1, 2, 3, 4, 5, 6}},
		"streams":         {0, []tstore.Source{streamOf(bytesOf([]int{1, 2}, 1, 2)), streamOf(bytesOf([]int{1, 2}, 3, 4))}, []int{2, 2}, []byte{1, 2, 3, 4}},
		"columns of rows": {1, []tstore.Source{bytesOf([]int{2, 1}, 1, 2), bytesOf([]int{2, 2}, 3, 4, 5, 6)}, []int{2, 3}, []byte{1, 3, 4, 2, 5, 6}},
		"the last axis":   {-1, []tstore.Source{bytesOf([]int{2, 1}, 1, 2), bytesOf([]int{2, 1}, 3, 4)}, []int{2, 2}, []byte{1, 3, 2, 4}},
		"column-major":    {0, []tstore.Source{bytesOf([]int{1, 2}, 1, 2), columns}, []int{3, 2}, []byte{1, 2, 7, 8, 9, 10}},
		"nothing in one":  {1, []tstore.Source{bytesOf([]int{2, 0}), bytesOf([]int{2, 1}, 1, 2)}, []int{2, 1}, []byte{1, 2}},
		"nothing at all":  {1, []tstore.Source{bytesOf([]int{0, 2}), bytesOf([]int{0, 1})}, []int{0, 3}, nil},
		"zeros":           {0, []tstore.Source{{Spec: tstore.Spec{DType: dtype.Uint8, Shape: []int{2}}}, bytesOf([]int{1}, 5)}, []int{3}, []byte{0, 0, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := tstore.Concatenate(tt.axis, tt.sources...)
			storetest.Must(t, err)
			storetest.Must(t, s.Import(ctx, "x", src, &tstore.ImportOptions{Overwrite: true}))
			x, err := s.Get(ctx, "x")
			storetest.Must(t, err)
			defer x.Close()
			got, err := io.ReadAll(x.Reader())
			storetest.Must(t, err)
			if diff := cmp.Diff(tt.shape, x.Shape()); diff != "" || !bytes.Equal(got, tt.want) {
				t.Errorf("got %v, want %v; shape\n%s", got, tt.want, diff)
			}
		})
	}

	short, long := bytesOf([]int{2}, 1), bytesOf([]int{1}, 1, 2)
	for name, tt := range map[string]struct {
		axis    int
		sources []tstore.Source
		index   int
	}{
		"another shape":    {0, []tstore.Source{bytesOf([]int{1, 2}, 1, 2), bytesOf([]int{1, 3}, 1, 2, 3)}, 1},
		"another rank":     {0, []tstore.Source{bytesOf([]int{1, 2}, 1, 2), bytesOf([]int{2}, 1, 2)}, 1},
		"another dtype":    {0, []tstore.Source{bytesOf([]int{2}, 1, 2), tstore.FromBytes(tstore.Spec{DType: dtype.Int8, Shape: []int{1}}, []byte{1})}, 1},
		"a stream":         {1, []tstore.Source{streamOf(bytesOf([]int{2, 1}, 1, 2))}, 0},
		"columns":          {1, []tstore.Source{columns}, 0},
		"too few elements": {0, []tstore.Source{long, short, bytesOf([]int{1}, 1)}, 0},
		"and too few":      {0, []tstore.Source{bytesOf([]int{1}, 1), short, bytesOf([]int{1}, 1)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := tstore.Concatenate(tt.axis, tt.sources...)
			if err == nil {
				err = s.Create(ctx, "y", src)
			}
			unfit, ok := errors.AsType[*tstore.SourceError](err)
			if !ok || unfit.Index != tt.index {
				t.Errorf("got %v, want the error of source %d", err, tt.index)
			}
		})
	}
}

// TestImportRowsIsAtomic fails when rows have come already: nothing is there, and gc finds nothing.
func TestImportRowsIsAtomic(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	failed := errors.New("failed")
	rows := func(n int, end error) func() (tstore.Source, error) {
		return func() (tstore.Source, error) {
			if n--; n < 0 {
				return tstore.Source{}, end
			}
			return storetest.Source(t, float64(n), 2), nil
		}
	}
	sp := storetest.Source(t, 0, 2).Spec
	if err := s.ImportRows(ctx, "x", sp, rows(3, failed), nil); !errors.Is(err, failed) {
		t.Errorf("got %v, want the error of next", err)
	}
	if _, err := s.Lookup(ctx, "x"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	storetest.WantSound(t, s.Dir())

	storetest.Must(t, s.ImportRows(ctx, "x", sp, rows(2, io.EOF), nil))
	storetest.WantValues(t, s, "x", 1, 2, 0, 1)
	if err := s.ImportRows(ctx, "x", sp, rows(2, io.EOF), nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
	storetest.Must(t, s.ImportRows(ctx, "x", sp, rows(0, io.EOF), &tstore.ImportOptions{Overwrite: true}))
	storetest.WantValues(t, s, "x")
	info, err := s.Stat(ctx, "x")
	storetest.Must(t, err)
	if info.Storage.Seal == nil {
		t.Error("what is imported is not sealed")
	}
}
