package compute

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/compute/internal/count"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Bincount returns how often each of 0, 1, 2, … is among the elements of x, which are integers or
// bools of any shape: up to the largest one, and at least minLength counts. A negative element, or
// one of 2²⁸ or more, is an error, and so are counts that the memory limit has no room for. x is
// read once, and once more where there is not enough room for counts of each worker.
func Bincount(ctx context.Context, x *view.Tensor, minLength int, o *Options) ([]int64, error) {
	counts, err := bincount(ctx, x, minLength, o)
	if err != nil {
		return nil, fmt.Errorf("bincount: %w", err)
	}
	return counts, nil
}

func bincount(ctx context.Context, x *view.Tensor, minLength int, o *Options) ([]int64, error) {
	switch k := x.DType().Kind(); {
	case k == dtype.KindFloat || k == dtype.KindComplex:
		return nil, fmt.Errorf("elements of type %v: expected integers or bools", x.DType())
	case minLength < 0 || minLength > count.MaxBins:
		return nil, fmt.Errorf("at least %d counts: expected 0 to %d", minLength, count.MaxBins)
	}

	opts, err := o.completed()
	if err != nil {
		return nil, err
	}
	return count.Values(ctx, x, minLength, &opts)
}
