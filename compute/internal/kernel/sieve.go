package kernel

import (
	"sync"
	"unsafe"
)

// A Sieve counts keys on either side of some bounds, and keeps those between two of them. The key
// of an element is its bits as a signed integer, all but the sign inverted if it is a negative
// float, less an offset, which may wrap around: so keys are in the order of numbers of any type,
// and NaNs of either sign above all of them.
type Sieve uint8

// The sieves: of elements of 4 and of 8 bytes.
const (
	SieveInteger32 Sieve = iota
	SieveInteger64
	SieveFloat32
	SieveFloat64
	numSieves
)

// SieveOf returns the sieve of elements of 4 or 8 bytes.
func SieveOf(size int, float bool) Sieve {
	s := SieveInteger32
	if float {
		s = SieveFloat32
	}
	if size == 8 {
		s++
	}
	return s
}

// SieveBounds are the bounds of a sieve; of one for 4 bytes the lower halves. Keys above Low and
// below High are kept.
type SieveBounds struct {
	Offset          uint64
	Low, High, Last uint64 // signed
}

// SieveCounts say how many keys are above and below bounds.
type SieveCounts struct {
	AboveLow, BelowLow, BelowHigh, AboveHigh, AboveLast int
}

// Add adds the counts of other elements.
func (c *SieveCounts) Add(other SieveCounts) {
	more := other.all()
	for i, to := range c.all() {
		*to += *more[i]
	}
}

// SieveRoom is how much longer than the elements the indexes have to be.
const SieveRoom = 16

// Run adds up the counts of n elements, sets index to the numbers of those whose keys are kept,
// ascending, and returns how many these are. Elements are aligned; n is less than 1<<31; index has
// room for n + SieveRoom and is overwritten there.
func (s Sieve) Run(index []uint32, elems unsafe.Pointer, n int, b *SieveBounds, counts *SieveCounts) (kept int) {
	return s.run(bestSieves()[s], index, elems, n, b, counts)
}

// sieveLanes is a multiple of the elements of every vector.
const sieveLanes = 16

// A sieveTally is what a kernel in assembly stores: counts, whose words are to be added up, and the
// number of kept keys.
type sieveTally struct {
	counts [5][sieveLanes]uint32
	kept   int
}

// run is Run by fn, or in Go if that is nil.
func (s Sieve) run(fn Func, index []uint32, elems unsafe.Pointer, n int, b *SieveBounds, counts *SieveCounts) (kept int) {
	whole := n &^ (sieveLanes - 1)
	if fn == nil {
		whole = 0
	}

	if whole > 0 {
		var tally sieveTally
		Call(fn, unsafe.Pointer(&index[0]), elems, unsafe.Pointer(b), unsafe.Pointer(&tally), whole)
		for i, to := range counts.all() {
			for _, v := range tally.counts[i] {
				*to += int(v)
			}
		}
		kept = tally.kept
	}

	switch s {
	case SieveInteger32, SieveFloat32:
		return sieveRest[int32, uint32](s, index, unsafe.Slice((*int32)(elems), n), whole, kept, b, counts)
	default:
		return sieveRest[int64, uint64](s, index, unsafe.Slice((*int64)(elems), n), whole, kept, b, counts)
	}
}

// all returns the counts in the order of a sieveTally.
func (c *SieveCounts) all() [5]*int {
	return [...]*int{&c.AboveLow, &c.BelowLow, &c.BelowHigh, &c.AboveHigh, &c.AboveLast}
}

// sieveRest does what Run says with the elements from number first on. It is the meaning of a
// sieve.
func sieveRest[S int32 | int64, U uint32 | uint64](s Sieve, index []uint32, elems []S, first, kept int, b *SieveBounds, counts *SieveCounts) int {
	// float is all ones for floats and 0 for integers. It selects the sign of an element, all over
	// the bits below it, which turns the bits of negative floats over: keys compare as signed
	// integers.
	top, float := 8*unsafe.Sizeof(*new(S))-1, U(0)
	if s >= SieveFloat32 {
		float--
	}

	offset, low, high, last := S(b.Offset), S(b.Low), S(b.High), S(b.Last)
	for i := first; i < len(elems); i++ {
		x := elems[i]
		key := x ^ S(U(x>>top)&float>>1) - offset

		above, below := one(key > low), one(key < high)
		counts.AboveLow += above
		counts.BelowLow += one(key < low)
		counts.BelowHigh += below
		counts.AboveHigh += one(key > high)
		counts.AboveLast += one(key > last)

		// Without a branch: every index is stored, and the next one overwrites it unless it is
		// kept.
		index[kept] = uint32(i)
		kept += above & below
	}

	return kept
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// bestSieves holds the fastest sieves of this CPU, nil where that is Go.
var bestSieves = sync.OnceValue(func() *[numSieves]Func {
	switch {
	case hasAVX512():
		return &sievesAVX512
	case hasAVX2():
		return &sievesAVX2
	}
	return &[numSieves]Func{}
})
