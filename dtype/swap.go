package dtype

import (
	"encoding/binary"
	"math/bits"
)

// SwapBytes reverses the byte order of the elements of type t packed in b, in place and at any
// alignment; complex numbers are two components, each reversed. Bytes beyond the last whole
// component stay as they are.
func SwapBytes(b []byte, t Type) {
	switch t.info().part {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			b[0], b[1] = b[1], b[0]
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			binary.LittleEndian.PutUint32(b, bits.ReverseBytes32(binary.LittleEndian.Uint32(b)))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			binary.LittleEndian.PutUint64(b, bits.ReverseBytes64(binary.LittleEndian.Uint64(b)))
		}
	}
}
