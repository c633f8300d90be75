package blocksum

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// BlockBytes is the size of a block.
const BlockBytes = 64 << 10

// ID says whose blocks are summed.
type ID = [16]byte

// Of returns the sum of a block: b are the bytes of block number n of storage id.
func Of(id ID, n int64, b []byte) uint64 { return xxh3.HashSeed(b, seed(id, n)) }

// seed is xxh3 of the id and of the number as 8 bytes, little endian.
func seed(id ID, n int64) uint64 {
	var b [24]byte
	copy(b[:], id[:])
	binary.LittleEndian.PutUint64(b[16:], uint64(n))
	return xxh3.Hash(b[:])
}

// Count returns the number of blocks of so many bytes.
func Count(bytes int64) int { return int((bytes + BlockBytes - 1) / BlockBytes) }

// Bytes returns the number of bytes of block n of a payload.
func Bytes(n, payload int64) int64 { return min(BlockBytes, payload-n*BlockBytes) }

// Root returns xxh3 of 128 bits of the sums, each as 8 bytes, little endian. The root's upper half
// comes first, each half with its highest byte first, as xxh3 prints it.
func Root(sums []uint64) [16]byte {
	h := xxh3.New()
	var b [8 << 10]byte
	for len(sums) > 0 {
		n := min(len(sums), len(b)/8)
		for i, sum := range sums[:n] {
			binary.LittleEndian.PutUint64(b[8*i:], sum)
		}
		_, _ = h.Write(b[:8*n]) // never fails
		sums = sums[n:]
	}
	return h.Sum128().Bytes()
}

// Bad returns the numbers of the blocks that are not what the sums say. b are whole blocks of
// storage id from block first on, the last one of the payload perhaps shorter; sums are those of
// all blocks of the payload.
func Bad(id ID, sums []uint64, first int64, b []byte) []int64 {
	var bad []int64
	for n := first; len(b) > 0; n++ {
		block := b[:min(BlockBytes, len(b))]
		if Of(id, n, block) != sums[n] {
			bad = append(bad, n)
		}
		b = b[len(block):]
	}
	return bad
}
