package kernel_test

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// Adds a number to each element of a vector.
func Example() {
	a, b, sum := []float32{1, 2, 3}, float32(10), make([]float32, 3)
	add := kernel.Lookup(kernel.Add, dtype.Float32, kernel.VectorScalar)
	kernel.Call(add, unsafe.Pointer(&sum[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b), nil, len(sum))
	fmt.Println(sum)
	// Output: [11 12 13]
}
