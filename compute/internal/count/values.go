package count

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// errChanged is the error of elements that are larger than when the largest of them was found.
var errChanged = errors.New("elements have changed while they were counted")

// Values returns how often each of 0, 1, 2, … is among the elements of x, which are integers or
// bools: up to the largest one, and at least minLength counts.
func Values(ctx context.Context, x *view.Tensor, minLength int, l *graph.Limits) ([]int64, error) {
	if err := CheckRoom(l, "a table", minLength); err != nil {
		return nil, err
	}

	// Try with one table for each worker first. If the tables would not fit the memory limit, count
	// once more with a single table.
	run := running(ctx, l, x)
	var many tooManyCounts
	if !areTight(l, minLength) {
		counts, err := countValues(x, minLength, countsEach(l), false, run)
		if !errors.As(err, &many) {
			return counts, err
		}
	}

	// All workers share the table here. A count takes 16 bytes of the limit, as in roomForCounts.
	counts, err := countValues(x, minLength, int(max(l.MemoryLimit, leastCounts)/16), true, run)
	if errors.As(err, &many) {
		return nil, CheckRoom(l, "a table", int(many))
	}
	return counts, err
}

// tooManyCounts is the error of a table that would have to grow to this number of counts.
type tooManyCounts int

func (n tooManyCounts) Error() string { return fmt.Sprintf("%d counts", int(n)) }

// countValues counts the elements of x, and makes at least atLeast counts, at most the given
// number, with one table for all workers where memory is tight. run runs a job.
func countValues(x *view.Tensor, atLeast, atMost int, tight bool, run func(*tally) error) ([]int64, error) {
	op, err := pieces.Open(x)
	if err != nil {
		return nil, err
	}
	var table tallyTable
	err = run(&tally{operand: op, serial: tight || atLeast > maxTallyBins, newCounter: func() func([]byte) error {
		return valueCounters[x.DType()](table.add(atLeast), atMost)
	}})
	if err = errors.Join(err, op.Close()); err != nil {
		return nil, err
	}
	return table.total(atLeast), nil
}

// valueCounters return functions that count elements in counts, which they grow as needed, up to
// atMost entries.
var valueCounters = map[dtype.Type]func(counts *[]int64, atMost int) func(b []byte) error{
	dtype.Int8: valueCounterOf[int8], dtype.Int16: valueCounterOf[int16],
	dtype.Int32: valueCounterOf[int32], dtype.Int64: valueCounterOf[int64],
	dtype.Uint8: valueCounterOf[uint8], dtype.Uint16: valueCounterOf[uint16],
	dtype.Uint32: valueCounterOf[uint32], dtype.Uint64: valueCounterOf[uint64],
	dtype.Bool: boolCounter,
}

// boolCounter counts bools as the bytes 0 and 1.
func boolCounter(counts *[]int64, atMost int) func(b []byte) error {
	count, bools := valueCounterOf[uint8](counts, atMost), make([]byte, pieces.ChunkElems)
	return func(b []byte) error {
		pieces.MakeBools(bools, b)
		return count(bools[:len(b)])
	}
}

func valueCounterOf[T integer](counts *[]int64, atMost int) func(b []byte) error {
	return func(b []byte) error {
		table := *counts
		for _, v := range pieces.As[T](b) {
			if uint64(v) >= uint64(len(table)) { // also true of negative numbers
				if err := checkCountable(v); err != nil {
					return err
				}
				if int(v) >= atMost {
					return tooManyCounts(v) + 1
				}
				table = append(table, make([]int64, int(v)+1-len(table))...)
			}
			table[v]++
		}

		*counts = table
		return nil
	}
}

func checkCountable[T integer](v T) error {
	if v < 0 {
		return fmt.Errorf("element %d: expected no negative ones", v)
	}
	if uint64(v) >= MaxBins {
		return fmt.Errorf("element %d: expected elements below %d", v, MaxBins)
	}
	return nil
}

// weighValues adds up the weights of the elements of x, float64 numbers, for each value below
// numBins, one after the other.
func weighValues(x, weights *view.Tensor, numBins int, run func(*tally) error) ([]float64, error) {
	sums, wide := make([]float64, numBins), pieces.AlignedBytes(8*pieces.ChunkElems)
	err := weighed(x, weights, run, func(b []byte, weights []float64) error {
		w := wide[:8*len(weights)]
		dtype.Convert(w, dtype.Uint64, b, x.DType())
		for k, v := range pieces.As[uint64](w) {
			if v >= uint64(numBins) {
				return errChanged
			}
			sums[v] += weights[k]
		}
		return nil
	})
	return sums, err
}
