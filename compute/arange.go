package compute

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/elemio"
)

// Arange generates the n elements start, start+step, start+2·step, … of type t.
//
// For integers and bool they are exact, and a start, step or last element that t can't hold is an
// error that is [dtype.ErrRange]. For floats each is start + i·step computed in float64 (for
// complex numbers, in each part) and rounded once to t, so errors do not add up; NumPy's arange
// computes in t instead. A last element beyond the range of a float is an error, too.
//
// start and step may be of any type that has the values, such as an int64 step of -1 for uint8
// elements.
func Arange(t dtype.Type, start, step dtype.Scalar, n int) (*Generator, error) {
	if !t.Valid() || !start.Type().Valid() || !step.Type().Valid() {
		return nil, fmt.Errorf("arange of dtype %v from %v by %v: no valid dtype", t, start, step)
	}
	if n < 0 || int64(n) > endless(t) {
		return nil, fmt.Errorf("arange of %d elements of %v: expected 0 to %d", n, t, endless(t))
	}
	fill, err := arangeFill(t, start, step, n)
	if err != nil {
		return nil, fmt.Errorf("arange of %d elements of %v from %v by %v: %w", n, t, start, step, err)
	}
	return newGenerator(t, int64(n), fill), nil
}

func arangeFill(t dtype.Type, start, step dtype.Scalar, n int) (elemio.Fill, error) {
	switch t.Kind() {
	case dtype.KindFloat, dtype.KindComplex:
		return arangeFloats(t, start.Complex128(), step.Complex128(), n)
	}
	return arangeInts(t, start, step, n)
}

// arangeInts counts modulo 2⁶⁴, which is exact as no element leaves the range of t.
func arangeInts(t dtype.Type, start, step dtype.Scalar, n int) (elemio.Fill, error) {
	first, err := wholeNumber(start)
	if err != nil {
		return nil, err
	}
	by, err := wholeNumber(step)
	if err != nil {
		return nil, err
	}

	// The elements are monotone, so if the first and the last are in range, all are.
	if n > 0 {
		last := new(big.Int).Mul(by, big.NewInt(int64(n-1)))
		if err := checkIntRange(t, first, last.Add(last, first)); err != nil {
			return nil, err
		}
	}

	a, d, size := low64(first), low64(by), t.Size()
	return func(dst []byte, index int64) error {
		v := a + uint64(index)*d
		for ; len(dst) > 0; dst = dst[size:] {
			storeWord(dst, v, size)
			v += d
		}
		return nil
	}, nil
}

// wholeNumber returns the value of s, which must be an integer.
func wholeNumber(s dtype.Scalar) (*big.Int, error) {
	if u, ok := s.Any().(uint64); ok {
		return new(big.Int).SetUint64(u), nil
	}
	if v, exact := s.Int64(); exact {
		return big.NewInt(v), nil
	}
	return nil, fmt.Errorf("%v is not a 64-bit integer", s)
}

// low64 is v modulo 2⁶⁴.
func low64(v *big.Int) uint64 {
	mask := new(big.Int).SetUint64(math.MaxUint64)
	return mask.And(mask, v).Uint64()
}

// checkIntRange makes sure that t, an integer type or bool, holds all values.
func checkIntRange(t dtype.Type, values ...*big.Int) error {
	lo, hi := intRange(t)
	for _, v := range values {
		if v.Cmp(lo) < 0 || v.Cmp(hi) > 0 {
			return fmt.Errorf("%v: %w: %v holds %v to %v", v, dtype.ErrRange, t, lo, hi)
		}
	}
	return nil
}

// intRange returns the smallest and the largest value of t.
func intRange(t dtype.Type) (lo, hi *big.Int) {
	one, bits := big.NewInt(1), uint(8*t.Size())
	switch t.Kind() {
	case dtype.KindBool:
		return new(big.Int), one
	case dtype.KindInt:
		hi = new(big.Int).Lsh(one, bits-1)
		return new(big.Int).Neg(hi), hi.Sub(hi, one)
	}
	hi = new(big.Int).Lsh(one, bits)
	return new(big.Int), hi.Sub(hi, one)
}

func arangeFloats(t dtype.Type, start, step complex128, n int) (elemio.Fill, error) {
	at := func(i int64) complex128 {
		// The conversions keep multiplication and addition apart, so that the result is the same on
		// processors that could fuse them.
		x := float64(i)
		return complex(real(start)+float64(x*real(step)), imag(start)+float64(x*imag(step)))
	}

	// The elements are monotone, so if the first and the last are finite, all are.
	if n > 0 {
		if last := dtype.ScalarOf(at(int64(n - 1))); !finite(last.Convert(t)) || !finite(dtype.ScalarOf(start).Convert(t)) {
			return nil, fmt.Errorf("%v to %v: %w", start, last, dtype.ErrRange)
		}
	}

	if t.Kind() == dtype.KindComplex {
		return fillConverted(t, dtype.Complex128, func(elem []byte, i int64) {
			v := at(i)
			binary.LittleEndian.PutUint64(elem, math.Float64bits(real(v)))
			binary.LittleEndian.PutUint64(elem[8:], math.Float64bits(imag(v)))
		}), nil
	}

	return fillConverted(t, dtype.Float64, func(elem []byte, i int64) {
		binary.LittleEndian.PutUint64(elem, math.Float64bits(real(at(i))))
	}), nil
}

func finite(s dtype.Scalar) bool {
	c := s.Complex128()
	sum := math.Abs(real(c))/2 + math.Abs(imag(c))/2
	return !math.IsInf(sum, 0) && !math.IsNaN(sum)
}

// fillConverted makes elements of t out of those of a wider type, block by block.
func fillConverted(t, wide dtype.Type, put func(elem []byte, i int64)) elemio.Fill {
	return func(dst []byte, first int64) error {
		var buf [4096]byte
		for len(dst) > 0 {
			n := min(len(dst)/t.Size(), len(buf)/wide.Size())
			for i := range n {
				put(buf[i*wide.Size():], first+int64(i))
			}
			dtype.Convert(dst[:n*t.Size()], t, buf[:n*wide.Size()], wide)
			dst, first = dst[n*t.Size():], first+int64(n)
		}
		return nil
	}
}
