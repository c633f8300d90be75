package view

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"

	"github.com/tstore/tstore/dtype"
)

// AllClose reports whether a and b, broadcast to one shape, are the same within a tolerance: |a-b|
// ≤ atol + rtol·|b| for every pair of elements. Equal infinities are close; NaNs are if equalNaN is
// set. It stops at the first pair that is not.
//
// It computes in float64, or complex128 where an operand is complex. NumPy computes float32 in
// float32, which may differ where a difference is just the tolerance.
func AllClose(ctx context.Context, a, b *Tensor, rtol, atol float64, equalNaN bool) (bool, error) {
	aLayout, bLayout, err := broadcastPair(a.layout, b.layout)
	if err != nil {
		return false, fmt.Errorf("compare tensors: %w", err)
	}

	c := closeness{rtol: rtol, atol: atol, equalNaN: equalNaN}
	left, right := newNumberReader(a, aLayout), newNumberReader(b, bLayout)
	ok := true

	if a.dt.Kind() == dtype.KindComplex || b.dt.Kind() == dtype.KindComplex {
		ok, err = allPairs(ctx, &left, &right, dtype.Complex128, c.complex)
	} else {
		ok, err = allPairs(ctx, &left, &right, dtype.Float64, c.float)
	}

	if err != nil {
		return false, fmt.Errorf("compare tensors: %w", err)
	}

	return ok, nil
}

// broadcastPair returns both layouts in the shape that they have together.
func broadcastPair(a, b Layout) (Layout, Layout, error) {
	shape, err := broadcastArrays([][]int{a.Shape(), b.Shape()})
	if err != nil {
		return Layout{}, Layout{}, &ShapeError{Op: "broadcast", Want: a.Shape(), Got: b.Shape()}
	}
	whole, err := NewLayout(shape...)
	if err != nil {
		return Layout{}, Layout{}, err
	}
	if a, err = broadcast("broadcast", a, whole); err != nil {
		return Layout{}, Layout{}, err
	}
	b, err = broadcast("broadcast", b, whole)
	return a, b, err
}

// closeness is the tolerance of a comparison.
type closeness struct {
	rtol, atol float64
	equalNaN   bool
}

func (c *closeness) float(a, b float64) bool {
	switch {
	case a == b:
		return true
	case math.IsNaN(a) || math.IsNaN(b):
		return c.equalNaN && math.IsNaN(a) && math.IsNaN(b)
	}
	return !math.IsInf(b, 0) && math.Abs(a-b) <= c.atol+c.rtol*math.Abs(b)
}

func (c *closeness) complex(a, b complex128) bool {
	switch {
	case a == b:
		return true
	case isNaN(a) || isNaN(b):
		return c.equalNaN && isNaN(a) && isNaN(b)
	}
	return !cmplx.IsInf(b) && cmplx.Abs(a-b) <= c.atol+c.rtol*cmplx.Abs(b)
}

// isNaN reports whether either part is NaN.
func isNaN(v complex128) bool { return math.IsNaN(real(v)) || math.IsNaN(imag(v)) }

// A numberReader reads the elements of a tensor as another type.
type numberReader struct {
	t   *Tensor
	seq sequence
	buf []byte
}

func newNumberReader(t *Tensor, l Layout) numberReader {
	seq := newSequence(l, t.dt.Size())
	return numberReader{t, seq, seq.buffer(convertElems)}
}

// read converts elements from number first on into out.
func (r *numberReader) read(out []byte, as dtype.Type, first, n int) error {
	return r.t.own.with(func(b []byte) error {
		dtype.Convert(out, as, r.seq.fetch(r.buf, b, first, n), r.t.dt)
		return nil
	})
}

// allPairs reports whether fn is true for every pair of elements, read as type as. E is the Go type
// of as.
func allPairs[E dtype.Element](ctx context.Context, a, b *numberReader, as dtype.Type, fn func(a, b E) bool) (bool, error) {
	var left, right [convertElems]E

	for first := 0; first < a.seq.n; first += convertElems {
		if err := ctx.Err(); err != nil {
			return false, err
		}

		n := min(convertElems, a.seq.n-first)
		if err := a.read(bytesOf(left[:n]), as, first, n); err != nil {
			return false, err
		}
		if err := b.read(bytesOf(right[:n]), as, first, n); err != nil {
			return false, err
		}

		for i, v := range left[:n] {
			if !fn(v, right[i]) {
				return false, nil
			}
		}
	}
	return true, nil
}
