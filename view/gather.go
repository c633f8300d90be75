package view

import (
	"context"
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// Gather sets the elements of dst to those of src that f picks: dst = src[f], converted to the type
// of dst by the rules of dtype.Convert. It returns a *ShapeError if dst does not have the shape
// that FancyShape returns.
//
// Elements, indexes and masks are streamed, so all of them may be larger than memory. There are two
// exceptions. A mask beside other arrays is turned into lists of indexes. If dst shares bytes with
// another operand, the result goes through a temporary on the heap.
//
// Gather returns an *IndexError if an index is outside its axis. After an error, part of dst may be
// written.
func Gather(ctx context.Context, dst, src *Tensor, f Fancy) error {
	if err := gather(ctx, dst, src, f); err != nil {
		return fmt.Errorf("gather: %w", err)
	}
	return nil
}

func gather(ctx context.Context, dst, src *Tensor, f Fancy) error {
	p, err := planFancy(ctx, src.layout, f)
	if err != nil {
		return err
	}
	if err := checkShape("gather", dst, p.shape()); err != nil {
		return err
	}
	return intoApart(ctx, dst, append(f.tensors(), src), func(dst *Tensor) error {
		return p.move(ctx, dst, src)
	})
}

// GatherPart is Gather for a part of the result: for as many indexes of its first axis as dst has,
// from number first on. A mask alone picks as a whole, which is an error.
func GatherPart(ctx context.Context, dst, src *Tensor, f Fancy, first int) error {
	if err := gatherPart(ctx, dst, src, f, first); err != nil {
		return fmt.Errorf("gather: %w", err)
	}
	return nil
}

func gatherPart(ctx context.Context, dst, src *Tensor, f Fancy, first int) error {
	p, err := planFancy(ctx, src.layout, f)
	if err != nil {
		return err
	}

	shape := p.shape()
	if p.mask != nil || len(shape) == 0 || dst.Rank() == 0 {
		return fmt.Errorf("the result, of shape %s, has no parts: expected a first axis, and no mask alone", formatShape(shape))
	}

	n := dst.layout.axes[0].n
	if first < 0 || n > shape[0]-first {
		return fmt.Errorf("%d indexes from %d on do not fit the first axis of a result of shape %s", n, first, formatShape(shape))
	}

	shape[0] = n
	if err := checkShape("gather", dst, shape); err != nil {
		return err
	}

	p.narrow(first, n)
	return intoApart(ctx, dst, append(f.tensors(), src), func(dst *Tensor) error {
		return p.move(ctx, dst, src)
	})
}

// narrow leaves n indexes of the first axis of the result, from number first on.
func (p *fancyPlan) narrow(first, n int) {
	if p.split > 0 || len(p.adv) == 0 {
		p.base = p.base.part(0, first, n)
		return
	}
	p.adv[0] = n
	for i := range p.terms {
		array := &p.terms[i].array
		array.layout = array.layout.part(0, first, n)
	}
}

// Check reads all indexes of f and says which one is outside its axis of l. It does not look at
// masks that are alone.
func (f Fancy) Check(ctx context.Context, l Layout) error {
	p, err := planFancy(ctx, l, f)
	if err == nil {
		err = p.check(ctx)
	}
	return err
}

// Scatter sets the elements of dst that f picks to those of src: dst[f] = src. src is broadcast to
// the shape that FancyShape returns, and converted to the type of dst. If f picks an element
// several times, the last one in C order stays.
//
// It streams like Gather. It checks all indexes before it writes anything, and returns an
// *IndexError if an index is outside its axis. An operand that shares bytes with dst is copied to
// the heap first. After an error that is not about arguments, part of dst may be written.
func Scatter(ctx context.Context, dst *Tensor, f Fancy, src *Tensor) error {
	if err := scatter(ctx, dst, f, src); err != nil {
		return fmt.Errorf("scatter: %w", err)
	}
	return nil
}

func scatter(ctx context.Context, dst *Tensor, f Fancy, src *Tensor) error {
	if err := dst.checkWritable(); err != nil {
		return err
	}

	var temps scratch
	defer temps.close()

	f, src, err := temps.apart(ctx, dst, f, src)
	if err != nil {
		return err
	}

	p, err := planFancy(ctx, dst.layout, f)
	if err != nil {
		return err
	}

	whole, err := NewLayout(p.shape()...)
	if err != nil {
		return err
	}
	stretched, err := broadcast("broadcast", src.layout, whole)
	if err != nil {
		return err
	}

	// Check every index before the first write: an index out of range leaves dst as it was.
	if err := p.check(ctx); err != nil {
		return err
	}

	return p.moveBack(ctx, dst, src.derive(stretched))
}

// tensors returns the tensors that the index reads.
func (f Fancy) tensors() []*Tensor {
	var all []*Tensor
	for i := range f {
		if f[i].t != nil {
			all = append(all, f[i].t)
		}
	}
	return all
}

// places returns the positions that the arrays pick.
func (p *fancyPlan) places() places {
	if p.mask != nil {
		return newMaskPlaces(p.base.offset, p.mask)
	}
	return newIndexPlaces(p.base.offset, numElems(p.adv), p.terms)
}

// check reads all indexes and says which one is outside its axis.
func (p *fancyPlan) check(ctx context.Context) error {
	if p.mask != nil {
		return nil
	}
	all := p.places()
	buf := make([]int, placeChunk)
	for {
		if n, err := all.next(ctx, buf); n == 0 || err != nil {
			return err
		}
	}
}

// apart returns l, which has the shape of the result, as the axes of the arrays and those around
// them.
func (p *fancyPlan) apart(l Layout) (arrays Layout, around []axis) {
	end := p.split + len(p.adv)
	around = append(slices.Clone(l.axes[:p.split]), l.axes[end:]...)
	return Layout{axes: l.axes[p.split:end], offset: l.offset}, around
}

// move copies what the plan picks from src to dst.
func (p *fancyPlan) move(ctx context.Context, dst, src *Tensor) error {
	if dst.NumElems() == 0 {
		return p.check(ctx)
	}
	arrays, around := p.apart(dst.layout)
	j := &jumpMove{
		dst: dst, to: newRegularPlaces(arrays), dstBox: around,
		src: src, from: p.places(), srcBox: p.base.axes,
		step: innerStep(arrays),
	}
	return j.run(ctx)
}

// moveBack copies src, which has the shape of the result, to what the plan picks from dst.
func (p *fancyPlan) moveBack(ctx context.Context, dst, src *Tensor) error {
	if src.NumElems() == 0 {
		return nil
	}
	arrays, around := p.apart(src.layout)
	j := &jumpMove{
		dst: dst, to: p.places(), dstBox: p.base.axes,
		src: src, from: newRegularPlaces(arrays), srcBox: around,
		step: innerStep(arrays), srcRegular: true,
	}
	return j.run(ctx)
}

// innerStep returns the distance of neighbours on the last axis longer than 1, or 0.
func innerStep(l Layout) int {
	for _, a := range slices.Backward(l.axes) {
		if a.n > 1 {
			return abs(a.stride)
		}
	}
	return 0
}

// checkShape returns a *ShapeError unless dst has the shape that it needs.
func checkShape(op string, dst *Tensor, want []int) error {
	if got := dst.Shape(); !slices.Equal(got, want) {
		return &ShapeError{Op: op, Want: want, Got: got}
	}
	return nil
}

// numElems returns the product of sizes that a layout was made of.
func numElems(shape []int) int {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return n
}

// intoApart calls fn with dst, which it is to fill, or with a temporary that is copied to dst
// afterwards if dst shares bytes with one of the operands. It refuses a dst that cannot be written.
func intoApart(ctx context.Context, dst *Tensor, operands []*Tensor, fn func(dst *Tensor) error) error {
	if err := dst.checkWritable(); err != nil {
		return err
	}

	for _, t := range operands {
		// One operand that shares bytes with dst is enough for a temporary.
		shared, err := Overlaps(dst, t)
		if err != nil {
			return err
		}
		if !shared {
			continue
		}

		temp, err := newTemp(dst.dt, dst.Shape())
		if err != nil {
			return err
		}
		defer temp.Close()

		if err := fn(temp); err != nil {
			return err
		}

		return copyChecked(ctx, dst, temp)
	}

	return fn(dst)
}

// A scratch is the temporaries of an operation.
type scratch []*Tensor

// apart returns f and src with those tensors replaced by copies on the heap that share bytes with
// dst.
func (s *scratch) apart(ctx context.Context, dst *Tensor, f Fancy, src *Tensor) (Fancy, *Tensor, error) {
	f = slices.Clone(f)
	var err error
	for i := range f {
		if f[i].t == nil {
			continue
		}
		if f[i].t, err = s.apartFrom(ctx, dst, f[i].t); err != nil {
			return nil, nil, err
		}
	}
	src, err = s.apartFrom(ctx, dst, src)
	return f, src, err
}

// apartFrom returns t, or a copy of it on the heap if it shares bytes with dst.
func (s *scratch) apartFrom(ctx context.Context, dst, t *Tensor) (*Tensor, error) {
	shared, err := Overlaps(dst, t)
	if err != nil || !shared {
		return t, err
	}
	temp, err := newTemp(t.dt, t.Shape())
	if err != nil {
		return nil, err
	}
	*s = append(*s, temp)
	return temp, copyChecked(ctx, temp, t)
}

// close frees the temporaries.
func (s scratch) close() {
	for _, t := range s {
		t.Close()
	}
}

// newTemp returns a tensor in C order on the heap.
func newTemp(dt dtype.Type, shape []int) (*Tensor, error) {
	return newPacked(mmapstore.New, dt, shape)
}

// newPacked returns a tensor in C order over memory of its own, that alloc gives.
func newPacked(alloc func(size int64) (*mmapstore.Storage, error), dt dtype.Type, shape []int) (*Tensor, error) {
	l, err := NewLayout(shape...)
	if err != nil {
		return nil, err
	}
	if err := (form{l, dt}).checkCountable(); err != nil {
		return nil, err
	}
	st, err := alloc(int64(l.NumElems()) * int64(dt.Size()))
	if err != nil {
		return nil, err
	}
	defer st.Release()
	return NewTensor(st, dt, l)
}
