package elemio_test

import (
	"encoding/binary"
	"fmt"

	"github.com/tstore/tstore/internal/elemio"
)

func Example() {
	squares := elemio.NewReader(2, 100, func(dst []byte, first int64) error {
		for i := range len(dst) / 2 {
			n := uint16(first) + uint16(i)
			binary.LittleEndian.PutUint16(dst[2*i:], n*n)
		}
		return nil
	})
	b := make([]byte, 4)
	if _, err := squares.ReadAt(b, 2*9); err != nil {
		fmt.Println(err)
	}
	fmt.Println(binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:]))
	// Output: 81 100
}
