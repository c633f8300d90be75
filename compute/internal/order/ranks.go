package order

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Ranks are medians or quantiles of the elements along some axes. They are bulk.Work.
type Ranks struct {
	Name    string
	Axes    []int
	Levels  []float64 // of quantiles; a median has one, of 0.5
	Method  Method
	Median  bool // the mean of the one or two elements in the middle
	SkipNaN bool
}

// Each worker copies lanes of up to maxLane elements to memory, several at a time. Longer lanes are
// counted where they lie.
const (
	maxLane    = 1 << 20
	keptShare  = 64 // of how many elements of a long lane one is copied, but for more than manyLevels
	manyLevels = 16
)

// maxKept returns how many keys of a lane that is counted are in memory at once.
func maxKept(room bulk.Room) int { return max(1<<20, int(room.Memory/64)) }

// String implements bulk.Work.
func (k *Ranks) String() string {
	text := fmt.Sprintf("%s over axes %v", k.Name, k.Axes)
	if !k.Median {
		text += fmt.Sprintf(" at %v by %s", k.Levels, k.Method.Name)
	}
	return text
}

// Memory implements bulk.Work.
func (k *Ranks) Memory(args []bulk.Array, room bulk.Room) int64 {
	size := max(8, args[0].DType.Size())
	length := bulk.LaneLength(args[0].Shape, k.Axes)
	if length <= maxLane {
		return int64(room.Workers) * int64(max(bulk.LaneChunk, length*bulk.FewLanes)) * 2 * int64(size)
	}

	// Of a lane that is counted, a sample is kept, or, for many levels, what lies between the
	// bounds of each of them.
	kept := length / keptShare
	if len(k.Levels) > manyLevels {
		kept = length
	}
	return int64(room.Workers)*int64(2*ChunkElems*size) + int64(min(maxKept(room), kept))*8
}

// Run implements bulk.Work.
func (k *Ranks) Run(r *bulk.Run) (err error) {
	seen, err := bulk.InLanes(r.Args[0], k.Axes)
	if err != nil {
		return err
	}
	x, err := pieces.Open(seen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()

	// The axes of a lane are the last ones that are seen.
	w := &ranking{Ranks: k, run: r, x: x, out: r.Dst.Writer(), count: 1, length: bulk.LaneLength(r.Args[0].Shape(), k.Axes)}
	w.keyed, _ = keysOf(x.DType)
	for _, n := range seen.Shape()[:seen.Rank()-len(k.Axes)] {
		w.count *= n
	}
	switch {
	case w.count == 0 || len(k.Levels) == 0:
		return nil
	case w.length > maxLane:
		return w.eachLane()
	}
	return w.allLanes()
}

// A ranking is one run of Ranks: count lanes of length elements each.
type ranking struct {
	*Ranks
	run           *bulk.Run
	keyed         Coding // of no use for complex128, whose keys are Wide
	x             *pieces.Operand
	out           *view.Writer
	count, length int
}

// eachLane finds the ranks of one lane after the other, in passes over its elements by all workers.
func (r *ranking) eachLane() error {
	values := make([]byte, r.run.Dst.DType().Size())
	for lane := range r.count {
		l := Lane{Source: r.x, Coding: r.keyed, First: lane * r.length, N: r.length, MaxKept: maxKept(r.run.Room)}
		var wanted wanted
		elemOf, err := r.selected(l, func(nan int) []int {
			wanted = r.wanted(nan)
			return wanted.positions
		})
		if err != nil {
			return err
		}

		// The selected keys are in the order of the positions. Levels may share a position.
		for i := range r.Levels {
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
func (r *ranking) selected(l Lane, at func(numNaN int) []int) (elemOf func(i int) dtype.Scalar, err error) {
	run := runner(r.run.Pass, r.x, l)
	if r.x.DType == dtype.Complex128 {
		keys, err := SelectWide(l, at, run)
		return func(i int) dtype.Scalar { return keys[i].Scalar() }, err
	}
	keys, err := Select(l, at, run)
	return func(i int) dtype.Scalar { return r.keyed.Scalar(keys[i]) }, err
}

// allLanes finds the ranks of many lanes. One worker takes a whole lane.
func (r *ranking) allLanes() error {
	lanes, touched := bulk.NewLanes(r.x, r.count, r.length), &bulk.Touched{}
	touched.Reads(r.x, lanes.Extent)

	return r.run.Pass.Exec(exec.Chunks(lanes.Chunks(), func() func(int) error {
		buf, values := r.x.Buffer(lanes.Group*r.length), make([]byte, lanes.Group*r.run.Dst.DType().Size())
		find := r.finder()

		return func(chunk int) (err error) {
			var b []byte
			if first, n := lanes.Extent(chunk); n > 0 {
				if b, err = r.x.Fetch(buf, first, n); err != nil {
					return err
				}
			}

			first, n := lanes.Of(chunk)
			return r.lanesOf(b, first, n, values, find)
		}
	}), touched)
}

// lanesOf stores the results of some lanes, whose elements are b.
func (r *ranking) lanesOf(b []byte, first, n int, values []byte, find finder) error {
	size, out := r.x.DType.Size(), r.run.Dst.DType().Size()
	results := make([]byte, len(r.Levels)*n*out)
	for lane := range n {
		wanted, elemAt := find(b[lane*r.length*size : (lane+1)*r.length*size])
		for i := range r.Levels {
			r.result(wanted, i, elemAt).Store(results[(i*n+lane)*out:])
		}
	}
	for i := range r.Levels {
		copy(values, results[i*n*out:(i+1)*n*out])
		if err := r.store(values[:n*out], i, first); err != nil {
			return err
		}
	}
	return nil
}

// store writes the results of one level for lanes from number lane on.
func (r *ranking) store(values []byte, level, lane int) error {
	_, err := r.out.WriteAt(values, int64((level*r.count+lane)*r.run.Dst.DType().Size()))
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
	keys, room := make([]Wide, r.length), make([]Wide, r.length)
	return func(lane []byte) (wanted, func(int) dtype.Scalar) {
		EncodeWide(keys, lane, false)
		Sort(keys, room, 0, false)
		nan := 0
		for nan < len(keys) && keys[len(keys)-1-nan].IsNaN() {
			nan++
		}
		return r.wanted(nan), func(p int) dtype.Scalar { return keys[p].Scalar() }
	}
}

func finderOf[K Key](r *ranking) finder {
	keys := make([]K, r.length)
	return func(lane []byte) (wanted, func(int) dtype.Scalar) {
		Encode(r.keyed, keys, lane)
		nan := 0
		for _, key := range keys {
			if r.keyed.IsNaN(uint64(key)) {
				nan++
			}
		}
		w := r.wanted(nan)
		Choose(keys, w.positions)
		return w, func(p int) dtype.Scalar { return r.keyed.Scalar(uint64(keys[p])) }
	}
}

// A wanted is the positions that the results of a lane depend on.
type wanted struct {
	places    []Place // one for each level; nil if all results are NaN
	positions []int   // ascending
}

// wanted returns what is wanted of a lane with so many NaNs.
func (r *ranking) wanted(nan int) (w wanted) {
	n := r.length - nan
	if n == 0 || nan > 0 && !r.SkipNaN {
		return w
	}
	for _, q := range r.Levels {
		p := Place{Lower: (n - 1) / 2, Upper: n / 2}
		if !r.Median {
			p = r.Method.Place(n, q)
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
	to := r.run.Dst.DType()
	if w.places == nil {
		return nanOf(to)
	}
	p := w.places[level]
	lower, upper := elemAt(p.Lower), elemAt(p.Upper)
	switch {
	case r.Median:
		return middle(lower, upper, to)
	case r.Method.Picks:
		return lower
	}
	return blend(lower, upper, p.Weight, to)
}
