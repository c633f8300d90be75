package compute

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pieces"
)

// StatsExact is [Stats] with exact quantiles. If Stats would estimate them from a sample,
// StatsExact reads the elements once more. It computes the elements of a [Stream] up to four times
// more.
func StatsExact(ctx context.Context, x Elements) (Summary, error) {
	s, err := Stats(ctx, x)
	if err != nil || s.QuantilesExact || !s.Min.Type().Valid() {
		return s, err
	}
	if err := exactQuantiles(ctx, x, &s); err != nil {
		return Summary{}, fmt.Errorf("quantiles: %w", err)
	}
	return s, nil
}

// exactQuantiles fills in the quantiles of elements whose type has an order.
func exactQuantiles(ctx context.Context, x Elements, to *Summary) error {
	from := &rereading{x: x}
	coding, _ := order.CodingOf(x.DType())
	l := order.Lane{Source: from, Coding: coding, N: x.NumElems(), InOrder: !isStored(x)}

	var places [len(QuantileLevels)]int
	var positions []int
	// The number of NaNs is known only after the first reading, so the ranks are asked for then.
	keys, err := order.Select(l, func(nan int) []int {
		n := l.N - nan
		if n == 0 {
			positions = nil
			return nil
		}

		for i, level := range QuantileLevels {
			places[i] = rank(level, n)
		}
		positions = slices.Compact(slices.Clone(places[:]))
		return positions
	}, func(j exec.Job, _ bool) error { return from.run(ctx, j) })

	if err != nil || positions == nil {
		return err
	}

	for i, p := range places {
		at, _ := slices.BinarySearch(positions, p)
		to.Quantiles[i] = coding.Scalar(keys[at])
	}
	to.QuantilesExact = true
	return nil
}

// A rereading opens elements for each job that reads them. It is an order.Source while one runs.
type rereading struct {
	x   Elements
	now *pieces.Operand
}

func (r *rereading) run(ctx context.Context, j exec.Job) (err error) {
	if r.now, err = openElements(r.x); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.now.Close()) }()
	return exec.Run(ctx, j, exec.Options{Parallelism: runtime.GOMAXPROCS(0), Storages: r.now.Storages()})
}

// Buffer implements order.Source.
func (r *rereading) Buffer(n int) []byte { return r.now.Buffer(n) }

// Fetch implements order.Source.
func (r *rereading) Fetch(buf []byte, first, n int) ([]byte, error) {
	return r.now.Fetch(buf, first, n)
}
