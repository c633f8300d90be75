package generate

import (
	"encoding/binary"
	"math/bits"

	"github.com/tstore/tstore/dtype"
)

// maxShuffled is the number of elements up to which a permutation is a table.
const maxShuffled = 1 << 16

// Permutation generates the integers from 0 to n-1, each once, in an order that seed decides, as
// int64. Up to 65,536 of them are shuffled (Fisher and Yates). More are put through a network of
// Feistel with eight rounds, again and again until a number below n comes out (Black and Rogaway,
// "Ciphers with Arbitrary Finite Domains", CT-RSA 2002), so that element i is made without the others
// and nothing is kept in memory.
func Permutation(seed uint64, n int) *Row {
	if n <= maxShuffled {
		table := shuffled(seed, n)
		return newRow(dtype.Int64, int64(n), func(dst []byte, first int64) error {
			for i := 0; i < len(dst); i += 8 {
				binary.LittleEndian.PutUint64(dst[i:], uint64(table[first+int64(i/8)]))
			}
			return nil
		})
	}
	f := newFeistel(seed, uint64(n))
	return newRow(dtype.Int64, int64(n), func(dst []byte, first int64) error {
		for i := 0; i < len(dst); i += 8 {
			binary.LittleEndian.PutUint64(dst[i:], f.at(uint64(first)+uint64(i/8)))
		}
		return nil
	})
}

// shuffled returns the numbers below n in a random order.
func shuffled(seed uint64, n int) []uint16 {
	table := make([]uint16, n)
	for i := range table {
		table[i] = uint16(i)
	}
	for i := n - 1; i > 0; i-- {
		word, _, _, _ := philox(uint64(i), seed)
		j, _ := bits.Mul64(word, uint64(i)+1)
		table[i], table[j] = table[j], table[i]
	}
	return table
}

// rounds of a feistel.
const rounds = 8

// A feistel permutes the numbers below n.
type feistel struct {
	n           uint64
	left, right uint // bits of the two halves
	keys        [rounds]uint64
}

func newFeistel(seed, n uint64) *feistel {
	width := uint(bits.Len64(n - 1))
	f := &feistel{n: n, left: width / 2, right: width - width/2}
	for i := range f.keys {
		f.keys[i], _, _, _ = philox(uint64(i), ^seed)
	}
	return f
}

// at returns the number at a place. Numbers from n on are put through the network again: as they are
// fewer than half, that takes two rounds of it on average at most.
func (f *feistel) at(x uint64) uint64 {
	for {
		if x = f.once(x); x < f.n {
			return x
		}
	}
}

// once puts a number through the network: each round changes one half by what the other one is
// mixed to.
func (f *feistel) once(x uint64) uint64 {
	l, r := x>>f.right, x&(1<<f.right-1)
	for i := 0; i < rounds; i += 2 {
		l ^= mixed(r^f.keys[i]) >> (64 - f.left)
		r ^= mixed(l^f.keys[i+1]) >> (64 - f.right)
	}
	return l<<f.right | r
}

// mixed spreads the bits of x over a word: it is the finalizer of SplitMix64 (Steele, Lea, Flood,
// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
