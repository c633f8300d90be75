package correlate

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A Number is a type that sums are computed in.
type Number interface{ int32 | int64 | float64 }

// Stripe is the number that sums come in multiples of.
const Stripe = 128

// runLength is the number of taps in a run. The products of a run are added up first, and their sum
// is then added with its error.
const runLength = 8

// A sumsFunc adds the products of taps and elements to n sums: sums[i] += values[k]·x[i+offsets[k]]
// for each of taps ≥ 1 taps. n is a multiple of Stripe. Only floats have rests, which add up what
// the sums lose by rounding.
type sumsFunc func(sums, rests, x, values *byte, offsets *int, taps, n int)

// portable holds the kernels in Go. They are the meaning of the others.
var portable = map[dtype.Type]sumsFunc{
	dtype.Float64: sumsFloat64,
	dtype.Int32:   sumsInt[int32],
	dtype.Int64:   sumsInt[int64],
}

// call calls a kernel. It has a stack frame, whose entry is where the scheduler can stop a loop
// over machine code.
//
//go:noinline
func call(fn sumsFunc, sums, rests, x, values unsafe.Pointer, offsets *int, taps, n int) {
	fn((*byte)(sums), (*byte)(rests), (*byte)(x), (*byte)(values), offsets, taps, n)
}

// Taps are factors, and the offsets from 0 of the elements they multiply. Both fields have the same
// length.
type Taps[T Number] struct {
	Offsets []int
	Values  []T
}

// Append adds a factor for the elements at a distance.
func (t *Taps[T]) Append(offset int, value T) {
	t.Offsets, t.Values = append(t.Offsets, offset), append(t.Values, value)
}

// MaxBlock is the number of taps, and of sums, of one call of a kernel at most: a fraction of a
// millisecond.
const (
	maxBlockTaps = 1024
	MaxBlock     = 2048
)

// Add sets sums[i] to the sum of the products of all taps and the elements of x at i and their
// distances. The number of sums is a multiple of [Stripe] and [MaxBlock] at most; rests is as long,
// for work. It ends early, with anything in sums, once stop returns true.
func (t *Taps[T]) Add(sums, rests, x []T, stop func() bool) { t.add(variants[0], sums, rests, x, stop) }

func (t *Taps[T]) add(kernels map[dtype.Type]sumsFunc, sums, rests, x []T, stop func() bool) {
	if len(sums)%Stripe != 0 || len(sums) > MaxBlock || len(rests) != len(sums) {
		panic(fmt.Sprintf("BUG: correlate: %d sums and %d rests", len(sums), len(rests)))
	}

	clear(sums)
	clear(rests)

	fn := kernels[dtype.Of[T]()]
	if fn == nil {
		fn = portable[dtype.Of[T]()]
	}

	// Blocks of taps, so that a call ends soon after stop.
	for at := 0; at < len(t.Values) && !stop(); at += maxBlockTaps {
		n := min(maxBlockTaps, len(t.Values)-at)
		call(fn, unsafe.Pointer(unsafe.SliceData(sums)), unsafe.Pointer(unsafe.SliceData(rests)), unsafe.Pointer(unsafe.SliceData(x)),
			unsafe.Pointer(&t.Values[at]), &t.Offsets[at], n, len(sums))
	}

	if s, ok := any(sums).([]float64); ok && len(t.Values) > runLength { // a single run has no errors to add
		addRests(s, any(rests).([]float64))
	}
}

// addRests adds rests to sums. It skips infinite and NaN sums, as their rests are NaN.
func addRests(sums, rests []float64) {
	rests = rests[:len(sums)]
	for i, s := range sums {
		if v := s + rests[i]; v == v {
			sums[i] = v
		}
	}
}

func sumsFloat64(sums, rests, x, values *byte, offsets *int, taps, n int) {
	s, r := unsafe.Slice((*float64)(unsafe.Pointer(sums)), n), unsafe.Slice((*float64)(unsafe.Pointer(rests)), n)
	v, at := unsafe.Slice((*float64)(unsafe.Pointer(values)), taps), unsafe.Slice(offsets, taps)

	for i := range s {
		// Each run of taps is summed with fused multiply-add. The sum of the runs is compensated:
		// rest collects the rounding errors of the additions, by Knuth's TwoSum.
		sum, rest := s[i], r[i]
		base := unsafe.Add(unsafe.Pointer(x), 8*i)
		for first := 0; first < taps; first += runLength {
			part := 0.0
			for k := first; k < min(first+runLength, taps); k++ {
				part = math.FMA(*(*float64)(unsafe.Add(base, 8*at[k])), v[k], part)
			}

			next := float64(sum + part)
			kept := float64(next - sum)
			rest += float64(float64(sum-float64(next-kept)) + float64(part-kept))
			sum = next
		}

		s[i], r[i] = sum, rest
	}
}

func sumsInt[T int32 | int64](sums, _, x, values *byte, offsets *int, taps, n int) {
	size := int(unsafe.Sizeof(T(0)))
	s, v, at := unsafe.Slice((*T)(unsafe.Pointer(sums)), n), unsafe.Slice((*T)(unsafe.Pointer(values)), taps), unsafe.Slice(offsets, taps)
	for k, value := range v {
		from := unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(x), size*at[k])), n)
		for i, e := range from {
			s[i] += e * value
		}
	}
}
