package compute_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// tensor lays a layout over bytes.
func tensor(t testing.TB, b []byte, dt dtype.Type, l tensortest.Layout) *view.Tensor {
	t.Helper()
	layout, err := view.MakeLayout(l.Shape, l.Strides, l.Offset)
	if err != nil {
		t.Fatal(err)
	}
	st := mmapstore.FromBytes(b)
	x, err := view.NewTensor(st, dt, layout)
	if err := errors.Join(err, st.Release()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// arrangements lays the same packed elements out in several ways.
func arrangements(t *testing.T, packed []byte, dt dtype.Type) map[string]*view.Tensor {
	t.Helper()
	n, size := len(packed)/dt.Size(), dt.Size()
	all := map[string]*view.Tensor{}
	put := func(name string, l tensortest.Layout) {
		b := tensortest.Buffer(l.Span*size, l.Skew)
		for i, pos := range l.Positions() {
			copy(b[pos*size:], packed[i*size:(i+1)*size])
		}
		all[name] = tensor(t, b, dt, l)
	}
	put("contiguous", tensortest.Layout{Shape: []int{n}, Strides: []int{1}, Span: n})
	put("unaligned", tensortest.Layout{Shape: []int{n}, Strides: []int{1}, Span: n, Skew: 1})
	put("step", tensortest.Layout{Shape: []int{n}, Strides: []int{2}, Span: 2 * n, Offset: 1})
	put("reversed", tensortest.Layout{Shape: []int{n}, Strides: []int{-1}, Span: n, Offset: n - 1})
	for _, rows := range []int{3, 5, 7} {
		if n%rows == 0 {
			put(fmt.Sprint("Fortran order of rows ", rows), tensortest.Layout{Shape: []int{rows, n / rows}, Strides: []int{1, rows}, Span: n})
		}
	}
	return all
}

// random is n random elements, with special values strewn in.
func random(t testing.TB, dt dtype.Type, seed uint64, n int, special ...float64) []byte {
	t.Helper()
	g, err := compute.Random(dt, seed)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(g.Take(n))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range special {
		at := (i*7919 + 13) % n
		dtype.ScalarOf(v).Convert(dt).Store(b[at*dt.Size():])
	}
	return b
}
