package reduce

import (
	"math"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

const (
	// headRows is the number of rows that are gone through twice, to have a mean.
	headRows = 32
	// momentBytes bounds the parts of a block that are gone through with one mean.
	momentBytes = 128 << 10
)

// variance is the accumulator of Var and Std: x is the mean of each component, y the sum of its squared deviations
// from it, n the number of elements. Some rows are gone through twice, for their mean and for the deviations from
// it. What follows is gone through once, for the deviations from the mean so far; that they are not about its own
// mean is set right in the end, and costs no accuracy to speak of, because a mean that is far off is so by deviations
// that are part of the result. Parts are merged as in Chan, Golub and LeVeque, Updating Formulae and a Pairwise
// Algorithm for Computing Sample Variances (1979).
type variance struct {
	op      Op
	ddof    float64
	sum     *sum
	moments kernel.Fold
	widen   kernel.Func // to typ
	where   kernel.Func
	from    int        // bytes of an element before widening
	typ     dtype.Type // that masked elements are widened to
	out     dtype.Type
}

func newVariance(op Op, t, out dtype.Type, ddof float64) *variance {
	a := &variance{op: op, ddof: ddof, sum: newSum(Sum, t, out), from: t.Size(), typ: dtype.Float64, out: out}
	if t.Kind() == dtype.KindComplex {
		a.typ = dtype.Complex128
	}
	a.moments = kernel.LookupFold(kernel.FoldMoments, component(t))
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
	maxCols := kernel.MomentCols / a.sum.comps
	for col := 0; col < b.cols; col += maxCols {
		part := b.columns(col, min(maxCols, b.cols-col), a.from)
		if b.mask != nil {
			a.addMasked(w, s, first+col, &part)
		} else {
			a.addPlain(w, s, first+col, &part)
		}
	}
}

// addPlain takes a block without a mask.
func (a *variance) addPlain(w *scratch, s *state, first int, b *block) {
	row := 0
	if slices.Contains(s.n[first:first+b.cols], 0) {
		row = min(headRows, b.rows)
		head := b.part(0, row)
		counts := a.counts(w, &head)
		mean := a.means(w, a.sum.fold, a.sum.elem, &head, counts)
		a.addAbout(w, s, first, &head, a.moments, a.sum.elem, mean, counts)
	}
	step := max(1, momentBytes/max(1, b.cols*a.from))
	for ; row < b.rows; row += step {
		part := b.part(row, min(step, b.rows-row))
		a.addAbout(w, s, first, &part, a.moments, a.sum.elem, floats(s.x)[first*a.sum.comps:], a.counts(w, &part))
	}
}

// counts returns the number of elements of each column of b that are not masked out.
func (a *variance) counts(w *scratch, b *block) []int64 {
	counts := unsafe.Slice((*int64)(w.get(useCount, b.cols*8)), b.cols)
	clear(counts)
	count(counts, b)
	return counts
}

// means returns the means of the columns of b, in which elements masked out are 0.
func (a *variance) means(w *scratch, sum kernel.Fold, elem int, b *block, counts []int64) []float64 {
	n := b.cols * a.sum.comps
	mean, lost := w.zeros(useMean, n), w.zeros(useLost, n)
	fold(sum, unsafe.Pointer(&mean[0]), unsafe.Pointer(&lost[0]), b, a.sum.comps, elem)
	for i := range mean {
		mean[i] = total(mean[i], lost[i]) / float64(max(1, counts[i/a.sum.comps]))
	}
	return mean
}

// addMasked widens the elements, so that those left out can be replaced by 0 and then by the mean itself.
func (a *variance) addMasked(w *scratch, s *state, first int, b *block) {
	size := a.typ.Size()
	wide := b.apply(a.widen, w.get(useConverted, b.rows*b.cols*size), a.from, size)
	counts := a.counts(w, b)
	zeros := w.zeros(useMean, b.cols*a.sum.comps)
	replaced := wide.replaced(a.where, unsafe.Pointer(&zeros[0]), w.get(useReplaced, b.rows*b.cols*size), size)
	mean := a.means(w, kernel.LookupFold(kernel.FoldSum, dtype.Float64), 8, &replaced, counts)
	replaced = wide.replaced(a.where, unsafe.Pointer(&mean[0]), replaced.ptr, size)
	a.addAbout(w, s, first, &replaced, kernel.LookupFold(kernel.FoldMoments, dtype.Float64), 8, mean, counts)
}

// addAbout goes through the elements of a block for their deviations from some values, in which elements masked out
// are these values.
func (a *variance) addAbout(w *scratch, s *state, first int, b *block, moments kernel.Fold, elem int, about []float64, counts []int64) {
	n := b.cols * a.sum.comps
	planes := w.zeros(useFold, 3*kernel.MomentCols)
	sums, squares, lost := planes[:n], planes[kernel.MomentCols:][:n], planes[2*kernel.MomentCols:][:n]
	fold(moments, unsafe.Pointer(&planes[0]), unsafe.Pointer(&about[0]), b, a.sum.comps, elem)
	for i, sum := range sums {
		d := sum / float64(max(1, counts[i/a.sum.comps]))
		squares[i] += lost[i] - float64(d*sum)
		if squares[i] < 0 {
			squares[i] = 0
		}
		sums[i] = about[i] + d
	}
	a.combine(s, first, sums, squares, counts)
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
