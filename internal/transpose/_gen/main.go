// Command _gen writes the assembly of internal/transpose:
//
//	go run . DIR
//
// writes tiles_avx2_amd64.{s,go} and tiles_avx512_amd64.{s,go} into DIR.
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run . DIR")
		os.Exit(2)
	}

	for name, widths := range map[string][]width{"tiles_avx2_amd64": {ymm, xmm}, "tiles_avx512_amd64": {zmm}} {
		context := build.NewContext()
		context.ConstraintExpr("amd64,!noasm")
		for _, w := range widths {
			for size := 1; size <= 16 && size < int(w); size *= 2 {
				kernel{context, w, size, false}.generate()
				if w == zmm || w == ymm && size >= 4 {
					kernel{context, w, size, true}.generate()
				}
			}
		}

		if err := write(context, os.Args[1], name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
}
