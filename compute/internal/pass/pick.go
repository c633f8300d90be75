package pass

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A pick is an input whose elements arrays of indexes pick. It consists of rows: the last axes along
// which no index changes. Programs compute the indexes of the rows.
type pick struct {
	view.Picks
	source  leaf
	rows    int // axes before those of a row
	row     int // elements
	indexes []*passRun
}

// pick adds an input that is picked.
func (l *lowering) pick(n *graph.Node) (machine.Value, error) {
	from := newLowering(n.Args[0].Shape, l.kept)
	defer from.recycle()
	if _, err := from.value(n.Args[0]); err != nil {
		return 0, err
	}
	p := &pick{Picks: n.Picks.InPlace, source: from.leaves[0], rows: len(n.Shape), row: 1}
	if p.source.kept == n.Args[0] {
		p.Picks = n.Picks.Packed
	}
	p.source.layout = p.Layout

	// Indexes have one element for a row.
	shape := append([]int{}, n.Shape...)
	for ; p.rows > 0 && !changesAlong(n, p.rows-1); p.rows-- {
		p.row *= n.Shape[p.rows-1]
		shape[p.rows-1] = 1
	}
	for _, arg := range n.Args[1:] {
		index := newLowering(shape, l.kept)
		defer index.recycle()
		if err := index.output(arg, dtype.Int64); err != nil {
			return 0, err
		}
		p.indexes = append(p.indexes, &passRun{pass: &pass{shape: shape}, program: index.builder.Program(), leaves: index.leaves})
	}
	return l.leaf(leaf{pick: p, dtype: n.DType, layout: graph.Whole(n.Shape)})
}

// changesAlong reports whether an index of what is picked changes along an axis.
func changesAlong(n *graph.Node, axis int) bool {
	for _, index := range n.Args[1:] {
		if at := axis - len(n.Shape) + len(index.Shape); at >= 0 && index.Shape[at] != 1 {
			return true
		}
	}
	return false
}

// A picker makes elements of a pick, in C order.
type picker struct {
	*pick
	size    int
	indexes []*partMaker
	across  plan.Nest // of the rows
	along   plan.Nest // of a row
	in      machine.Input
	rooms   sync.Pool // of *pickRoom
}

// A pickRoom holds the indexes of rows, and where the rows begin.
type pickRoom struct{ indexes, at [pickBlock]int64 }

// picker binds the operands of a pick.
func (r *run) picker(m *Memory, a leaf) (*picker, error) {
	p := &picker{pick: a.pick, size: a.dtype.Size()}
	for _, index := range a.pick.indexes {
		maker, err := r.partMaker(m, index, dtype.Int64.Size())
		if err != nil {
			return nil, err
		}
		p.indexes = append(p.indexes, maker)
	}
	o, err := r.partOperand(m, a.pick.source)
	if err != nil {
		return nil, err
	}

	shape, from := p.Layout.Shape(), laidOut(p.Layout, p.size)
	to := laidOut(graph.Whole(shape), p.size)
	nest := func(first, end int) plan.Nest {
		part := func(o plan.Operand) plan.Operand {
			return plan.Operand{Strides: o.Strides[first:end], ElemSize: p.size}
		}
		return plan.New(shape[first:end], []plan.Operand{part(from), part(to)}, 1)
	}
	p.across, p.along = nest(0, p.rows), nest(p.rows, len(shape))
	p.in = machine.Input{Base: o.Base, Fill: o.Fill, Inner: p.along.Inner(0)}
	p.rooms.New = func() any { return &pickRoom{} }
	return p, nil
}

// pickBlock is the number of rows whose indexes are computed at a time.
const pickBlock = 1 << 10

// make makes n elements from number first on.
func (p *picker) make(dst unsafe.Pointer, first, n int) {
	room := p.rooms.Get().(*pickRoom)
	defer p.rooms.Put(room)
	for made := 0; made < n; {
		row, skip := (first+made)/p.row, (first+made)%p.row
		rows := min(pickBlock, (skip+n-made+p.row-1)/p.row)
		p.places(room.at[:rows], room.indexes[:rows], row)
		if p.row == 1 && p.in.Fill == nil {
			copyElements(unsafe.Add(dst, made*p.size), p.in.Base, room.at[:rows], p.size)
			made += rows
			continue
		}
		for _, place := range room.at[:rows] {
			some := min(n-made, p.row-skip)
			p.copy(unsafe.Add(dst, made*p.size), int(place), skip, some)
			made, skip = made+some, 0
		}
	}
}

// places finds where rows from number first on begin. room is for their indexes.
func (p *picker) places(at, room []int64, first int) {
	last := len(p.across.Sizes) - 1
	columns, stride := p.across.Sizes[last], int64(p.across.Strides[0][last])
	for i := 0; i < len(at); {
		place := int64(offset(&p.across, first+i))
		for end := min(len(at), i+columns-(first+i)%columns); i < end; i++ {
			at[i] = place
			place += stride
		}
	}
	for k, index := range p.indexes {
		index.make(unsafe.Pointer(unsafe.SliceData(room)), first, len(room), dtype.Int64.Size())
		size, stride := int64(p.Sizes[k]), int64(p.Strides[k]*p.size)
		for i, v := range room {
			if v < 0 {
				v += size
			}
			if uint64(v) >= uint64(size) {
				v = 0 // indexes have been checked: somebody changes them, or their elements
			}
			at[i] += v * stride
		}
	}
}

// offset returns where the first operand of a nest is at element number n.
func offset(nest *plan.Nest, n int) int {
	at := nest.Start[0]
	for axis := len(nest.Sizes) - 1; axis >= 0 && n > 0; axis-- {
		at += n % nest.Sizes[axis] * nest.Strides[0][axis]
		n /= nest.Sizes[axis]
	}
	return at
}

// copy copies n elements of a row, from number skip on, that begins at a place.
func (p *picker) copy(dst unsafe.Pointer, place, skip, n int) {
	columns := p.along.Sizes[len(p.along.Sizes)-1]
	for made := 0; made < n; {
		some := min(n-made, columns-(skip+made)%columns)
		p.in.Gather(unsafe.Add(dst, made*p.size), p.size, place+offset(&p.along, skip+made), 1, some)
		made += some
	}
}

// copyElements copies elements at some places to dst, side by side.
func copyElements(dst, base unsafe.Pointer, at []int64, size int) {
	switch size {
	case 1:
		copyPlaced[byte](dst, base, at)
	case 2:
		copyPlaced[uint16](dst, base, at)
	case 4:
		copyPlaced[uint32](dst, base, at)
	case 8:
		copyPlaced[uint64](dst, base, at)
	default:
		copyPlaced[[2]uint64](dst, base, at)
	}
}

func copyPlaced[T any](dst, base unsafe.Pointer, at []int64) {
	to := unsafe.Slice((*T)(dst), len(at))
	for i, place := range at {
		to[i] = *(*T)(unsafe.Add(base, place))
	}
}

// checkIndexes returns an error if a pass picks by an index that is outside its axis. Ahead of all
// passes, it leaves out indexes that are computed of what they keep or overwrite.
func (r *run) checkIndexes(pr *passRun, ahead bool) error {
	for _, a := range pr.leaves {
		if err := r.checkLeaf(a, ahead); err != nil {
			return err
		}
	}
	return nil
}

// checkAhead checks the indexes that need no pass to be computed, before any of several passes stores
// elements.
func (r *run) checkAhead() error {
	if len(r.plan.passes) == 1 {
		return nil // which checks them
	}
	for _, pr := range r.plan.passes {
		if err := r.checkIndexes(pr, true); err != nil {
			return fmt.Errorf("pass 1 of %d: %w", len(r.plan.passes), err)
		}
	}
	return nil
}

// waits reports whether a program reads what passes keep, or what a statement overwrites.
func (r *run) waits(pr *passRun) (waits bool) {
	for _, a := range pr.leaves {
		a.each(func(b leaf) { waits = waits || b.kept != nil || b.tensor != nil && r.plan.overwrites(b.tensor) })
	}
	return waits
}

// overwrites reports whether a statement stores elements where a tensor may have its own.
func (p *Plan) overwrites(t *view.Tensor) bool {
	return slices.ContainsFunc(p.program.Statements, func(st graph.Statement) bool {
		if st.Dst == nil {
			return false
		}
		some, err := view.Overlaps(st.Dst, t)
		return some || err != nil // later, the pass tells the error
	})
}

// checkLeaf checks the indexes of the elements that a leaf shows.
func (r *run) checkLeaf(a leaf, ahead bool) error {
	lo, hi := a.layout.Bounds()
	if lo >= hi {
		return nil
	}
	switch {
	case a.join != nil:
		for i, part := range a.join.parts {
			if a.join.Before(i, lo) == a.join.Before(i, hi) {
				continue // none of it is shown
			}
			if err := r.checkIndexes(part, ahead); err != nil {
				return err
			}
		}
	case a.pick != nil:
		for k, index := range a.pick.indexes {
			if err := r.checkIndexes(index, ahead); err != nil {
				return err
			}
			if ahead && r.waits(index) {
				continue
			}
			if err := r.checkIndex(a.pick, k, lo, hi); err != nil {
				return err
			}
		}
		if source := a.pick.source; source.join != nil || source.pick != nil {
			source.layout = graph.Whole([]int{source.elems()}) // indexes pick any of them
			return r.checkLeaf(source, ahead)
		}
	}
	return nil
}

// elems returns the number of elements of a join or a pick, of which a leaf may show some.
func (a leaf) elems() int {
	if a.pick != nil {
		return a.pick.Layout.NumElems()
	}
	n := 0
	for _, part := range a.join.parts {
		n += graph.NumElems(part.shape)
	}
	return n
}

// checkIndex checks the elements of an index by which elements from number lo up to hi are picked.
func (r *run) checkIndex(p *pick, k, lo, hi int) error {
	m := memories.Get().(*Memory)
	defer m.Close()
	maker, err := r.partMaker(m, p.indexes[k], dtype.Int64.Size())
	if err != nil {
		return err
	}
	first, rows := lo/p.row, (hi-1)/p.row+1-lo/p.row
	return exec.Run(r.ctx, exec.Chunks((rows+checkChunk-1)/checkChunk, func() func(int) error {
		var room [pickBlock]int64
		return func(chunk int) error {
			end := first + min((chunk+1)*checkChunk, rows)
			for row := first + chunk*checkChunk; row < end; row += pickBlock {
				some := room[:min(pickBlock, end-row)]
				maker.make(unsafe.Pointer(unsafe.SliceData(some)), row, len(some), dtype.Int64.Size())
				if err := p.check(k, some); err != nil {
					return err
				}
			}
			return nil
		}
	}), exec.Options{Parallelism: r.Workers(), Storages: m.Storages})
}

// checkChunk is the number of rows whose indexes a worker checks at a time.
const checkChunk = 1 << 17

// check checks elements of an index.
func (p *pick) check(k int, elems []int64) error {
	size := int64(p.Sizes[k])
	for _, v := range elems {
		if v < -size || v >= size {
			return &view.IndexError{Axis: p.Axes[k], Index: int(v), Size: int(size)}
		}
	}
	return nil
}
