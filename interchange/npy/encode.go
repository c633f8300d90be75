package npy

import (
	"context"
	"fmt"
	"io"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/interchange/internal/payload"
	"github.com/tstore/tstore/internal/npyheader"
	"github.com/tstore/tstore/view"
)

// Encode writes elements to w as numpy.save does, in constant memory: the same bytes, except that
// bfloat16 and float8 have void codes. A tensor that is contiguous in Fortran order, and not in C
// order, is written in that order; all others are written in C order.
//
// It is a tstore.Encoder, ends when ctx is cancelled, and may leave a part of the file written when
// it fails.
func Encode(ctx context.Context, w io.Writer, x compute.Elements) error {
	if err := encode(ctx, w, x); err != nil {
		return fmt.Errorf("encode .npy: %w", err)
	}
	return nil
}

func encode(ctx context.Context, w io.Writer, x compute.Elements) error {
	h := npyheader.Header{DType: x.DType(), Shape: x.Shape()}
	if t, stored := x.(*view.Tensor); stored && t.Layout().IsFortran() && !t.Layout().IsContiguous() {
		h.Fortran, x = true, t.Transpose() // whose C order is the Fortran order of t
	}
	head, err := npyheader.Encode(h, 0)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	return payload.Write(ctx, w, x)
}
