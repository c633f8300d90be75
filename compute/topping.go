package compute

import (
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pieces"
)

const (
	topShare = 8  // of how many elements one is wanted where a lane is not sorted
	topBytes = 64 // of memory for an element that is wanted
)

// isTop reports whether the elements of a long lane that are wanted are found without sorting it.
func (k *sorting) isTop(length int, o *Options) bool {
	return !k.wide && k.first <= length/topShare && int64(k.first) <= o.MemoryLimit/(4*topBytes)
}

// topLanes finds what is wanted of each lane, by all workers.
func (s *sorter) topLanes() error {
	size := s.work.dst.DType().Size()
	out := pieces.AlignedBytes(s.first * size)
	for lane := range s.count {
		top := order.Top{
			Lane: order.Lane{
				Source: s.x, Coding: s.keyed, First: lane * s.length, N: s.length, MaxKept: maxKept(&s.work.plan.opts),
			},
			First: s.first, Largest: s.descending, Indexes: s.indexes, Run: s.work.runner(s.x, lane*s.length, s.length),
		}
		pairs, err := top.Find()
		if err != nil {
			return err
		}
		if s.indexes {
			storePairs(s.sorting, out, pairs)
		} else {
			keys := make([]uint64, len(pairs))
			for i, p := range pairs {
				keys[i] = p.Key
			}
			order.Decode(s.keyed, out, keys)
		}
		if _, err := s.out.WriteAt(out, int64(lane)*int64(len(out))); err != nil {
			return err
		}
	}
	return nil
}

// runner returns what runs jobs over a lane of an operand, whose chunks are of order.ChunkElems if they are read.
func (w *bulkWork) runner(x *pieces.Operand, start, length int) order.Runner {
	return func(j exec.Job, reads bool) error {
		w.begin(w.pass)
		if !reads {
			return w.eachOf(j, nil, x)
		}
		return w.each(j, func(chunk int) (first, n int) {
			at := chunk * order.ChunkElems
			return start + at, min(order.ChunkElems, length-at)
		}, x)
	}
}
