package order

import (
	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

const (
	topShare = 8  // of how many elements one is wanted where a lane is not sorted
	topBytes = 64 // of memory for an element that is wanted
)

// isTop reports whether the elements of a long lane of type t that are wanted are found without
// sorting it.
func (k *Sorting) isTop(t dtype.Type, length int, room bulk.Room) bool {
	return t != dtype.Complex128 && k.First <= length/topShare && int64(k.First) <= room.Memory/(4*topBytes)
}

// topLanes finds what is wanted of each lane, by all workers.
func (s *sorter) topLanes() error {
	out := pieces.AlignedBytes(s.First * s.run.Dst.DType().Size())
	for lane := range s.count {
		l := Lane{Source: s.x, Coding: s.keyed, First: lane * s.length, N: s.length, MaxKept: maxKept(s.run.Room)}
		top := Top{Lane: l, First: s.First, Largest: s.Descending, Indexes: s.Indexes, Run: runner(s.run.Pass, s.x, l)}
		pairs, err := top.Find()
		if err != nil {
			return err
		}

		// The keys that were found belong to elements, or come with their indexes.
		if s.Indexes {
			storePairs(s, out, pairs)
		} else {
			keys := make([]uint64, len(pairs))
			for i, p := range pairs {
				keys[i] = p.Key
			}
			Decode(s.keyed, out, keys)
		}
		if _, err := s.out.WriteAt(out, int64(lane)*int64(len(out))); err != nil {
			return err
		}
	}
	return nil
}

// runner returns a function that runs jobs over a lane of an operand. Chunks that are read have
// ChunkElems elements.
func runner(pass bulk.Pass, x *pieces.Operand, l Lane) Runner {
	return func(j exec.Job, reads bool) error {
		var extent bulk.Extent
		if reads {
			extent = func(chunk int) (first, n int) {
				at := chunk * ChunkElems
				return l.First + at, min(ChunkElems, l.N-at)
			}
		}
		touched := &bulk.Touched{}
		touched.Reads(x, extent)
		pass.Begin()
		return pass.Exec(j, touched)
	}
}
