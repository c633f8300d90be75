package view

import (
	"cmp"
	"math/bits"
	"slices"
)

// A term is coef·x with an unknown x, 0 ≤ x ≤ bound. coef is positive.
type term struct{ coef, bound int }

// An equation is a sum of terms that must reach a target. With whole numbers x it is a bounded
// Diophantine equation, which is NP-hard in general. The equations of strides are mostly easy, as
// each stride is larger than what all smaller ones reach.
//
// As in NumPy's solve_may_share_memory (mem_overlap.c), the x are tried one after the other. Only
// values are tried whose rest the other terms could reach, by their sum and by their greatest
// common divisor.
type equation struct {
	terms []term
	sums  []int // of terms from i on, the largest value
	gcds  []int // of terms from i on, the greatest common divisor of the factors
	work  *int  // how many values may still be tried
}

// solve reports whether the terms can sum up to target, or that this is too hard to find out by
// trying as many values as *work allows, which goes down. It reorders terms.
func solve(terms []term, target int, work *int) Overlap {
	e := equation{terms: simplify(terms), work: work}
	n := len(e.terms)
	e.sums, e.gcds = make([]int, n+1), make([]int, n+1)
	for i := n - 1; i >= 0; i-- {
		t := e.terms[i]
		reach := t.coef
		if !mulInto(&reach, t.bound) || !addInto(&reach, e.sums[i+1]) {
			return OverlapTooHard
		}
		e.sums[i], e.gcds[i] = reach, gcd(t.coef, e.gcds[i+1])
	}
	return e.search(0, target)
}

// simplify sorts the terms by falling factors, drops those that are always 0 and joins those of
// equal factors.
func simplify(terms []term) []term {
	sortTerms(terms)
	out := terms[:0]
	for _, t := range terms {
		last := len(out) - 1
		switch {
		case t.bound == 0:
		case last >= 0 && out[last].coef == t.coef && addInto(&out[last].bound, t.bound):
		default:
			out = append(out, t)
		}
	}
	return out
}

// sortTerms puts the largest factors first.
func sortTerms(terms []term) {
	slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(b.coef, a.coef) })
}

// search finds out whether the terms from i on can sum up to target.
func (e *equation) search(i, target int) Overlap {
	if target == 0 {
		return OverlapYes
	}

	// What the terms from i on sum up to is at most the sum of all of them, and a multiple of their
	// common divisor.
	if target < 0 || target > e.sums[i] || target%e.gcds[i] != 0 {
		return OverlapNo
	}
	if i == len(e.terms)-1 {
		return OverlapYes
	}

	t := e.terms[i]
	first, last, step := e.candidates(i, target)
	if i == len(e.terms)-2 && first <= last {
		return OverlapYes // the last term reaches every rest that fits
	}

	// Each value that is tried costs one unit of work: the number of solutions to try can be huge.
	for x := first; x <= last; x += step {
		if *e.work--; *e.work < 0 {
			return OverlapTooHard
		}
		if r := e.search(i+1, target-t.coef*x); r != OverlapNo {
			return r
		}
		if x > last-step {
			break // x + step might not fit in an int
		}
	}

	return OverlapNo
}

// candidates returns the values of x in term i that leave a rest which is neither negative nor more
// than the terms behind can reach, and a multiple of their common divisor.
func (e *equation) candidates(i, target int) (first, last, step int) {
	t, g := e.terms[i], e.gcds[i+1]
	last = min(t.bound, target/t.coef)
	if over := target - e.sums[i+1]; over > 0 {
		first = (over-1)/t.coef + 1
	}
	step = g / e.gcds[i] // the rests of coef·x recur with it
	root := mulMod(target/e.gcds[i]%step, inverse(t.coef/e.gcds[i]%step, step), step)
	behind := root - first%step
	if behind < 0 {
		behind += step
	}
	if !addInto(&first, behind) {
		return 1, 0, 1
	}
	return first, last, step
}

// mulMod returns a·b mod m, for 0 ≤ a, b < m.
func mulMod(a, b, m int) int {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int(bits.Rem64(hi, lo, uint64(m)))
}

// inverse returns the b with a·b mod m = 1 mod m, for a and m without a common divisor, 0 ≤ a < m,
// by Euclid's extended algorithm.
func inverse(a, m int) int {
	r, next := m, a
	s, sNext := 0, 1
	for next != 0 {
		q := r / next
		r, next = next, r-q*next
		s, sNext = sNext, s-q*sNext
	}
	if s < 0 {
		s += m
	}
	return s % m
}
