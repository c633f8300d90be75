package generate

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/tstore/tstore/dtype"
)

// Integers generates random integers of type t without end: low and those above it, count of them
// in all, 0 standing for all 2⁶⁴ there are. Element i is made of word i of the stream of seed, by
// the upper half of its product with count (Lemire, "Fast Random Integer Generation in an Interval",
// 2019, without its test): an integer comes up as often as another but for one part in 2⁶⁴/count.
func Integers(t dtype.Type, seed uint64, low int64, count uint64) (*Row, error) {
	if k := t.Kind(); k != dtype.KindInt && k != dtype.KindUint && k != dtype.KindBool {
		return nil, fmt.Errorf("random integers of dtype %v: expected an integer type", t)
	}
	size := t.Size()
	return newRow(t, endless(dtype.Int64), func(dst []byte, first int64) error {
		var words [64 * 8]byte
		for len(dst) > 0 {
			n := min(len(dst)/size, len(words)/8)
			randomBytes(words[:8*n], seed, 8*first)
			for i := range n {
				v := binary.LittleEndian.Uint64(words[8*i:])
				if count > 0 {
					v, _ = bits.Mul64(v, count)
				}
				storeWord(dst[i*size:], v+uint64(low), size)
			}
			dst, first = dst[n*size:], first+int64(n)
		}
		return nil
	}), nil
}
