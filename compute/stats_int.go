package compute

import (
	"math"
	"math/big"
	"math/bits"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// intSums are exact sums over integers.
type intSums struct {
	n, zero  int
	min, max int64     // see orderKey
	sum      [2]uint64 // two's complement, low word first
	squares  [3]uint64 // low word first
}

type whole interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// newIntScanner returns the scanner of integers of 32 bits.
func newIntScanner[T int32 | uint32]() scanner[T, intSums] {
	f := newFolds[T]()
	return func(x []T) intSums {
		whole := len(x) &^ (lanes - 1)
		s := foldInts(f, x[:whole])
		if whole == len(x) {
			return s
		}
		return s.plus(sumInts(x[whole:]))
	}
}

// newWideScanner returns the scanner of 64-bit integers.
func newWideScanner[T int64 | uint64]() scanner[T, intSums] {
	f := newFolds[T]()
	return func(x []T) intSums {
		s := intSums{n: len(x)}

		// Whole rows of lanes are folded, and the elements after them are looked at one by one.
		if whole := len(x) &^ (lanes - 1); whole > 0 {
			f.pass(x[:whole], unsafe.Pointer(&f.intSums)) // the sums may wrap: they are not looked at
			lo, hi, zero := f.outer()
			s.min, s.max, s.zero = orderKey(lo), orderKey(hi), zero
			if whole < len(x) {
				s = s.plus(outerInts(x[whole:]))
				s.n = len(x)
			}
		} else {
			s = outerInts(x)
		}

		wideSums(x, &s)
		return s
	}
}

// orderKey returns a number with the order of v, for every type of v.
func orderKey[T whole](v T) int64 {
	if ^T(0) > 0 { // unsigned
		return int64(uint64(v) ^ 1<<63)
	}
	return int64(v)
}

// keyScalar returns the element of type t with an orderKey.
func keyScalar(t dtype.Type, key int64) dtype.Scalar {
	if t.Kind() == dtype.KindInt {
		return dtype.ScalarOf(key).Convert(t)
	}
	return dtype.ScalarOf(uint64(key) ^ 1<<63).Convert(t)
}

// outerInts returns the intSums of at least one element, without their sums.
func outerInts[T whole](x []T) intSums {
	lo, hi, zero := x[0], x[0], 0
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
		if v == 0 {
			zero++
		}
	}
	return intSums{n: len(x), zero: zero, min: orderKey(lo), max: orderKey(hi)}
}

// sumInts is intSums of some elements, at least one.
func sumInts[T int32 | uint32](x []T) intSums {
	s := outerInts(x)
	var sum int64
	for _, v := range x {
		sum += int64(v)
	}
	s.sum = [2]uint64{uint64(sum), uint64(sum >> 63)}
	s.squares = sumIntSquares(x)
	return s
}

// wideSums adds up integers of 64 bits.
func wideSums[T whole](x []T, s *intSums) {
	var sum0, sum1, square0, square1, square2, carry uint64
	for _, v := range x {
		word, sign := uint64(v), uint64(0)
		if v < 0 {
			sign = math.MaxUint64
		}
		sum0, carry = bits.Add64(sum0, word, 0)
		sum1, _ = bits.Add64(sum1, sign, carry)
		size := (word ^ sign) - sign
		hi, lo := bits.Mul64(size, size)
		square0, carry = bits.Add64(square0, lo, 0)
		square1, carry = bits.Add64(square1, hi, carry)
		square2 += carry
	}
	s.sum, s.squares = [2]uint64{sum0, sum1}, [3]uint64{square0, square1, square2}
}

func add128(a, b [2]uint64) [2]uint64 {
	lo, carry := bits.Add64(a[0], b[0], 0)
	hi, _ := bits.Add64(a[1], b[1], carry)
	return [2]uint64{lo, hi}
}

func add192(a, b [3]uint64) [3]uint64 {
	lo, carry := bits.Add64(a[0], b[0], 0)
	mid, carry := bits.Add64(a[1], b[1], carry)
	hi, _ := bits.Add64(a[2], b[2], carry)
	return [3]uint64{lo, mid, hi}
}

// plus is the sums over the elements of both; neither is empty.
func (s intSums) plus(t intSums) intSums {
	return intSums{
		n: s.n + t.n, zero: s.zero + t.zero,
		min: min(s.min, t.min), max: max(s.max, t.max),
		sum: add128(s.sum, t.sum), squares: add192(s.squares, t.squares),
	}
}

// summarize fills in what s says.
func (s intSums) summarize(to *Summary) {
	sum := bigWords(s.sum[:])
	if s.sum[1]>>63 != 0 {
		sum.Sub(sum, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	to.Zero, to.Sum = s.zero, sumScalar(to.DType, sum)
	if s.n == 0 {
		to.Mean, to.Std = dtype.ScalarOf(math.NaN()), math.NaN()
		return
	}
	to.Min, to.Max = keyScalar(to.DType, s.min), keyScalar(to.DType, s.max)
	n := big.NewInt(int64(s.n))
	mean, _ := new(big.Rat).SetFrac(sum, n).Float64()
	to.Mean = dtype.ScalarOf(mean)
	to.Std = math.Sqrt(s.variance(sum, n))
}

// variance is (n·Σx² - (Σx)²) / n², rounded once.
func (s intSums) variance(sum, n *big.Int) float64 {
	v := bigWords(s.squares[:])
	v.Mul(v, n).Sub(v, new(big.Int).Mul(sum, sum))
	f, _ := new(big.Rat).SetFrac(v, new(big.Int).Mul(n, n)).Float64()
	return f
}

// bigWords returns the number with the given words, low word first.
func bigWords(words []uint64) *big.Int {
	v := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(words[i]))
	}
	return v
}

// sumScalar returns the sum of elements of type t.
func sumScalar(t dtype.Type, sum *big.Int) dtype.Scalar {
	switch {
	case t.Kind() == dtype.KindUint && sum.IsUint64():
		return dtype.ScalarOf(sum.Uint64())
	case t.Kind() != dtype.KindUint && sum.IsInt64():
		return dtype.ScalarOf(sum.Int64())
	}
	f, _ := new(big.Float).SetInt(sum).Float64()
	return dtype.ScalarOf(f)
}
