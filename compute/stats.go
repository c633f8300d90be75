package compute

import (
	"context"
	"fmt"
	"runtime"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// A Summary describes the elements of a tensor. NaNs are counted and otherwise left out: the other
// fields describe the remaining elements, as NumPy's nanmin, nanmean and so on do. A complex number
// is NaN, or infinite, if one of its parts is. A bool counts as 0 or 1.
type Summary struct {
	DType dtype.Type
	Count int // elements, NaNs included
	NaN   int
	Inf   int // of either sign
	Zero  int // of either sign

	// Min and Max have the type of the elements. They are the zero Scalar for complex numbers,
	// which have no order, and where there are no elements.
	Min, Max dtype.Scalar
	// Sum is an int64 for bool and signed integers, a uint64 for unsigned ones, or a float64 where
	// these can't hold it; a float64 for floats and a complex128 for complex numbers. That of
	// integers is exact, or rounded once. That of float64 elements is infinite, or NaN, when a
	// partial sum is beyond float64, and so is Mean.
	Sum dtype.Scalar
	// Mean is a float64, or a complex128 for complex numbers; NaN where there are no elements.
	Mean dtype.Scalar
	// Std is the standard deviation of the elements as a population (NumPy's ddof=0): the root of
	// the mean of |x-mean|². It is NaN where there are no elements or infinite ones.
	Std float64

	// Quantiles are the quantiles at QuantileLevels of elements that have an order: the smallest
	// element that this share of all elements does not exceed. They are exact for types of at most
	// 16 bits and for less than 131,072 elements. Otherwise they are estimated, the same each time:
	// but for odds of one in a million, the share of elements that do not exceed one is off by less
	// than 1 percent of all elements.
	Quantiles      [len(QuantileLevels)]dtype.Scalar
	QuantilesExact bool
}

// Stats summarises x in one pass over its elements, in memory for a few chunks of 65,536 elements
// and for a sample of 131,072. It returns the error of ctx if ctx is cancelled.
//
// For integers, all fields are exact or rounded once. For floats, sums are kept in float64 with the
// rounding errors beside them, and squared deviations are taken from the mean of their chunk and
// merged by the formula of Chan, Golub and LeVeque ("Updating Formulae and a Pairwise Algorithm for
// Computing Sample Variances", 1979), so that Std does not suffer from a large Mean. The result is
// the same bits for every layout of the same elements and for any number of processors.
func Stats(ctx context.Context, x Elements) (Summary, error) {
	o, err := openElements(x)
	if err != nil {
		return Summary{}, fmt.Errorf("stats: %w", err)
	}
	s, err := statsOf(ctx, o)
	if cerr := o.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return Summary{}, fmt.Errorf("stats: %w", err)
	}
	return s, nil
}

// statsOf summarises the elements of o.
//
// It uses the folds of package kernel, as package reduce does, but not its engine, for three
// reasons. Elements may come from a Stream, which is computed anew for each reading, so all must be
// found in one pass; there, reduce has to mask NaNs from the start, which takes 3 times as long for
// floats and 1.4 times for integers, while a scanner sums a chunk at full speed and again only if
// it holds NaN. Sums and squares of integers are exact, in 128 and 192 bits, where those of reduce
// wrap around or are rounded. And each chunk is sampled for the quantiles while it is in the cache.
func statsOf(ctx context.Context, o *pieces.Operand) (Summary, error) {
	t := o.DType
	s := Summary{DType: t, Count: o.NumElems}

	// Up to 16 bits there are so few values that counting them gives everything.
	if t.Size() <= 2 {
		return s, narrowStats(ctx, o, &s)
	}

	var err error
	switch t {
	case dtype.Float32:
		err = floatStats[float32](ctx, o, &s)
	case dtype.Float64:
		err = floatStats[float64](ctx, o, &s)
	case dtype.Int32:
		err = intStats(ctx, o, newIntScanner[int32], &s)
	case dtype.Uint32:
		err = intStats(ctx, o, newIntScanner[uint32], &s)
	case dtype.Int64:
		err = intStats(ctx, o, newWideScanner[int64], &s)
	case dtype.Uint64:
		err = intStats(ctx, o, newWideScanner[uint64], &s)
	case dtype.Complex64:
		err = complexStats[complex64](ctx, o, &s)
	case dtype.Complex128:
		err = complexStats[complex128](ctx, o, &s)
	default:
		panic(fmt.Sprintf("BUG: compute: stats of type %v", t))
	}

	return s, err
}

func floatStats[T float](ctx context.Context, o *pieces.Operand, to *Summary) error {
	sample := newSampler[T](to.Count)
	sums, err := fold(ctx, to.Count, runtime.GOMAXPROCS(0), statsWorker(o, newFloatScanner[T], sample.take), floatSums.plus)
	sums.summarize(to)
	sample.summarize(to)
	return err
}

func intStats[T int32 | uint32 | int64 | uint64](ctx context.Context, o *pieces.Operand, newScanner func() scanner[T, intSums], to *Summary) error {
	sample := newSampler[T](to.Count)
	sums, err := fold(ctx, to.Count, runtime.GOMAXPROCS(0), statsWorker(o, newScanner, sample.take), intSums.plus)
	sums.summarize(to)
	sample.summarize(to)
	return err
}

func complexStats[T complexes](ctx context.Context, o *pieces.Operand, to *Summary) error {
	sums, err := fold(ctx, to.Count, runtime.GOMAXPROCS(0), statsWorker(o, newComplexScanner[T], func([]T, int) {}), complexSums.plus)
	sums.summarize(to)
	return err
}

// A scanner gives the sums of a chunk of elements.
type scanner[T dtype.Element, P any] func(x []T) P

// statsWorker makes workers that fetch chunks of o, scan them and pass them on to take with the
// index of their first element.
func statsWorker[T dtype.Element, P any](o *pieces.Operand, newScanner func() scanner[T, P], take func(x []T, first int)) func() worker[P] {
	return func() worker[P] {
		buf, scan := o.Buffer(chunkElems), newScanner()
		return func(first, n int) (P, error) {
			var sums P

			b, err := o.Fetch(buf, first, n)
			if err != nil {
				return sums, err
			}

			// take runs in the guard too: x may be mapped, and a fault while it is read becomes an
			// error.
			err = mmapstore.GuardAll(func() error {
				x := pieces.As[T](b)
				sums = scan(x)
				take(x, first)
				return nil
			}, o.Storages()...)
			return sums, err
		}
	}
}
