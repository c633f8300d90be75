package reduce

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// varianceBytes bounds the blocks that are gone through twice, so that they stay in the second cache.
const varianceBytes = 128 << 10

// variance is the accumulator of Var and Std: x is the mean of each component, y the sum of its squared deviations
// from it, n the number of elements. A block is gone through twice, for its mean and for the deviations; blocks are
// merged as in Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances
// (1979).
type variance struct {
	op         Op
	ddof       float64
	sum        *sum
	deviations kernel.Fold
	widen      kernel.Func // to typ
	where      kernel.Func
	from       int        // bytes of an element before widening
	typ        dtype.Type // that masked elements are widened to
	out        dtype.Type
}

func newVariance(op Op, t, out dtype.Type, ddof float64) *variance {
	a := &variance{op: op, ddof: ddof, sum: newSum(Sum, t, out), from: t.Size(), typ: dtype.Float64, out: out}
	if t.Kind() == dtype.KindComplex {
		a.typ = dtype.Complex128
	}
	a.deviations = kernel.LookupFold(kernel.FoldDeviations, component(t))
	a.widen = kernel.Convert(t, a.typ)
	a.where = kernel.Lookup(kernel.Where, a.typ, 0)
	return a
}

func (a *variance) newState(n int) *state {
	s := a.sum.newState(n)
	s.n = make([]int64, n)
	return s
}

func (a *variance) reset(s *state, n int) {
	a.sum.reset(s, n)
	clear(s.n[:n])
}

func (a *variance) add(w *scratch, s *state, first int, b *block) {
	if b.mask != nil {
		a.addMasked(w, s, first, b)
		return
	}
	step := max(1, varianceBytes/max(1, b.cols*a.from))
	for row := 0; row < b.rows; row += step {
		part := b.part(row, min(step, b.rows-row))
		a.addPart(w, s, first, &part, a.sum, a.deviations)
	}
}

// addPart takes a block without a mask, whose elements sum and deviations are for.
func (a *variance) addPart(w *scratch, s *state, first int, b *block, sum *sum, deviations kernel.Fold) {
	n := b.cols * sum.comps
	mean, lost := w.zeros(useFold, n), w.zeros(useLost, n)
	fold(sum.fold, unsafe.Pointer(&mean[0]), unsafe.Pointer(&lost[0]), b, sum.comps, sum.elem)
	for i := range mean {
		mean[i] = total(mean[i], lost[i]) / float64(b.rows)
	}
	squares := lost
	clear(squares)
	fold(deviations, unsafe.Pointer(&squares[0]), unsafe.Pointer(&mean[0]), b, sum.comps, sum.elem)
	counts := unsafe.Slice((*int64)(w.get(useCount, b.cols*8)), b.cols)
	for i := range counts {
		counts[i] = int64(b.rows)
	}
	a.combine(s, first, mean, squares, counts)
}

// addMasked widens the elements, so that those left out can be replaced by 0 and then by the mean itself.
func (a *variance) addMasked(w *scratch, s *state, first int, b *block) {
	comps := a.sum.comps
	wide := b.apply(a.widen, w.get(useConverted, b.rows*b.cols*a.typ.Size()), a.from, a.typ.Size())
	n := b.cols * comps
	counts := unsafe.Slice((*int64)(w.get(useCount, b.cols*8)), b.cols)
	clear(counts)
	count(counts, b)
	mean, lost := w.zeros(useMean, n), w.zeros(useLost, n)
	sums := w.zeros(useFold, n)
	replaced := wide.replaced(a.where, unsafe.Pointer(&mean[0]), w.get(useReplaced, b.rows*b.cols*a.typ.Size()), a.typ.Size())
	fold(kernel.LookupFold(kernel.FoldSum, dtype.Float64), unsafe.Pointer(&sums[0]), unsafe.Pointer(&lost[0]), &replaced, comps, 8)
	for i := range mean {
		if c := counts[i/comps]; c > 0 {
			mean[i] = total(sums[i], lost[i]) / float64(c)
		}
	}
	replaced = wide.replaced(a.where, unsafe.Pointer(&mean[0]), replaced.ptr, a.typ.Size())
	clear(sums)
	fold(kernel.LookupFold(kernel.FoldDeviations, dtype.Float64), unsafe.Pointer(&sums[0]), unsafe.Pointer(&mean[0]), &replaced, comps, 8)
	a.combine(s, first, mean, sums, counts)
}

// combine merges means, squared deviations and counts into results.
func (a *variance) combine(s *state, first int, mean, squares []float64, counts []int64) {
	c := a.sum.comps
	x, y := floats(s.x)[first*c:], floats(s.y)[first*c:]
	for i, n := range counts {
		have := s.n[first+i]
		if n == 0 {
			continue
		}
		s.n[first+i] = have + n
		share := float64(n) / float64(have+n)
		for k := i * c; k < (i+1)*c; k++ {
			if have == 0 {
				x[k], y[k] = mean[k], squares[k]
				continue
			}
			d := mean[k] - x[k]
			x[k] += float64(d * share)
			y[k] += squares[k] + float64(float64(d*d)*float64(float64(have)*share))
		}
	}
}

func (a *variance) merge(dst *state, first int, src *state, from, n int) {
	c := a.sum.comps
	a.combine(dst, first, floats(src.x)[from*c:], floats(src.y)[from*c:], src.n[from:from+n])
}

func (a *variance) finish(s *state, n int, _ int64) []byte {
	y := addPairs(floats(s.y[:n*a.sum.comps]), a.sum.comps)
	for i := range y {
		if s.n[i] == 0 {
			y[i] = math.NaN()
			continue
		}
		y[i] /= max(float64(s.n[i])-a.ddof, 0)
	}
	if a.op == Std {
		roots(y)
	}
	return convert(y, a.out)
}
