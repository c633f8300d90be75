package compute_test

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

func ExampleArange() {
	g, err := compute.Arange(dtype.Uint16, dtype.ScalarOf(int64(100)), dtype.ScalarOf(int64(-25)), 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	var values [5]uint16
	if err := binary.Read(g, binary.LittleEndian, &values); err != nil {
		fmt.Println(err)
	}
	fmt.Println(values)
	// Output: [100 75 50 25 0]
}

func ExampleRandom() {
	g, err := compute.Random(dtype.Float32, 42)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := io.ReadAll(g.Take(3))
	if err != nil {
		fmt.Println(err)
	}
	for ; len(b) > 0; b = b[4:] {
		fmt.Println(dtype.Load(dtype.Float32, b))
	}
	// Output:
	// 0.30228472
	// 0.8201981
	// 0.36243397
}
