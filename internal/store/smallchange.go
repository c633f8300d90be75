package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// smallChange is a change of few bytes, which a patch makes.
type smallChange struct {
	// runs are the bytes of the payload that the patch has.
	runs []catalog.Run
	// layout is the layout of the changed elements: in the only run, or packed in C order if at is
	// set.
	layout view.Layout
	// at is the index in the payload of each element of layout. It is nil if they lie in the only run.
	at []int64
	// pick picks elements of layout; nil for all of them.
	pick view.Fancy
}

// smallChange returns the change of a part, or if f is not nil of what f picks of it, as a patch.
// It returns nil if that would be too many bytes, or too many runs.
func (i *Info) smallChange(ctx context.Context, f view.Fancy) (*smallChange, error) {
	if i.spanBytes() <= patchLimit {
		return i.narrowChange(f)
	}
	return i.scatteredChange(ctx, f)
}

// narrowChange returns a change of elements that lie near each other: of all bytes in between.
func (i *Info) narrowChange(f view.Fancy) (*smallChange, error) {
	lo, hi := i.Layout.Bounds()
	c := &smallChange{pick: f}
	var err error
	if lo == hi { // strides mean nothing where there is no element
		c.layout, err = view.NewLayout(i.Layout.Shape()...)
		return c, err
	}
	size := i.DType.Size()
	c.runs = []catalog.Run{{Offset: int64(lo * size), Bytes: make([]byte, (hi-lo)*size)}}
	c.layout, err = view.MakeLayout(i.Layout.Shape(), i.Layout.Strides(), i.Layout.Offset()-lo)
	return c, err
}

// scatteredChange returns a change of few elements far apart; nil if they are not few.
func (i *Info) scatteredChange(ctx context.Context, f view.Fancy) (*smallChange, error) {
	// If axes overlap, the change of the whole file reports it.
	if i.Layout.SelfOverlap() == view.OverlapYes {
		return nil, nil
	}

	// Count the elements before anything is made for each.
	shape, err := view.FancyShape(ctx, i.Layout, f)
	if err != nil {
		return nil, err
	}
	c := &smallChange{}
	if c.layout, err = view.NewLayout(shape...); err != nil {
		return nil, err
	}
	if c.layout.NumElems() > patchLimit/i.DType.Size() {
		return nil, nil
	}

	// Find them.
	c.at = make([]int64, c.layout.NumElems())
	list, err := view.FromSlice(c.at)
	if err != nil {
		return nil, err
	}
	defer list.Close()
	t, err := list.Reshape(shape...)
	if err != nil {
		return nil, err
	}
	if err := f.Positions(ctx, t, i.Layout); err != nil {
		return nil, err
	}
	if c.runs = runsOf(c.at, i.DType.Size()); c.runs == nil {
		return nil, nil
	}
	return c, nil
}

// nearBytes is a gap between runs that costs a patch no more than a run does.
const nearBytes = 32

// runsOf returns the runs of bytes that hold the elements at the given places, with what lies
// between neighbours: the less, the fewer runs there are. It is nil where they are more than a
// patch takes.
func runsOf(at []int64, size int) []catalog.Run {
	at = slices.Compact(slices.Sorted(slices.Values(at)))
	for near := int64(nearBytes); ; near *= 2 {
		// Go through the places, as long as they are few bytes.
		ends := make([]int, 0, catalog.MaxPatchRuns) // of runs, in at
		total, first := int64(0), 0
		for k := range at {
			end := (at[k] + 1) * int64(size)
			if k+1 < len(at) && at[k+1]*int64(size)-end <= near {
				continue
			}
			total += end - at[first]*int64(size)
			ends, first = append(ends, k+1), k+1
		}
		if total > patchLimit {
			return nil
		}
		if len(ends) > catalog.MaxPatchRuns {
			continue
		}

		// Make the runs, over one piece of memory.
		runs, room, first := make([]catalog.Run, 0, len(ends)), make([]byte, total), 0
		for _, end := range ends {
			lo, hi := at[first]*int64(size), (at[end-1]+1)*int64(size)
			runs = append(runs, catalog.Run{Offset: lo, Bytes: room[: hi-lo : hi-lo]})
			room, first = room[hi-lo:], end
		}
		return runs
	}
}

// numBytes returns how many bytes the patch has.
func (c *smallChange) numBytes() (n int64) {
	for _, r := range c.runs {
		n += int64(len(r.Bytes))
	}
	return n
}

// apply changes the bytes of the runs, which hold the old ones.
func (c *smallChange) apply(dt dtype.Type, change pickedChange) error {
	// Elements near each other are changed where they are.
	fn := func(dst *view.Tensor) error { return change(dst, c.pick) }
	if c.at == nil {
		var b []byte
		if len(c.runs) > 0 {
			b = c.runs[0].Bytes
		}
		return withBytes(b, dt, c.layout, fn)
	}

	// Others are brought together, and back again. Of an element that is picked several times, the
	// last value stays.
	size := dt.Size()
	b := make([]byte, len(c.at)*size)
	for k, at := range c.at {
		copy(b[k*size:(k+1)*size], c.bytesAt(at*int64(size)))
	}
	if err := withBytes(b, dt, c.layout, fn); err != nil {
		return err
	}
	for k, at := range c.at {
		copy(c.bytesAt(at*int64(size)), b[k*size:(k+1)*size])
	}
	return nil
}

// bytesAt returns the bytes of the runs from an offset on, which one of them has.
func (c *smallChange) bytesAt(offset int64) []byte {
	i, found := slices.BinarySearchFunc(c.runs, offset, func(r catalog.Run, offset int64) int { return cmp.Compare(r.Offset, offset) })
	if !found {
		i--
	}
	return c.runs[i].Bytes[offset-c.runs[i].Offset:]
}
