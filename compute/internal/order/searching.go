package order

import (
	"errors"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// Searching is the places of the second operand among the sorted elements of the first one, which
// has the same type. It is bulk.Work.
type Searching struct {
	After bool // equal elements
}

// String implements bulk.Work.
func (k *Searching) String() string {
	if k.After {
		return "places behind equal elements"
	}
	return "places before equal elements"
}

// Memory implements bulk.Work.
func (k *Searching) Memory(args []bulk.Array, room bulk.Room) int64 {
	if bytes := soughtBytes(args[0].DType, args[0].NumElems()); copiesSought(bytes, room) {
		return bytes
	}
	return 0
}

// soughtBytes returns the size of the keys of n elements of type t.
func soughtBytes(t dtype.Type, n int) int64 {
	keyed, _ := CodingOf(t) // of complex128 it tells only the size: its keys are Wide
	return int64(n) * int64(max(64, keyed.Bits())/8)
}

// copiesSought reports whether the keys of all elements are kept in memory during a search. The
// elements have that many bytes.
func copiesSought(bytes int64, room bulk.Room) bool { return bytes <= room.Memory/8 }

// Run implements bulk.Work.
func (k *Searching) Run(r *bulk.Run) error {
	if r.Args[0].DType() == dtype.Complex128 {
		return searchBy[Wide](k, r)
	}
	return searchBy[uint64](k, r)
}

// searchChunk is the number of elements that a worker searches places for at a time.
const searchChunk = 1 << 14

// searchBy finds the places by keys of one kind.
func searchBy[K Sought](k *Searching, r *bulk.Run) (err error) {
	x, err := pieces.Open(r.Args[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	a, err := pieces.Open(r.Args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	keyed, _ := CodingOf(a.DType)
	sorted, err := sortedOf[K](a, keyed, r.Room)
	if err != nil || x.NumElems == 0 {
		return err
	}

	// The sorted elements may be searched where they lie, so they guard the chunks as well.
	touched := &bulk.Touched{Storages: a.Storages()}
	touched.Reads(x, nil)
	out := r.Dst.Writer()
	return r.Pass.Exec(exec.Chunks((x.NumElems+searchChunk-1)/searchChunk, func() func(int) error {
		buf, keys, at := x.Buffer(searchChunk), make([]K, searchChunk), pieces.AlignedBytes(8*searchChunk)
		return func(chunk int) error {
			first := chunk * searchChunk
			n := min(searchChunk, x.NumElems-first)
			b, err := x.Fetch(buf, first, n)
			if err != nil {
				return err
			}
			EncodeSought(keyed, keys[:n], b)
			sorted.Search(pieces.As[int64](at)[:n], keys[:n], k.After)
			_, err = out.WriteAt(at[:8*n], int64(8*first))
			return err
		}
	}), touched)
}

// sortedOf returns the sorted elements of a, for searches in them.
func sortedOf[K Sought](a *pieces.Operand, keyed Coding, room bulk.Room) (sorted *Sorted[K], err error) {
	err = mmapstore.GuardAll(func() error {
		elems := []byte{}
		if a.NumElems > 0 {
			if elems, err = a.Fetch(a.Buffer(a.NumElems), 0, a.NumElems); err != nil {
				return err
			}
		}
		sorted = NewSorted[K](keyed, elems, copiesSought(soughtBytes(a.DType, a.NumElems), room))
		return nil
	}, a.Storages()...)
	return sorted, err
}
