package tstore

import (
	"context"
	"math/big"
	"sync"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// keptDims are the axis names that are left of those of a tensor after a
// chain: an axis that is part of one axis keeps its name, others have none.
// When an axis was cut in two, nobody can say which part the name belongs to,
// and all go.
//
// The chain is applied to a layout whose strides are large primes: each stride
// of the result is a multiple of the prime of the axis it comes from.
func keptDims(dims []string, shape []int, t dtype.Type, chain view.Chain) []string {
	if len(dims) == 0 || len(chain) == 0 {
		return dims
	}
	primes := axisPrimes()[:len(shape)]
	probe, err := view.MakeLayout(shape, primes, 0)
	if err != nil {
		return nil
	}
	part, _, err := chain.Apply(probe, t)
	if err != nil {
		return nil
	}
	kept := make([]string, part.Rank())
	seen := map[int]bool{}
	for i := range kept {
		axis := axisOf(primes, part.Stride(i))
		if axis < 0 {
			continue
		}
		if seen[axis] {
			return nil
		}
		seen[axis] = true
		kept[i] = dims[axis]
	}
	return kept
}

// axisOf is the axis whose prime divides a stride, or -1.
func axisOf(primes []int, stride int) int {
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
	primes := make([]int, 0, view.MaxRank)
	for n := int64(1 << 16); len(primes) < view.MaxRank; n++ {
		if big.NewInt(n).ProbablyPrime(0) {
			primes = append(primes, int(n))
		}
	}
	return primes
})

// alignedDims are the axis names of what an expression makes, of the given
// shape: those of its operands, where it works on elements one by one. An axis
// that operands name differently has none.
func (s *Store) alignedDims(ctx context.Context, e compute.Expr, shape []int) []string {
	names, ok := e.Aligned()
	if !ok {
		return nil
	}
	dims := make([]string, len(shape))
	clash := make([]bool, len(shape))
	any := false
	for _, name := range names {
		in, err := s.cat.Lookup(ctx, name)
		if err != nil || len(in.Record.Dims) > len(shape) {
			continue
		}
		for i, dim := range in.Record.Dims {
			axis := len(shape) - len(in.Record.Dims) + i
			if dim == "" || clash[axis] || in.Record.Shape[i] != int64(shape[axis]) {
				continue
			}
			any = true
			clash[axis] = dims[axis] != "" && dims[axis] != dim
			dims[axis] = dim
		}
	}
	for axis := range dims {
		if clash[axis] {
			dims[axis] = ""
		}
	}
	if !any {
		return nil
	}
	return dims
}
