package npyheader_test

import (
	"bytes"
	"fmt"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
)

func Example() {
	b, err := npyheader.Encode(npyheader.Header{DType: dtype.Float32, Shape: []int{3, 4}}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := npyheader.Read(bytes.NewReader(b))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.DType, h.Shape, h.DataOffset, h.PayloadBytes())
	// Output: float32 [3 4] 128 48
}
