package compute

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Reduce makes one value of all elements of src, whose Go type must be T. Elements are taken in C
// order, in chunks of 65,536. For each chunk, init makes an accumulator and step adds the elements
// to it. merge then joins the accumulators of neighbours, the earlier one first, in an order that
// depends on the number of elements alone. So the result does not depend on the number of workers,
// even if merge is not associative. Without elements the result is what init returns.
//
// The functions run in Options.Parallelism goroutines at once. If one panics, Reduce panics with a
// *PanicError in the goroutine of the caller. If ctx is cancelled, Reduce finishes the current
// chunks and returns the error of ctx.
func Reduce[T dtype.Element, A any](ctx context.Context, src *view.Tensor, init func() A, step func(A, T) A, merge func(A, A) A, o *Options) (A, error) {
	r, err := accumulate(ctx, src, &accumulator[T, A]{init: init, step: step, merge: merge}, o)
	if err != nil {
		return *new(A), fmt.Errorf("reduce: %w", err)
	}
	return r, nil
}

// An accumulator is the functions of one Reduce.
type accumulator[T dtype.Element, A any] struct {
	init  func() A
	step  func(A, T) A
	merge func(A, A) A
	code  userCode
}

func accumulate[T dtype.Element, A any](ctx context.Context, src *view.Tensor, c *accumulator[T, A], o *Options) (result A, err error) {
	if src.DType() != dtype.Of[T]() {
		return result, fmt.Errorf("elements of type %v, the function takes %v", src.DType(), dtype.Of[T]())
	}
	opts, err := o.completed()
	if err != nil {
		return result, err
	}

	// No elements: the result is the start value, and no worker runs.
	if src.NumElems() == 0 {
		err := c.code.run(func() { result = c.init() })
		c.code.end()
		return result, err
	}

	// Each worker folds chunks of its own. join combines them in the order of the elements, so the
	// result does not depend on the number of workers.
	op, err := pieces.Open(src)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, op.Close()) }()
	result, err = fold(ctx, src.NumElems(), opts.Parallelism, func() worker[A] { return c.worker(op) }, c.join)
	c.code.end()
	return result, err
}

func (c *accumulator[T, A]) worker(op *pieces.Operand) worker[A] {
	buf := op.Buffer(chunkElems)
	var bools []byte
	if op.Tensor.DType() == dtype.Bool {
		bools = make([]byte, chunkElems)
	}

	return func(first, n int) (A, error) {
		var a A
		b, err := op.Fetch(buf, first, n)
		if err != nil {
			return a, err
		}
		err = mmapstore.GuardAll(func() error {
			if bools != nil {
				pieces.MakeBools(bools, b)
				b = bools[:n]
			}
			return c.code.run(func() { a = c.add(pieces.As[T](b)) })
		}, op.Tensor.Storage())
		return a, err
	}
}

// add makes an accumulator of the elements of one chunk.
func (c *accumulator[T, A]) add(x []T) A {
	a := c.init()
	for _, v := range x {
		a = c.step(a, v)
	}
	return a
}

// join merges the accumulators of neighbours. After a panic, which accumulate finds, it gives
// anything.
func (c *accumulator[T, A]) join(a, b A) A {
	var both A
	_ = c.code.run(func() { both = c.merge(a, b) })
	return both
}
