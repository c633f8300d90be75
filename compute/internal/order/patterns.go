package order

import (
	"cmp"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

// Patterns are the elements of at most 16 bits that differ, which have been counted by their bits.
// Zeros of both signs are one value, -0 if it occurs, and so are all NaNs.
type Patterns struct {
	Values []dtype.Scalar // that differ, in order
	Counts []int64        // of each of them
	index  []int32        // of each pattern of bits: which of the values it is, or -1
}

// A pattern is the bits of an element that occurs.
type pattern struct {
	bits       int
	key, equal uint32 // by Encode and by EncodeEqual
}

// NewPatterns returns the distinct elements of type t. counts says how often each pattern of bits
// occurs.
func NewPatterns(t dtype.Type, counts []int64) *Patterns {
	p := &Patterns{index: make([]int32, len(counts))}
	for i := range p.index {
		p.index[i] = -1
	}

	// Of patterns in the order of their keys, those of one value are neighbours.
	found := occurring(t, counts)
	for i, f := range found {
		if i == 0 || f.equal != found[i-1].equal {
			p.Values = append(p.Values, dtype.Load(t, []byte{byte(f.bits), byte(f.bits >> 8)}))
			p.Counts = append(p.Counts, 0)
		}
		last := len(p.Values) - 1
		p.Counts[last] += counts[f.bits]
		p.index[f.bits] = int32(last)
	}
	return p
}

// occurring returns the patterns of type t that occur, in the order of their keys.
func occurring(t dtype.Type, counts []int64) (found []pattern) {
	coding, _ := CodingOf(t)
	elem := pieces.AlignedBytes(2)
	for bits, n := range counts {
		if n == 0 {
			continue
		}
		elem[0], elem[1] = byte(bits), byte(bits>>8)
		var key, equal [1]uint32
		Encode(coding, key[:], elem[:t.Size()])
		EncodeEqual(coding, equal[:], elem[:t.Size()])
		found = append(found, pattern{bits, key[0], equal[0]})
	}
	slices.SortFunc(found, func(p, q pattern) int { return cmp.Compare(p.key, q.key) })
	return found
}

// Inverse returns a job that sets to to which of the values each element of x is.
func (p *Patterns) Inverse(x *pieces.Operand, to []int64) exec.Job {
	return exec.Chunks((x.NumElems+ChunkElems-1)/ChunkElems, func() func(int) error {
		buf := x.Buffer(ChunkElems)
		return func(chunk int) error {
			first := chunk * ChunkElems
			n := min(ChunkElems, x.NumElems-first)
			b, err := x.Fetch(buf, first, n)
			if err != nil {
				return err
			}
			if x.DType.Size() == 1 {
				return lookUp(to[first:first+n], b, p.index)
			}
			return lookUp(to[first:first+n], pieces.As[uint16](b), p.index)
		}
	})
}

// lookUp sets dst to the entries of a table for patterns. The table has an entry for each of them.
func lookUp[P uint8 | uint16](dst []int64, patterns []P, table []int32) error {
	for i, p := range patterns {
		v := table[p]
		if v < 0 {
			return errChanged
		}
		dst[i] = int64(v)
	}
	return nil
}
