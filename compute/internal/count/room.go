package count

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
)

const (
	// MaxBins bounds the counts that a histogram keeps in memory.
	MaxBins = 1 << 28
	// leastCounts is the memory that counts may take whatever the limit is.
	leastCounts = 64 << 20
)

// CheckRoom returns an error if n counts do not fit in memory. They are there twice: while
// elements are counted, and as the result.
func CheckRoom(o *graph.Limits, name string, n int) error {
	need, limit := 16*int64(n), max(o.MemoryLimit, leastCounts)
	if need <= limit {
		return nil
	}
	return fmt.Errorf("%s of %d counts takes %s of memory, the limit is %s: raise the memory limit, or count parts, such as the elements of some range",
		name, n, graph.FormatBytes(need), graph.FormatBytes(limit))
}

// areTight reports whether counts for each worker would exceed the memory limit.
func areTight(o *graph.Limits, numBins int) bool { return numBins > countsEach(o) }

// countsEach returns the number of counts that each worker may have for itself.
func countsEach(o *graph.Limits) int {
	return int(max(o.MemoryLimit, leastCounts) / 4 / 8 / int64(o.Parallelism))
}
