package bind

import (
	"math"
	"math/bits"
	"slices"
)

// An einsumOrder finds the order of contracting operands in pairs that takes the fewest products:
// of all orders, as there are few operands.
type einsumOrder struct {
	operands [][]label // which are different in each
	output   []label
	sizes    map[label]int
	best     []einsumSplit // by the set of operands
}

// An einsumSplit says how a set of operands is best contracted: those of left, and the others, and
// then both.
type einsumSplit struct {
	left  uint
	cost  float64
	known bool
}

// labels returns the axes that remain when a set of operands is contracted, in ascending order.
func (o *einsumOrder) labels(set uint) []label {
	var inside []label
	outside := slices.Clone(o.output)
	for i, labels := range o.operands {
		if set>>i&1 != 0 {
			inside = append(inside, labels...)
		} else {
			outside = append(outside, labels...)
		}
	}
	slices.Sort(inside)
	return slices.DeleteFunc(slices.Compact(inside), func(l label) bool { return !slices.Contains(outside, l) })
}

// split returns the cheapest way to contract a set of operands. It is dynamic programming over
// subsets: bit i of a set stands for operand i.
func (o *einsumOrder) split(set uint) einsumSplit {
	if o.best == nil {
		o.best = make([]einsumSplit, 1<<len(o.operands))
	}

	if known := o.best[set]; known.known || bits.OnesCount(set) == 1 {
		return known
	}

	// Try every way to cut the set in two.
	best := einsumSplit{cost: math.Inf(1), known: true}
	for left := (set - 1) & set; left > 0; left = (left - 1) & set {
		right := set &^ left
		if left < right {
			continue // seen with the two sides swapped
		}

		cost := o.split(left).cost + o.split(right).cost + o.products(left, right)
		if cost < best.cost || best.left == 0 {
			best = einsumSplit{left, cost, true}
		}
	}

	o.best[set] = best
	return best
}

// products returns the number of products of contracting two sets.
func (o *einsumOrder) products(left, right uint) float64 {
	n := 1.0
	all := append(o.labels(left), o.labels(right)...)
	slices.Sort(all)
	for _, l := range slices.Compact(all) {
		n *= float64(o.sizes[l])
	}
	return n
}
