package number

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tstore/tstore/dtype"
)

// Whole returns the value of s, which must be an integer.
func Whole(s dtype.Scalar) (*big.Int, error) {
	if u, ok := s.Any().(uint64); ok {
		return new(big.Int).SetUint64(u), nil
	}
	if v, exact := s.Int64(); exact {
		return big.NewInt(v), nil
	}
	return nil, fmt.Errorf("%v is not a 64-bit integer", s)
}

// Low64 is v modulo 2⁶⁴.
func Low64(v *big.Int) uint64 {
	mask := new(big.Int).SetUint64(math.MaxUint64)
	return mask.And(mask, v).Uint64()
}

// CheckRange makes sure that t, an integer type or bool, holds all values.
func CheckRange(t dtype.Type, values ...*big.Int) error {
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
