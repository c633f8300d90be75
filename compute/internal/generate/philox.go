package generate

import (
	"encoding/binary"
	"math/bits"
)

// philoxBytes is the number of bytes that one counter gives.
const philoxBytes = 32

// philox returns the four random words that belong to a counter under a key. It is Philox4x64-10
// with the counter and the key in their lowest words: Salmon, Moraes, Dror, Shaw, "Parallel Random
// Numbers: As Easy as 1, 2, 3", SC 2011.
func philox(counter, key uint64) (x0, x1, x2, x3 uint64) {
	const (
		mul0, mul1   = 0xd2e7470ee14c6c93, 0xca5a826395121157
		weyl0, weyl1 = 0x9e3779b97f4a7c15, 0xbb67ae8584caa73b
	)
	x0 = counter
	k0, k1 := key, uint64(0)
	for range 10 {
		hi0, lo0 := bits.Mul64(mul0, x0)
		hi1, lo1 := bits.Mul64(mul1, x2)
		x0, x1, x2, x3 = hi1^x1^k0, lo1, hi0^x3^k1, lo0
		k0, k1 = k0+weyl0, k1+weyl1
	}
	return x0, x1, x2, x3
}

// randomBytes fills dst with the stream of a seed from byte off on. The stream is the words of
// counter 1, then those of counter 2 and so on, each little endian.
func randomBytes(dst []byte, seed uint64, off int64) {
	counter, cut := uint64(off/philoxBytes)+1, int(off%philoxBytes)
	var block [philoxBytes]byte
	if cut > 0 {
		putBlock(block[:], counter, seed)
		dst = dst[copy(dst, block[cut:]):]
		counter++
	}
	for ; len(dst) >= philoxBytes; dst = dst[philoxBytes:] {
		putBlock(dst, counter, seed)
		counter++
	}
	if len(dst) > 0 {
		putBlock(block[:], counter, seed)
		copy(dst, block[:])
	}
}

func putBlock(dst []byte, counter, seed uint64) {
	_ = dst[philoxBytes-1]
	x0, x1, x2, x3 := philox(counter, seed)
	binary.LittleEndian.PutUint64(dst, x0)
	binary.LittleEndian.PutUint64(dst[8:], x1)
	binary.LittleEndian.PutUint64(dst[16:], x2)
	binary.LittleEndian.PutUint64(dst[24:], x3)
}
