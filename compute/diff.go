package compute

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// DiffOptions say when two elements a and b count as equal: if a == b, or, by the rule of NumPy's
// isclose, if b is finite and |a-b| <= ATol + RTol·|b|.
type DiffOptions struct {
	RTol, ATol float64 // not negative
	// EqualNaN makes a NaN equal to a NaN. A complex number is a NaN if one of its parts is.
	EqualNaN bool
	// Limit is the most differences that are listed: 0 is 10, a negative one none.
	Limit int
}

const defaultLimit = 10

func (o DiffOptions) check() error {
	for _, tol := range []float64{o.RTol, o.ATol} {
		if !(tol >= 0) {
			return fmt.Errorf("tolerance %v: expected 0 or more", tol)
		}
	}
	return nil
}

// A Difference is the result of [Diff].
type Difference struct {
	Compared int // elements
	Count    int // pairs that differ by more than the options allow
	// MaxAbs is the largest |a-b| and MaxRel the largest |a-b|/|b| of all pairs, those that count
	// as equal too. Pairs with a NaN are left out of both, and those where b is 0 or infinite out
	// of MaxRel.
	MaxAbs, MaxRel float64
	First          []Mismatch // the first ones in C order
}

// A Mismatch is a pair of elements that differ.
type Mismatch struct {
	Index []int // one number per axis
	A, B  dtype.Scalar
}

// Diff compares a and b element by element, in one pass and in memory for a few chunks of 65,536
// elements. Their shapes must be the same, otherwise the error is a *view.ShapeError; types and
// layouts may differ. It ends with the error of ctx when that is cancelled.
//
// Integers are compared exactly, whatever their types. If one of the two is a float, both are taken
// as float64, and if one is complex, both as complex128.
func Diff(ctx context.Context, a, b Elements, o DiffOptions) (Difference, error) {
	d, err := diff(ctx, a, b, o)
	if err != nil {
		return Difference{}, fmt.Errorf("diff: %w", err)
	}
	return d, nil
}

func diff(ctx context.Context, a, b Elements, o DiffOptions) (d Difference, err error) {
	if err := o.check(); err != nil {
		return d, err
	}
	if !slices.Equal(a.Shape(), b.Shape()) {
		return d, &view.ShapeError{Op: "diff", Want: a.Shape(), Got: b.Shape()}
	}

	p := &pair{opts: o, shape: a.Shape()}
	if o.Limit == 0 {
		p.opts.Limit = defaultLimit
	}

	if p.a, err = openElements(a); err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, p.a.Close()) }()
	if p.b, err = openElements(b); err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, p.b.Close()) }()

	found, err := fold(ctx, a.NumElems(), runtime.GOMAXPROCS(0), p.newWorker, p.combine)
	return p.difference(found), err
}

// A pair is two arrays that are compared.
type pair struct {
	a, b  *pieces.Operand
	shape []int
	opts  DiffOptions
}

// found is the result of comparing a part of the elements.
type found struct {
	count          int
	maxAbs, maxRel float64
	first          []spot
}

// A spot is where elements differ, by their number in C order.
type spot struct {
	number int
	a, b   dtype.Scalar
}

func (p *pair) newWorker() worker[found] {
	bufA, bufB := p.a.Buffer(chunkElems), p.b.Buffer(chunkElems)
	compare := p.newComparer()

	return func(first, n int) (found, error) {
		a, err := p.a.Fetch(bufA, first, n)
		if err != nil {
			return found{}, err
		}
		b, err := p.b.Fetch(bufB, first, n)
		if err != nil {
			return found{}, err
		}

		// The bytes may be mapped: a disk error in them is a fault, which the guard turns into an
		// error.
		var f found
		err = mmapstore.GuardAll(func() error {
			f = p.compareChunk(compare, a, b, first)
			return nil
		}, slices.Concat(p.a.Storages(), p.b.Storages())...)
		return f, err
	}
}

// compareChunk compares packed elements. The first one has index first.
func (p *pair) compareChunk(compare comparer, a, b []byte, first int) found {
	var f found
	s, t := p.a.DType, p.b.DType
	compare(a, b, &f, func(i int) {
		f.count++
		if len(f.first) < p.opts.Limit {
			f.first = append(f.first, spot{first + i, dtype.Load(s, a[i*s.Size():]), dtype.Load(t, b[i*t.Size():])})
		}
	})
	return f
}

// combine joins what was found in neighbouring parts.
func (p *pair) combine(f, g found) found {
	f.count += g.count
	f.maxAbs, f.maxRel = max(f.maxAbs, g.maxAbs), max(f.maxRel, g.maxRel)
	room := max(0, p.opts.Limit-len(f.first))
	f.first = append(f.first, g.first[:min(room, len(g.first))]...)
	return f
}

func (p *pair) difference(f found) Difference {
	d := Difference{Compared: p.a.NumElems, Count: f.count, MaxAbs: f.maxAbs, MaxRel: f.maxRel}
	for _, s := range f.first {
		d.First = append(d.First, Mismatch{indexOf(s.number, p.shape), s.a, s.b})
	}
	return d
}

// indexOf is the index of an element by its number in C order.
func indexOf(number int, shape []int) []int {
	index := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = number % shape[axis]
		number /= shape[axis]
	}
	return index
}
