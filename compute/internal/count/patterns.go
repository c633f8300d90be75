package count

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

// numPatterns returns the number of distinct elements of type t, which has at most 16 bits.
func numPatterns(t dtype.Type) int { return 1 << (8 * t.Size()) }

// PatternScalar returns the element of type t with the given bits.
func PatternScalar(t dtype.Type, pattern int) dtype.Scalar {
	return dtype.Load(t, []byte{byte(pattern), byte(pattern >> 8)})
}

// Patterns returns how often each element of o occurs, by its bits. Elements have at most 16.
func Patterns(ctx context.Context, o *pieces.Operand, workers int) ([]int64, error) {
	var table tallyTable
	t := &tally{operand: o, newCounter: func() func([]byte) error {
		return patternCounter(o.DType, *table.add(numPatterns(o.DType)))
	}}
	if err := exec.Run(ctx, t, exec.Options{Parallelism: workers, Storages: o.Storages()}); err != nil {
		return nil, err
	}
	return table.total(numPatterns(o.DType)), nil
}

// patternCounter returns a function that counts how often each element of type t occurs, by its
// bits.
func patternCounter(t dtype.Type, counts []int64) func(b []byte) error {
	switch t.Size() {
	case 1:
		return func(b []byte) error {
			countBytes(b, (*[1 << 8]int64)(counts))
			return nil
		}
	case 2:
		return func(b []byte) error {
			countWords(pieces.As[uint16](b), (*[1 << 16]int64)(counts))
			return nil
		}
	}
	panic(fmt.Sprintf("BUG: compute: patterns of type %v", t))
}

// countBytes counts in four tables, so that equal neighbours do not wait for each other.
func countBytes(x []byte, counts *[1 << 8]int64) {
	var tables [4][1 << 8]uint32
	i := 0
	for ; i+4 <= len(x); i += 4 {
		tables[0][x[i]]++
		tables[1][x[i+1]]++
		tables[2][x[i+2]]++
		tables[3][x[i+3]]++
	}
	for ; i < len(x); i++ {
		tables[0][x[i]]++
	}
	for v := range counts {
		counts[v] += int64(tables[0][v]) + int64(tables[1][v]) + int64(tables[2][v]) + int64(tables[3][v])
	}
}

func countWords(x []uint16, counts *[1 << 16]int64) {
	for _, v := range x {
		counts[v]++
	}
}
