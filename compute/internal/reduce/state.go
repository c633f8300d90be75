package reduce

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A state is the result so far of several reductions. The accumulator knows the meaning of the
// words.
type state struct {
	x, y []uint64
	low  []uint64 // what x and y have lost by rounding, one after the other, where that is kept
	n    []int64  // elements that each result has seen; nil where all see the same
}

// floats returns the words as float64.
func floats(words []uint64) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

// at returns the address of word i. There may be no words.
func at(words []uint64, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(words)), i*8)
}

// words returns how many words hold n elements of size bytes.
func words(n, size int) int { return (n*size + 7) / 8 }

// An accumulator reduces the columns of blocks. It is immutable and shared by all workers; states
// are not.
type accumulator interface {
	// newState returns memory for n results, not yet reset.
	newState(n int) *state
	// reset makes the first n results of s those of no elements.
	reset(s *state, n int)
	// add takes the elements of b into the results from number first on, one for each column.
	add(w *scratch, s *state, first int, b *block)
	// merge merges n results of src, from number from on, into those of dst from number first on.
	// The elements of dst come before those of src. dst and src may be the same state.
	merge(dst *state, first int, src *state, from, n int)
	// finish returns the first n results, elements of the type that it promises, if all that have
	// no count have seen total elements. They may lie in the state, which is not to be used but for
	// a reset.
	finish(s *state, n int, total int64) []byte
}

// A scratch holds the buffers of one worker by their use.
type scratch struct{ buffers [numUses][]byte }

type use int

const (
	useConverted  use = iota // elements after the first step
	useAbsolute              // and after the second
	useWidened               // elements as variances take them, made of those after the steps
	useReplaced              // elements without those masked out
	useTransposed            // of blocks whose rows are short
	useTransposedMask
	useExpanded // scalars
	useExpandedMask
	useFold  // sums of one block
	useLost  // what they have lost
	useMean  // means of one block
	useCount // elements of each column of one block
	useMoved // elements less than their maximum
	numUses
)

// get returns a buffer of at least that many bytes, on a 64-byte boundary. It holds anything, and
// is overwritten by the next call with the same use.
func (w *scratch) get(u use, bytes int) unsafe.Pointer {
	if len(w.buffers[u]) < bytes+64 {
		w.buffers[u] = make([]byte, bytes+64)
	}
	p := unsafe.Pointer(unsafe.SliceData(w.buffers[u]))
	return unsafe.Add(p, (64-int(uintptr(p)%64))%64)
}

// zeros returns n float64 zeros.
func (w *scratch) zeros(u use, n int) []float64 {
	s := unsafe.Slice((*float64)(w.get(u, n*8)), n)
	clear(s)
	return s
}

const (
	// callBytes bounds what one call of a fold reads.
	callBytes = 512 << 10
	// apartRows is the number of rows at least apartBytes long and apart that a fold goes down at a
	// time. More have the lines that are read ahead in the same places of the caches, and cost
	// twice the time.
	apartRows  = 8
	apartBytes = 4 << 10
)

// fold calls a fold on a block, a few rows at a time if it is large.
func fold(f kernel.Fold, acc, aux unsafe.Pointer, b *block, comps, elemSize int) {
	cols := b.cols * comps
	step := max(1, callBytes/max(1, cols*elemSize))
	if cols*elemSize >= apartBytes && max(b.stride, -b.stride) >= apartBytes {
		step = min(step, apartRows)
	}
	for row := 0; row < b.rows; row += step {
		kernel.CallFold(f, acc, aux, unsafe.Add(b.ptr, row*b.stride), b.stride, min(step, b.rows-row), cols)
	}
}

// count adds how many elements of each column of b are not masked out to n.
func count(n []int64, b *block) {
	if b.mask == nil {
		for i := range n[:b.cols] {
			n[i] += int64(b.rows)
		}
		return
	}
	masks := *b
	masks.ptr, masks.stride = b.mask, b.maskStride
	fold(kernel.LookupFold(kernel.FoldSum, dtype.Bool), unsafe.Pointer(&n[0]), nil, &masks, 1, 1)
}
