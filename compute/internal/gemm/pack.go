package gemm

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/transpose"
)

// A source is one operand in the form that is packed: panels of width rows of A, or columns of B,
// side by side for each step along k. A complex matrix becomes one of numbers of the register type,
// by Van Zee's "1m" method. A has twice the columns, and B twice the rows and the columns, so k and
// columns count numbers and not pairs.
type source struct {
	size          int // bytes of an element
	across, along int // bytes between the rows of a panel (columns, of B), and between steps along k
	width         int // of a panel, in numbers
	convert       kernel.Func
	pairs         func(dst, src unsafe.Pointer, width, steps int) // splits complex numbers; nil for real ones
	twice         int                                             // numbers of an element along k
	wide          int                                             // numbers of an element across a panel
}

// newSource returns how an operand is packed for products of type reg.
func newSource(o *Operand, reg dtype.Type, across, along, width int, columns bool) source {
	s := source{size: o.Type.Size(), across: across, along: along, width: width, twice: 1, wide: 1}

	switch {
	case o.Type.Kind() != dtype.KindComplex:
		if o.Type != reg && o.Type.Size() != reg.Size() || o.Type.Kind() != reg.Kind() && !bothInts(o.Type, reg) {
			s.convert = kernel.Convert(o.Type, reg)
		}
		return s
	case columns && reg == dtype.Float32:
		s.pairs = pairColumns[float32]
	case columns:
		s.pairs = pairColumns[float64]
	case reg == dtype.Float32:
		s.pairs = pairRows[float32]
	default:
		s.pairs = pairRows[float64]
	}

	// A complex element takes two steps along k as real numbers, and in B also two columns.
	s.twice = 2
	if columns {
		s.wide = 2
	}
	return s
}

// bothInts reports whether the bytes of two types mean the same modulo their range.
func bothInts(a, b dtype.Type) bool {
	whole := func(t dtype.Type) bool { return t.Kind() == dtype.KindInt || t.Kind() == dtype.KindUint }
	return whole(a) && whole(b)
}

// scratch returns the bytes that packing a panel of kc steps takes beside it.
func (s *source) scratch(kc int) int {
	return 2 * (s.width/s.wide*(kc/s.twice)*s.size + 64)
}

// pack packs panels of kc steps, count elements across altogether, from base on. A last panel that
// is not full is filled up with zeros. room is memory of scratch bytes.
func (s *source) pack(dst, base unsafe.Pointer, count, kc, numberSize int, room unsafe.Pointer) {
	steps, width := kc/s.twice, s.width/s.wide

	panel := s.width * kc * numberSize

	// Rows that are contiguous and need no conversion are copied as they are.
	if s.across == s.size && s.convert == nil && s.pairs == nil {
		s.packRows(dst, base, count, steps, panel)
		return
	}

	half := unsafe.Add(room, s.scratch(kc)/2)
	for at := 0; at < count; at += width {
		n := min(width, count-at)
		from, to := unsafe.Add(base, at*s.across), unsafe.Add(dst, at/width*panel)
		switch {
		case s.convert != nil:
			s.raw(room, from, n, width, steps, half)
			convert(s.convert, to, room, width*steps)
		case s.pairs != nil:
			s.raw(room, from, n, width, steps, half)
			s.pairs(to, room, width, steps)
		default:
			s.raw(to, from, n, width, steps, half)
		}
	}
}

// convert converts n elements.
func convert(fn kernel.Func, dst, src unsafe.Pointer, n int) {
	kernel.Call(fn, dst, src, nil, nil, n)
}

// packRows packs elements that are side by side across panels: row by row of the source.
func (s *source) packRows(dst, base unsafe.Pointer, count, steps, panel int) {
	full, width := count/s.width, s.width*s.size
	rest := (count - full*s.width) * s.size
	if rest > 0 {
		clear(unsafe.Slice((*byte)(unsafe.Add(dst, full*panel)), panel))
	}
	for k := range steps {
		from, to := unsafe.Add(base, k*s.along), unsafe.Add(dst, k*width)
		for i := range full { // no pointer goes past the last panel
			copyBytes(unsafe.Add(to, i*panel), unsafe.Add(from, i*width), width)
		}
		if rest > 0 {
			copyBytes(unsafe.Add(to, full*panel), unsafe.Add(from, full*width), rest)
		}
	}
}

// copyBytes copies n bytes: widths of panels without a call.
func copyBytes(dst, src unsafe.Pointer, n int) {
	switch n {
	case 128:
		*(*[128]byte)(dst) = *(*[128]byte)(src)
	case 64:
		*(*[64]byte)(dst) = *(*[64]byte)(src)
	case 48:
		*(*[48]byte)(dst) = *(*[48]byte)(src)
	default:
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
}

// raw packs n of width elements across, as they are, for so many steps.
func (s *source) raw(dst, src unsafe.Pointer, n, width, steps int, room unsafe.Pointer) {
	row := width * s.size
	if n < width {
		clear(unsafe.Slice((*byte)(dst), row*steps))
	}

	switch {
	// A step is contiguous across: copy it.
	case s.across == s.size:
		for k := range steps {
			copyBytes(unsafe.Add(dst, k*row), unsafe.Add(src, k*s.along), n*s.size)
		}
	// An element's steps are contiguous: transpose.
	case s.along == s.size:
		transpose.Block(dst, src, n, steps, row, s.across, s.size)
	// Nothing is contiguous, and the elements across are closer together: gather step by step.
	case abs(s.along) > abs(s.across):
		for k := range steps {
			kernel.Gather(unsafe.Add(dst, k*row), unsafe.Add(src, k*s.along), s.size, s.across, n)
		}
	// The elements along are closer together: gather them into room, then transpose.
	default:
		for i := range n {
			kernel.Gather(unsafe.Add(room, i*steps*s.size), unsafe.Add(src, i*s.across), s.size, s.along, steps)
		}
		transpose.Block(dst, room, n, steps, row, steps*s.size, s.size)
	}
}

func abs(n int) int { return max(n, -n) }

// pairRows makes of each step of complex numbers, elements of A, one of their real and one of their
// imaginary parts.
func pairRows[T float32 | float64](dst, src unsafe.Pointer, width, steps int) {
	in, out := unsafe.Slice((*[2]T)(src), width*steps), unsafe.Slice((*T)(dst), 2*width*steps)
	for k := range steps {
		re, im := out[2*k*width:][:width], out[(2*k+1)*width:][:width]
		for i, v := range in[k*width:][:width] {
			re[i], im[i] = v[0], v[1]
		}
	}
}

// pairColumns makes of each step of complex numbers, elements of B, one of what real parts are
// multiplied by, and one for imaginary parts.
func pairColumns[T float32 | float64](dst, src unsafe.Pointer, width, steps int) {
	in, out := unsafe.Slice((*[2]T)(src), width*steps), unsafe.Slice((*[2]T)(dst), 2*width*steps)
	for k := range steps {
		byReal, byImag := out[2*k*width:][:width], out[(2*k+1)*width:][:width]
		for i, v := range in[k*width:][:width] {
			byReal[i], byImag[i] = v, [2]T{-v[1], v[0]}
		}
	}
}
