package raw_test

import (
	"bytes"
	"fmt"
	"io"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/raw"
)

func Example() {
	// Two big-endian 16-bit numbers behind a header of three bytes.
	in := bytes.NewReader([]byte("hdr\x00\x01\x02\x00"))
	f, err := raw.NewReader(in, raw.Options{DType: dtype.Uint16, Shape: []int{2}, Offset: 3, BigEndian: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	src := f.Source()
	b, err := io.ReadAll(src.Data)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(src.Shape, dtype.Load(src.DType, b), dtype.Load(src.DType, b[2:]))
	// Output: [2] 1 512
}
