package transpose_test

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/internal/transpose"
)

func ExampleMatrix() {
	src := []int32{
		1, 2, 3,
		4, 5, 6,
	}
	dst := make([]int32, 6)
	const rows, cols, size = 2, 3, 4
	transpose.Matrix(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), rows, cols, rows*size, cols*size, size)
	fmt.Println(dst)
	// Output: [1 4 2 5 3 6]
}
