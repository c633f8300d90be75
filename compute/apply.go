package compute

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Apply sets each element of dst to fn of the element of src, which is broadcast to the shape of
// dst. D and S must be the Go types of the elements of dst and src. Apply is the TensorApply of
// Torch: it visits elements in the order of dst in memory, contiguous runs first.
//
// fn runs in Options.Parallelism goroutines at once, in no fixed order. If it panics, Apply panics
// with a *PanicError in the goroutine of the caller, after all others have ended. If ctx is
// cancelled, Apply returns its error within the time of 32,768 calls. After an error, part of dst
// may be written.
//
// dst may be src. If they share elements in another way, the elements of src are copied first, to
// memory of Options.Scratch.
func Apply[D, S dtype.Element](ctx context.Context, dst, src *view.Tensor, fn func(S) D, o *Options) error {
	return ApplyBlocks(ctx, dst, src, func(d []D, s []S) {
		for i, v := range s {
			d[i] = fn(v)
		}
	}, o)
}

// Apply2 is Apply with a function of the elements of two tensors.
func Apply2[D, A, B dtype.Element](ctx context.Context, dst, a, b *view.Tensor, fn func(A, B) D, o *Options) error {
	return ApplyBlocks2(ctx, dst, a, b, func(d []D, a []A, b []B) {
		for i, v := range a {
			d[i] = fn(v, b[i])
		}
	}, o)
}

// Apply3 is Apply with a function of the elements of three tensors.
func Apply3[D, A, B, C dtype.Element](ctx context.Context, dst, a, b, c *view.Tensor, fn func(A, B, C) D, o *Options) error {
	return ApplyBlocks3(ctx, dst, a, b, c, func(d []D, a []A, b []B, c []C) {
		for i, v := range a {
			d[i] = fn(v, b[i], c[i])
		}
	}, o)
}

// ApplyBlocks is Apply with a function that takes many elements at a time, which saves a call for
// each element. fn must set each d[i] from s[i]. Both have the same length, which may be any. They
// are memory of the tensors or copies of it, valid during the call. s must not be written to. If
// dst is src, d may be s.
func ApplyBlocks[D, S dtype.Element](ctx context.Context, dst, src *view.Tensor, fn func(d []D, s []S), o *Options) error {
	return apply(ctx, dst, []*view.Tensor{src}, []dtype.Type{dtype.Of[D](), dtype.Of[S]()}, o, func(at []unsafe.Pointer, n int) {
		fn(unsafe.Slice((*D)(at[0]), n), unsafe.Slice((*S)(at[1]), n))
	})
}

// ApplyBlocks2 is ApplyBlocks with the elements of two tensors.
func ApplyBlocks2[D, A, B dtype.Element](ctx context.Context, dst, a, b *view.Tensor, fn func(d []D, a []A, b []B), o *Options) error {
	types := []dtype.Type{dtype.Of[D](), dtype.Of[A](), dtype.Of[B]()}
	return apply(ctx, dst, []*view.Tensor{a, b}, types, o, func(at []unsafe.Pointer, n int) {
		fn(unsafe.Slice((*D)(at[0]), n), unsafe.Slice((*A)(at[1]), n), unsafe.Slice((*B)(at[2]), n))
	})
}

// ApplyBlocks3 is ApplyBlocks with the elements of three tensors.
func ApplyBlocks3[D, A, B, C dtype.Element](ctx context.Context, dst, a, b, c *view.Tensor, fn func(d []D, a []A, b []B, c []C), o *Options) error {
	types := []dtype.Type{dtype.Of[D](), dtype.Of[A](), dtype.Of[B](), dtype.Of[C]()}
	return apply(ctx, dst, []*view.Tensor{a, b, c}, types, o, func(at []unsafe.Pointer, n int) {
		fn(unsafe.Slice((*D)(at[0]), n), unsafe.Slice((*A)(at[1]), n), unsafe.Slice((*B)(at[2]), n), unsafe.Slice((*C)(at[3]), n))
	})
}

// apply walks tensors whose elements have the given types. The types start with the one of dst.
func apply(ctx context.Context, dst *view.Tensor, srcs []*view.Tensor, types []dtype.Type, o *Options, fn func(at []unsafe.Pointer, n int)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("apply: %w", err)
		}
	}()

	if err := checkApply(dst, srcs, types); err != nil {
		return err
	}
	opts, err := o.completed()
	if err != nil {
		return err
	}

	w, err := newWalk(ctx, dst, srcs, &opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	return w.run(ctx, &opts, fn)
}

func checkApply(dst *view.Tensor, srcs []*view.Tensor, types []dtype.Type) error {
	if dst.DType() != types[0] {
		return fmt.Errorf("the destination has elements of type %v, the function returns %v", dst.DType(), types[0])
	}
	for i, src := range srcs {
		if src.DType() != types[i+1] {
			return fmt.Errorf("operand %d has elements of type %v, the function takes %v", i+1, src.DType(), types[i+1])
		}
	}
	return nil
}

// completed returns a copy of o, which may be nil, with the defaults filled in.
func (o *Options) completed() (graph.Limits, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	err := opts.complete()
	return opts.limits(), err
}
