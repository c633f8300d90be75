// Command _gen writes the assembly of compute/internal/correlate:
//
//	go run . DIR
//
// writes sums_avx2_amd64.{s,go} and sums_avx512_amd64.{s,go} into DIR.
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
)

const (
	ymmBytes = 32
	zmmBytes = 64
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run . DIR")
		os.Exit(2)
	}

	files := map[string][]sums{
		"sums_avx2_amd64": {
			{elem: float64s, width: ymmBytes, vectors: 4},
			{elem: int32s, width: ymmBytes, vectors: 8},
		},
		"sums_avx512_amd64": {
			{elem: float64s, width: zmmBytes, vectors: 8},
			{elem: int32s, width: zmmBytes, vectors: 8},
			{elem: int64s, width: zmmBytes, vectors: 16},
		},
	}

	for name, kernels := range files {
		context := build.NewContext()
		context.ConstraintExpr("amd64,!noasm")
		for _, k := range kernels {
			k.Context = context
			k.generate()
		}
		if err := write(context, os.Args[1], name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
}
