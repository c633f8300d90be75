package dtype

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Scalar is one element of any type. It is a small value: copy it, compare it with == (which
// compares type and bits, so a NaN equals itself and 0 differs from -0), use it as a map key. The
// zero value has type [Invalid] and holds nothing.
type Scalar struct {
	typ Type
	// The element's bytes as a little-endian number; hi is the imaginary part of a Complex128, and
	// 0 for every other type.
	lo, hi uint64
}

// ScalarOf returns v as a scalar of type [Of][T].
func ScalarOf[T Element](v T) Scalar {
	s := Scalar{typ: Of[T]()}
	switch v := any(v).(type) {
	case bool:
		if v {
			s.lo = 1
		}
	case int8:
		s.lo = uint64(uint8(v))
	case int16:
		s.lo = uint64(uint16(v))
	case int32:
		s.lo = uint64(uint32(v))
	case int64:
		s.lo = uint64(v)
	case uint8:
		s.lo = uint64(v)
	case uint16:
		s.lo = uint64(v)
	case uint32:
		s.lo = uint64(v)
	case uint64:
		s.lo = v
	case F16:
		s.lo = uint64(v)
	case BF16:
		s.lo = uint64(v)
	case F8E4M3FN:
		s.lo = uint64(v)
	case F8E5M2:
		s.lo = uint64(v)
	case float32:
		s.lo = uint64(math.Float32bits(v))
	case float64:
		s.lo = math.Float64bits(v)
	case complex64:
		s.lo = uint64(math.Float32bits(real(v))) | uint64(math.Float32bits(imag(v)))<<32
	case complex128:
		s.lo, s.hi = math.Float64bits(real(v)), math.Float64bits(imag(v))
	}
	return s
}

// Load reads the element of type t at the start of b, at any alignment. A Bool of any non-zero byte
// is true. b must hold an element and t must be valid; anything else is a bug of the caller and
// panics.
func Load(t Type, b []byte) Scalar {
	s := Scalar{typ: t}

	if !t.Valid() || len(b) < t.Size() {
		panic(fmt.Sprintf("BUG: dtype.Load of %v from %d bytes", t, len(b)))
	}

	switch t.Size() {
	case 1:
		s.lo = uint64(b[0])
		if t == Bool && s.lo != 0 {
			s.lo = 1
		}
	case 2:
		s.lo = uint64(binary.LittleEndian.Uint16(b))
	case 4:
		s.lo = uint64(binary.LittleEndian.Uint32(b))
	case 16:
		s.hi = binary.LittleEndian.Uint64(b[8:])
		fallthrough
	case 8:
		s.lo = binary.LittleEndian.Uint64(b)
	}

	return s
}

// Store writes s to the start of b, which must have room for s.Type().Size() bytes, at any
// alignment. The zero Scalar can't be stored.
func (s Scalar) Store(b []byte) {
	if !s.typ.Valid() || len(b) < s.typ.Size() {
		panic(fmt.Sprintf("BUG: dtype.Scalar.Store of %v into %d bytes", s.typ, len(b)))
	}

	switch s.typ.Size() {
	case 1:
		b[0] = byte(s.lo)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(s.lo))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(s.lo))
	case 16:
		binary.LittleEndian.PutUint64(b[8:], s.hi)
		fallthrough
	case 8:
		binary.LittleEndian.PutUint64(b, s.lo)
	}
}

// Type returns the type of s.
func (s Scalar) Type() Type { return s.typ }

// Any returns s as the Go type that [Element] has for it, such as float32 or [F16]; nil for the
// zero Scalar.
func (s Scalar) Any() any {
	switch s.typ {
	case Bool:
		return s.lo != 0
	case Int8:
		return int8(s.lo)
	case Int16:
		return int16(s.lo)
	case Int32:
		return int32(s.lo)
	case Int64:
		return int64(s.lo)
	case Uint8:
		return uint8(s.lo)
	case Uint16:
		return uint16(s.lo)
	case Uint32:
		return uint32(s.lo)
	case Uint64:
		return s.lo
	case Float16:
		return F16(s.lo)
	case BFloat16:
		return BF16(s.lo)
	case Float8E4M3FN:
		return F8E4M3FN(s.lo)
	case Float8E5M2:
		return F8E5M2(s.lo)
	case Float32:
		return math.Float32frombits(uint32(s.lo))
	case Float64:
		return math.Float64frombits(s.lo)
	case Complex64:
		return complex64(s.Complex128())
	case Complex128:
		return s.Complex128()
	}
	return nil
}

// Float64 returns the value rounded to float64, the real part of a complex one; NaN for the zero
// Scalar.
func (s Scalar) Float64() float64 {
	switch s.typ {
	case Invalid:
		return math.NaN()
	case Float64, Complex128:
		return math.Float64frombits(s.lo)
	}
	return math.Float64frombits(s.Convert(Float64).lo)
}

// Complex128 returns the value rounded to complex128.
func (s Scalar) Complex128() complex128 {
	switch s.typ {
	case Complex64:
		re, im := math.Float32frombits(uint32(s.lo)), math.Float32frombits(uint32(s.lo>>32))
		return complex(float64(re), float64(im))
	case Complex128:
		return complex(math.Float64frombits(s.lo), math.Float64frombits(s.hi))
	}
	return complex(s.Float64(), 0)
}

// Int64 returns the value as an int64 and whether it is exactly that. Where it is not, the result
// is that of [Scalar.Convert].
func (s Scalar) Int64() (v int64, exact bool) {
	if s.typ == Invalid {
		return 0, false
	}
	v = int64(s.Convert(Int64).lo)
	switch s.typ.Kind() {
	case KindUint:
		return v, v >= 0
	case KindFloat, KindComplex:
		c := s.Complex128()
		return v, real(c) == float64(v) && real(c) < 0x1p63 && imag(c) == 0
	}
	return v, true
}

// IsZero reports whether the value is zero: false, 0, -0, or 0+0i. A NaN is not. The zero Scalar
// is.
func (s Scalar) IsZero() bool { return s.typ == Invalid || s.Convert(Bool).lo == 0 }
