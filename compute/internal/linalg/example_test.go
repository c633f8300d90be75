package linalg_test

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/linalg"
)

func Example() {
	a := linalg.Matrix{Rows: 2, Cols: 2, Data: []float64{2, 0, 0, 4}}
	b := linalg.Matrix{Rows: 2, Cols: 1, Data: []float64{2, 2}}
	fmt.Println(linalg.Solve(a, b), b.Data)
	// Output: <nil> [1 0.5]
}
