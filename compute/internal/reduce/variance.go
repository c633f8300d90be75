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
	// fineError and coarseError bound the error of a sum of squares that comes from sums of
	// deviations, in units of the last place of float64. The first is for float64 results, the
	// second for smaller ones.
	fineError, coarseError = 16, 1 << 20
	// fewRows is the number of rows that are taken one by one. Among so few rows, a square that is
	// much larger than those before it shows that the fold loses part of the sum.
	fewRows = 4
	// momentRows is the number of rows that are gone through with one mean at most.
	momentRows = 1024
)

// variance is the accumulator of Var and Std: moments of each component. Some rows are gone through
// twice, for their mean and for the deviations from it. What follows is gone through once, for the
// deviations from the mean so far; that they are not about its own mean is set right in the end. No
// more rows are taken so than there have been, so that a mean which is far off costs no accuracy:
// it is so by deviations that are part of the result.
type variance struct {
	op      Op
	ddof    float64
	nan     bool // see Reduction.NoDegrees
	sum     *sum
	moments kernel.Fold
	widen   kernel.Func // to typ
	where   kernel.Func
	from    int        // bytes of an element before widening
	typ     dtype.Type // that masked elements are widened to
	out     dtype.Type
	limit   float64 // see fineError
}

func newVariance(r *Reduction, t, out dtype.Type) *variance {
	a := &variance{op: r.Op, ddof: r.DDof, nan: r.NoDegrees, sum: newSum(Sum, t, out), from: t.Size(), typ: dtype.Float64, out: out}
	if t.Kind() == dtype.KindComplex {
		a.typ = dtype.Complex128
	}
	if a.limit = coarseError; out == dtype.Float64 {
		a.limit = fineError
	}
	a.moments = kernel.LookupFold(kernel.FoldMoments, t.Part())
	a.widen = kernel.Convert(t, a.typ)
	a.where = kernel.Lookup(kernel.Where, a.typ, 0)
	return a
}

func (a *variance) newState(n int) *state {
	s := a.sum.newState(n)
	s.low, s.n = make([]uint64, 2*n*a.sum.comps), make([]int64, n)
	return s
}

func (a *variance) reset(s *state, n int) {
	a.sum.reset(s, n)
	clear(s.n[:n])
}

func (a *variance) add(w *scratch, s *state, first int, b *block) {
	if 1 < b.rows && b.rows <= fewRows {
		for row := range b.rows {
			part := b.part(row, 1)
			a.add(w, s, first, &part)
		}
		return
	}

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
	have := int(slices.Min(s.n[first : first+b.cols]))
	for row := 0; row < b.rows; {
		part := b.part(row, min(max(have, headRows), momentRows, b.rows-row))
		counts := a.counts(w, &part)
		about := floats(s.x)[first*a.sum.comps:]
		if have == 0 {
			about = a.means(w, a.sum.fold, a.sum.elem, &part, counts)
		}
		a.addAbout(w, s, first, &part, a.moments, a.sum.elem, about, counts)
		row += part.rows
		have += part.rows
	}
}

// counts returns the number of elements of each column of b that are not masked out.
func (a *variance) counts(w *scratch, b *block) []int64 {
	counts := unsafe.Slice((*int64)(w.get(useCount, b.cols*8)), b.cols)
	clear(counts)
	count(counts, b)
	return counts
}

// means returns the means of the columns of b, in which masked elements are 0. It returns 0 for
// means beyond float64.
func (a *variance) means(w *scratch, sum kernel.Fold, elem int, b *block, counts []int64) []float64 {
	n := b.cols * a.sum.comps
	mean, lost := w.zeros(useMean, n), w.zeros(useLost, n)
	fold(sum, unsafe.Pointer(&mean[0]), unsafe.Pointer(&lost[0]), b, a.sum.comps, elem)
	for i := range mean {
		mean[i] = total(mean[i], lost[i]) / float64(max(1, counts[i/a.sum.comps]))
		if !isFinite(mean[i]) {
			mean[i] = 0
		}
	}
	return mean
}

// addMasked widens the elements, so that those left out can be replaced by 0 and then by the mean
// itself.
func (a *variance) addMasked(w *scratch, s *state, first int, b *block) {
	size := a.typ.Size()
	wide := b.apply(a.widen, w.get(useWidened, b.rows*b.cols*size), a.from, size)
	counts := a.counts(w, b)
	zeros := w.zeros(useMean, b.cols*a.sum.comps)
	replaced := wide.replaced(a.where, unsafe.Pointer(&zeros[0]), w.get(useReplaced, b.rows*b.cols*size), size)
	mean := a.means(w, kernel.LookupFold(kernel.FoldSum, dtype.Float64), 8, &replaced, counts)
	replaced = wide.replaced(a.where, unsafe.Pointer(&mean[0]), replaced.ptr, size)
	replaced.mask = wide.mask
	a.addAbout(w, s, first, &replaced, kernel.LookupFold(kernel.FoldMoments, dtype.Float64), 8, mean, counts)
}

// addAbout goes through the elements of a block for their deviations from some finite values, in
// which elements masked out are these values.
func (a *variance) addAbout(w *scratch, s *state, first int, b *block, fn kernel.Fold, elem int, about []float64, counts []int64) {
	k := first * a.sum.comps
	nearer := w.zeros(useLost, b.cols*a.sum.comps)
	m, far, finite := a.momentsAbout(w, floats(s.y)[k:], b, fn, elem, about, nearer, counts)
	if far && b.mask == nil {
		mean := w.zeros(useMean, len(nearer))
		copy(mean, nearer)
		m, _, finite = a.momentsAbout(w, floats(s.y)[k:], b, fn, elem, mean, nearer, counts)
	}
	if !finite {
		a.repair(m, floats(s.y)[k:], b, elem)
	}
	a.momentsOf(s, first).add(m, a.sum.comps)
}

// momentsAbout returns the moments of a block, made from its deviations from some values. far says
// that some of these are so far from the means that sums of squares, together with those so far,
// would suffer from it: nearer then has the means in place of these values, and the others as they
// are. finite says that all moments are finite.
func (a *variance) momentsAbout(w *scratch, to []float64, b *block, fn kernel.Fold, elem int, about, nearer []float64, counts []int64) (m moments, far, finite bool) {
	const cols = kernel.MomentCols
	planes := unsafe.Slice((*float64)(w.get(useFold, 4*cols*8)), 4*cols)
	for plane := 0; plane < len(planes); plane += cols {
		clear(planes[plane:][:b.cols*a.sum.comps])
	}
	fold(fn, unsafe.Pointer(&planes[0]), unsafe.Pointer(&about[0]), b, a.sum.comps, elem)
	m = moments{mean: planes, squares: planes[cols:], lost: planes[2*cols:], low: planes[3*cols:], n: counts}
	far, finite = m.center(about[:b.cols*a.sum.comps], to, nearer, a.sum.comps, a.limit/float64(b.rows))
	return m, far, finite
}

// repair makes those moments of a block anew that are not finite. Where the sum so far, in to, is
// NaN, it stays so.
func (a *variance) repair(m moments, to []float64, b *block, elem int) {
	for i := range b.cols * a.sum.comps {
		if isFinite(m.squares[i]+m.lost[i]) && isFinite(m.mean[i]+m.low[i]) {
			continue
		}
		m.mean[i], m.low[i], m.squares[i], m.lost[i] = 0, 0, math.NaN(), 0
		if !math.IsNaN(to[i]) {
			m.mean[i], m.squares[i] = b.moments(i, a.sum.comps, elem)
		}
	}
}

// momentsOf returns the moments in s from result number first on.
func (a *variance) momentsOf(s *state, first int) moments {
	k := first * a.sum.comps
	return moments{
		mean: floats(s.x)[k:], low: floats(s.low)[k:], squares: floats(s.y)[k:], lost: floats(s.low)[len(s.low)/2+k:], n: s.n[first:],
	}
}

func (a *variance) merge(dst *state, first int, src *state, from, n int) {
	m := a.momentsOf(src, from)
	m.n = m.n[:n]
	a.momentsOf(dst, first).add(m, a.sum.comps)
}

func (a *variance) finish(s *state, n int, _ int64) []byte {
	m := a.momentsOf(s, 0)
	out := m.mean[:n]
	for i := range out {
		if a.nan && float64(m.n[i]) <= a.ddof {
			out[i] = math.NaN()
			continue
		}
		out[i] = m.variance(i, a.sum.comps, a.ddof)
	}
	if a.op == Std {
		roots(out)
	}
	return convert(out, a.out, s.y)
}
