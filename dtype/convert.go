package dtype

import (
	"fmt"
	"unsafe"
)

// Convert converts the elements of type from packed in src to elements of type to in dst, as
// NumPy's unsafe cast does: integers wrap, floats are rounded to nearest even, and a float becomes
// an integer by dropping its fraction. The imaginary part of a complex number is dropped; a bool is
// whether the value is not zero.
//
// A float that its integer type can't hold, NaN included, becomes what C makes of it on x86-64:
// int32 -2³¹, int64 -2⁶³; the 8- and 16-bit types take the low bits of the int32, uint32 those of
// the int64, and uint64 is 2⁶³ for NaN and what is below -2⁶³, 0 from 2⁶⁴ on. (NumPy's own vector
// loop for uint32 differs there from its scalar one; this is the scalar one.)
//
// Both slices hold the same number of whole elements, at any alignment, and do not overlap;
// anything else is a bug of the caller and panics where it is noticed. Convert allocates nothing
// and may be called concurrently on different dst.
func Convert(dst []byte, to Type, src []byte, from Type) {
	convertAny(dst, to, src, from, false)
}

// convertAny checks the arguments of [Convert], or of [ConvertSaturating], and converts.
func convertAny(dst []byte, to Type, src []byte, from Type, saturating bool) {
	if !to.Valid() || !from.Valid() {
		panic(fmt.Sprintf("BUG: dtype.Convert from %v to %v", from, to))
	}

	n := len(src) / from.Size()
	if len(src) != n*from.Size() || len(dst) != n*to.Size() {
		panic(fmt.Sprintf("BUG: dtype.Convert of %d bytes of %v to %d bytes of %v", len(src), from, len(dst), to))
	}

	if from == to && from != Bool {
		copy(dst, src)
		return
	}

	if aligned(dst, to) && aligned(src, from) {
		convert(dst, to, src, from, saturating)
		return
	}
	convertUnaligned(dst, to, src, from, saturating)
}

// Convert returns the value as type to, which must be valid, by the rules of the function
// [Convert]. The zero Scalar can't be converted.
func (s Scalar) Convert(to Type) Scalar {
	return s.convert(to, false)
}

func (s Scalar) convert(to Type, saturating bool) Scalar {
	if s.typ == to && to.Valid() {
		return s
	}
	var src, dst [2]uint64
	in, out := block(&src)[:s.typ.Size()], block(&dst)[:to.Size()]
	s.Store(in)
	convertAny(out, to, in, s.typ, saturating)
	return Load(to, out)
}

func block(words *[2]uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(words)), 16)
}

// A scratch is an aligned buffer for a few elements, small enough for the stack and the first-level
// cache.
type scratch [256 * 2]uint64

// scratchElems is how many elements of any type a scratch holds.
const scratchElems = len(scratch{}) / 2

// of returns the part of the buffer that n elements of t take.
func (s *scratch) of(t Type, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(s)), n*t.Size())
}

// convertUnaligned converts by way of aligned buffers.
func convertUnaligned(dst []byte, to Type, src []byte, from Type, saturating bool) {
	var in, out scratch
	for len(src) > 0 {
		n := min(len(src)/from.Size(), scratchElems)
		a, b := in.of(from, n), out.of(to, n)
		copy(a, src)
		convert(b, to, a, from, saturating)
		copy(dst, b)
		dst, src = dst[len(b):], src[len(a):]
	}
}

// convert converts aligned elements: by one loop where there is one for the pair, and else block by
// block through the float type that loses nothing.
func convert(dst []byte, to Type, src []byte, from Type, saturating bool) {
	switch {
	case oneLoop(dst, to, src, from, saturating):
	case len(src) == from.Size(): // a scalar is not worth clearing a block for
		var buf [2]uint64
		convertThrough(block(&buf), dst, to, src, from, saturating)
	default:
		var buf scratch
		convertThrough(buf.of(Complex128, scratchElems), dst, to, src, from, saturating)
	}
}

// oneLoop converts the elements if there is a loop for the pair, and reports that.
func oneLoop(dst []byte, to Type, src []byte, from Type, saturating bool) bool {
	if saturating && clamps(to, from) {
		return clamp(dst, to, src, from)
	}
	return direct(dst, to, src, from)
}

// convertThrough converts in two steps, as many elements at a time as buf holds.
func convertThrough(buf, dst []byte, to Type, src []byte, from Type, saturating bool) {
	via := bridge(to, from)
	most := len(buf) / via.Size()
	for len(src) > 0 {
		n := min(len(src)/from.Size(), most)
		mid := buf[:n*via.Size()]
		convert(mid, via, src[:n*from.Size()], from, false)
		convert(dst[:n*to.Size()], to, mid, via, saturating)
		dst, src = dst[n*to.Size():], src[n*from.Size():]
	}
}

// bridge returns the type between from and to, a pair that has no loop of its own.
func bridge(to, from Type) Type {
	switch {
	case from.Kind() == KindFloat && from.Size() <= 2, from == Complex64:
		return Float32
	case from != Complex128 && to == Complex64:
		return Float32
	}
	return Float64
}
