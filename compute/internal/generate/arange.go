package generate

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/elemio"
)

// Arange generates the n elements start, start+step, start+2·step, … of type t. Integers are
// exact. Each float is start + i·step, computed in float64 and rounded once to t. It returns
// dtype.ErrRange if t does not hold an element.
func Arange(t dtype.Type, start, step dtype.Scalar, n int) (*Row, error) {
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
	return newRow(t, int64(n), fill), nil
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
	first, err := number.Whole(start)
	if err != nil {
		return nil, err
	}
	by, err := number.Whole(step)
	if err != nil {
		return nil, err
	}

	// The elements are monotone, so if the first and the last are in range, all are.
	if n > 0 {
		last := new(big.Int).Mul(by, big.NewInt(int64(n-1)))
		if err := number.CheckRange(t, first, last.Add(last, first)); err != nil {
			return nil, err
		}
	}

	a, d, size := number.Low64(first), number.Low64(by), t.Size()
	return func(dst []byte, index int64) error {
		v := a + uint64(index)*d
		for ; len(dst) > 0; dst = dst[size:] {
			storeWord(dst, v, size)
			v += d
		}
		return nil
	}, nil
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
