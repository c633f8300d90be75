package compute

import (
	"bytes"
	"math"
	"math/cmplx"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

// A comparer compares packed elements, keeps the largest differences in f, and calls differ with
// the place of each pair that differs.
type comparer func(a, b []byte, f *found, differ func(i int))

// newComparer returns a comparer for one goroutine.
func (p *pair) newComparer() comparer {
	a, b := p.a.DType, p.b.DType
	common := commonType(a, b)
	compare := p.comparerOf(common, a, b)
	n := min(p.a.NumElems, chunkElems)
	toA, toB := newWidener(common, a, n), newWidener(common, b, n)
	return func(x, y []byte, f *found, differ func(i int)) {
		// Equal bytes are equal elements, but for a NaN.
		if a == b && (common == dtype.Int64 || p.opts.EqualNaN) && bytes.Equal(x, y) {
			return
		}
		compare(toA(x), toB(y), f, differ)
	}
}

// commonType is the type that elements of both types are compared in: int64 stands for exact
// integers.
func commonType(a, b dtype.Type) dtype.Type {
	common := dtype.Int64
	for _, t := range []dtype.Type{a, b} {
		switch {
		case t.Kind() == dtype.KindComplex:
			return dtype.Complex128
		case t.Kind() == dtype.KindFloat:
			common = dtype.Float64
		}
	}
	return common
}

// newWidener returns what gives at most n elements of type from as type to.
func newWidener(to, from dtype.Type, n int) func(b []byte) []byte {
	if from == to {
		return func(b []byte) []byte { return b }
	}
	buf := pieces.AlignedBytes(n * to.Size())
	return func(b []byte) []byte {
		wide := buf[:len(b)/from.Size()*to.Size()]
		dtype.Convert(wide, to, b, from)
		return wide
	}
}

func (p *pair) comparerOf(common, a, b dtype.Type) comparer {
	switch common {
	case dtype.Complex128:
		return p.compareComplex
	case dtype.Float64:
		return p.compareFloats
	}
	return func(x, y []byte, f *found, differ func(i int)) {
		p.compareInts(pieces.As[int64](x), a == dtype.Uint64, pieces.As[int64](y), b == dtype.Uint64, f, differ)
	}
}

// compareInts compares integers. An unsigned operand is a uint64 whose bits are in an int64.
func (p *pair) compareInts(x []int64, xUnsigned bool, y []int64, yUnsigned bool, f *found, differ func(i int)) {
	for i, v := range x {
		a, b := signedInt(v, xUnsigned), signedInt(y[i], yUnsigned)
		if a == b {
			continue
		}
		abs := a.distance(b)
		f.note(abs, float64(b.size))
		if !p.within(abs, float64(b.size)) {
			differ(i)
		}
	}
}

// An exactInt is any int64 or uint64: its size, and whether it is below zero.
type exactInt struct {
	size     uint64
	negative bool
}

func signedInt(v int64, unsigned bool) exactInt {
	if v < 0 && !unsigned {
		return exactInt{-uint64(v), true}
	}
	return exactInt{uint64(v), false}
}

// distance is |a-b|, rounded once where the signs are the same or the sum of both sizes is below
// 2⁶⁴.
func (a exactInt) distance(b exactInt) float64 {
	if a.negative != b.negative {
		if sum := a.size + b.size; sum >= a.size {
			return float64(sum)
		}
		return float64(a.size) + float64(b.size)
	}
	return float64(max(a.size, b.size) - min(a.size, b.size))
}

func (p *pair) compareFloats(x, y []byte, f *found, differ func(i int)) {
	as, bs := pieces.As[float64](x), pieces.As[float64](y)
	for i, a := range as {
		b := bs[i]
		if a == b {
			continue
		}

		abs, size := math.Abs(a-b), math.Abs(b)
		if abs != abs { // at least one is NaN: infinities of different sign are an infinity apart
			if !p.opts.EqualNaN || a == a || b == b {
				differ(i)
			}
			continue
		}

		f.note(abs, size)
		if !p.within(abs, size) {
			differ(i)
		}
	}
}

func (p *pair) compareComplex(x, y []byte, f *found, differ func(i int)) {
	as, bs := pieces.As[complex128](x), pieces.As[complex128](y)
	for i, a := range as {
		b := bs[i]
		if a == b {
			continue
		}

		if aNaN, bNaN := anyNaN(a), anyNaN(b); aNaN || bNaN {
			if !p.opts.EqualNaN || !aNaN || !bNaN {
				differ(i)
			}
			continue
		}

		abs, size := distance(a, b), cmplx.Abs(b)
		f.note(abs, size)
		if !p.within(abs, size) {
			differ(i)
		}
	}
}

func anyNaN(c complex128) bool { return real(c) != real(c) || imag(c) != imag(c) }

// distance is |a-b| of numbers without a NaN; equal infinities do not count.
func distance(a, b complex128) float64 {
	var re, im float64
	if real(a) != real(b) {
		re = real(a) - real(b)
	}
	if imag(a) != imag(b) {
		im = imag(a) - imag(b)
	}
	return math.Hypot(re, im)
}

// within reports whether two unequal numbers are close enough. abs is their distance, and size the
// magnitude of the second.
func (p *pair) within(abs, size float64) bool {
	return abs <= p.opts.ATol+float64(p.opts.RTol*size) && !math.IsInf(size, 0)
}

// note keeps the largest differences.
func (f *found) note(abs, size float64) {
	f.maxAbs = max(f.maxAbs, abs)
	if size > 0 && !math.IsInf(size, 0) {
		f.maxRel = max(f.maxRel, abs/size)
	}
}
