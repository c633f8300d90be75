package compute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// ranks are medians or quantiles of the elements along some axes.
type ranks struct {
	name    string
	axes    []int
	levels  []float64 // of quantiles; a median has one, of 0.5
	method  order.Method
	median  bool // the mean of the one or two elements in the middle
	skipNaN bool
	keyed   order.Coding // of no use for complex128, whose keys are order.Wide
}

// Lanes of up to maxLane elements are copied to memory, by each worker some at a time; longer ones are counted where they
// lie. A chunk is lanes of laneChunk elements together, or more of them where elements of several lanes are next to each
// other.
const (
	maxLane   = 1 << 20
	laneChunk = 1 << 16
	fewLanes  = 16
	keptShare = 64 // of how many elements of a long lane one is copied, but for more than manyLevels

	manyLevels = 16
)

// maxKept returns how many keys of a lane that is counted are in memory at once.
func maxKept(o *Options) int { return max(1<<20, int(o.MemoryLimit/64)) }

// String implements bulk.
func (k *ranks) String() string {
	text := fmt.Sprintf("%s over axes %v", k.name, k.axes)
	if !k.median {
		text += fmt.Sprintf(" at %v by %s", k.levels, k.method.Name)
	}
	return text
}

// memory implements bulk.
func (k *ranks) memory(n *node, o *Options) int64 {
	x := n.args[0]
	length := 1
	for _, axis := range k.axes {
		length *= x.shape[axis]
	}
	if length > maxLane {
		kept := length / keptShare
		if len(k.levels) > manyLevels {
			kept = length
		}
		room := 2 * order.ChunkElems * max(8, x.dtype.Size())
		return int64(o.Parallelism)*int64(room) + int64(min(maxKept(o), kept))*8
	}
	return int64(o.Parallelism) * int64(max(laneChunk, length*fewLanes)) * 2 * int64(max(8, x.dtype.Size()))
}

// run implements bulk.
func (k *ranks) run(w *bulkWork) (err error) {
	seen, err := inLanes(w.args[0], k.axes)
	if err != nil {
		return err
	}
	x, err := pieces.Open(seen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	r := &ranking{ranks: k, work: w, x: x, out: w.dst.Writer(), count: 1, length: 1}
	shape := seen.Shape()
	for i, n := range shape {
		if i < len(shape)-len(k.axes) {
			r.count *= n
		} else {
			r.length *= n
		}
	}
	if r.count == 0 || len(k.levels) == 0 {
		return nil
	}
	if r.length > maxLane {
		return r.eachLane()
	}
	return r.allLanes()
}

// A ranking is one run of ranks: count lanes of length elements each.
type ranking struct {
	*ranks
	work          *bulkWork
	x             *pieces.Operand
	out           *view.Writer
	count, length int
}

// eachLane finds the ranks of one lane after the other, in passes over its elements by all workers.
func (r *ranking) eachLane() error {
	values := make([]byte, r.work.dst.DType().Size())
	for lane := range r.count {
		l := order.Lane{Source: r.x, Coding: r.keyed, First: lane * r.length, N: r.length, MaxKept: maxKept(&r.work.plan.opts)}
		var wanted wanted
		elemOf, err := r.selected(l, func(nan int) []int {
			wanted = r.wanted(nan)
			return wanted.positions
		})
		if err != nil {
			return err
		}
		for i := range r.levels {
			r.result(wanted, i, func(p int) dtype.Scalar {
				at, _ := slices.BinarySearch(wanted.positions, p)
				return elemOf(at)
			}).Store(values)
			if err := r.store(values, i, lane); err != nil {
				return err
			}
		}
	}
	return nil
}

// selected finds the elements at positions of a sorted lane; elemOf returns that of one of them.
func (r *ranking) selected(l order.Lane, at func(numNaN int) []int) (elemOf func(i int) dtype.Scalar, err error) {
	run := r.work.runner(r.x, l.First, l.N)
	if r.x.DType == dtype.Complex128 {
		keys, err := order.SelectWide(l, at, run)
		return func(i int) dtype.Scalar { return keys[i].Scalar() }, err
	}
	keys, err := order.Select(l, at, run)
	return func(i int) dtype.Scalar { return r.keyed.Scalar(keys[i]) }, err
}

// allLanes finds the ranks of many lanes, each by one worker.
func (r *ranking) allLanes() error {
	group := max(1, laneChunk/max(1, r.length))
	if !r.x.InPlace() {
		group = max(group, fewLanes)
	}
	chunks := (r.count + group - 1) / group
	extent := func(chunk int) (first, n int) {
		return chunk * group * r.length, min(group, r.count-chunk*group) * r.length
	}
	return r.work.each(chunkedBy{chunks, func() func(int) error {
		buf, values := r.x.Buffer(group*r.length), make([]byte, group*r.work.dst.DType().Size())
		find := r.finder()
		return func(chunk int) error {
			first, n := extent(chunk)
			var b []byte
			if n > 0 {
				var err error
				if b, err = r.x.Fetch(buf, first, n); err != nil {
					return err
				}
			}
			return r.lanesOf(b, chunk*group, min(group, r.count-chunk*group), values, find)
		}
	}}, extent, r.x)
}

// lanesOf stores the results of some lanes, whose elements are b.
func (r *ranking) lanesOf(b []byte, first, n int, values []byte, find finder) error {
	size, out := r.x.DType.Size(), r.work.dst.DType().Size()
	results := make([]byte, len(r.levels)*n*out)
	for lane := range n {
		wanted, elemAt := find(b[lane*r.length*size : (lane+1)*r.length*size])
		for i := range r.levels {
			r.result(wanted, i, elemAt).Store(results[(i*n+lane)*out:])
		}
	}
	for i := range r.levels {
		copy(values, results[i*n*out:(i+1)*n*out])
		if err := r.store(values[:n*out], i, first); err != nil {
			return err
		}
	}
	return nil
}

// store writes the results of one level for lanes from number lane on.
func (r *ranking) store(values []byte, level, lane int) error {
	_, err := r.out.WriteAt(values, int64((level*r.count+lane)*r.work.dst.DType().Size()))
	return err
}

// A finder finds what is wanted of the elements of a lane, and those at these positions.
type finder func(lane []byte) (wanted, func(position int) dtype.Scalar)

// finder returns the finder of one worker.
func (r *ranking) finder() finder {
	switch {
	case r.x.DType == dtype.Complex128:
		return wideFinder(r)
	case r.keyed.Wide():
		return finderOf[uint64](r)
	}
	return finderOf[uint32](r)
}

func wideFinder(r *ranking) finder {
	keys, room := make([]order.Wide, r.length), make([]order.Wide, r.length)
	return func(lane []byte) (wanted, func(int) dtype.Scalar) {
		order.EncodeWide(keys, lane, false)
		order.Sort(keys, room, 0, false)
		nan := 0
		for nan < len(keys) && keys[len(keys)-1-nan].IsNaN() {
			nan++
		}
		return r.wanted(nan), func(p int) dtype.Scalar { return keys[p].Scalar() }
	}
}

func finderOf[K order.Key](r *ranking) finder {
	keys := make([]K, r.length)
	return func(lane []byte) (wanted, func(int) dtype.Scalar) {
		order.Encode(r.keyed, keys, lane)
		nan := 0
		for _, key := range keys {
			if r.keyed.IsNaN(uint64(key)) {
				nan++
			}
		}
		w := r.wanted(nan)
		order.Choose(keys, w.positions)
		return w, func(p int) dtype.Scalar { return r.keyed.Scalar(uint64(keys[p])) }
	}
}

// A wanted is the positions that the results of a lane depend on.
type wanted struct {
	places    []order.Place // one for each level; nil if all results are NaN
	positions []int         // ascending
}

// wanted returns what is wanted of a lane with so many NaNs.
func (r *ranking) wanted(nan int) (w wanted) {
	n := r.length - nan
	if n == 0 || nan > 0 && !r.skipNaN {
		return w
	}
	for _, q := range r.levels {
		p := order.Place{Lower: (n - 1) / 2, Upper: n / 2}
		if !r.median {
			p = r.method.Place(n, q)
		}
		w.places = append(w.places, p)
		w.positions = append(w.positions, p.Lower, p.Upper)
	}
	slices.Sort(w.positions)
	w.positions = slices.Compact(w.positions)
	return w
}

// result returns the result at one level.
func (r *ranking) result(w wanted, level int, elemAt func(position int) dtype.Scalar) dtype.Scalar {
	to := r.work.dst.DType()
	if w.places == nil {
		return nanOf(to)
	}
	p := w.places[level]
	lower, upper := elemAt(p.Lower), elemAt(p.Upper)
	switch {
	case r.median:
		return middle(lower, upper, to)
	case r.method.Picks:
		return lower
	}
	return blend(lower, upper, p.Weight, to)
}
