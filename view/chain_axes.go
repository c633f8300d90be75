package view

import (
	"math/big"
	"sync"

	"github.com/tstore/tstore/dtype"
)

// Axes returns, for each axis of the view that the chain makes of an array of type t, the axis that
// it is a part of. It is -1 if the axis is part of none or of several. ok is false if the chain is
// not a view of every array of that shape.
//
// The chain is applied to a layout whose strides are large primes: each stride of the result is a
// multiple of the primes of the axes it comes from.
func (c Chain) Axes(shape []int, t dtype.Type) (axes []int, ok bool) {
	if len(shape) > MaxRank {
		return nil, false
	}

	primes := axisPrimes()[:len(shape)]
	probe, err := MakeLayout(shape, primes, 0)
	if err != nil {
		return nil, false
	}

	part, _, err := c.Apply(probe, t)
	if err != nil {
		return nil, false
	}

	axes = make([]int, part.Rank())
	for i := range axes {
		axes[i] = originOf(primes, part.Stride(i))
	}
	return axes, true
}

// originOf is the axis whose prime divides a stride, or -1.
func originOf(primes []int, stride int) int {
	axis := -1
	for i, p := range primes {
		if stride == 0 || stride%p != 0 {
			continue
		}
		if axis >= 0 {
			return -1
		}
		axis = i
	}
	return axis
}

// axisPrimes are as many primes as a layout can have axes.
var axisPrimes = sync.OnceValue(func() []int {
	primes := make([]int, 0, MaxRank)
	for n := int64(1 << 16); len(primes) < MaxRank; n++ {
		if big.NewInt(n).ProbablyPrime(0) {
			primes = append(primes, int(n))
		}
	}
	return primes
})
