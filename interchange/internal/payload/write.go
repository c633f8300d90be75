package payload

import (
	"context"
	"io"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/view"
)

// Write writes elements to w in C order, in constant memory. It ends with the error of ctx when
// that is cancelled.
func Write(ctx context.Context, w io.Writer, x compute.Elements) error {
	to := cancellable{ctx, w}
	if t, stored := x.(*view.Tensor); stored {
		_, err := t.Reader().WriteTo(to) // which copies them first: no fault of a mapped file is inside of w
		return err
	}
	return x.Blocks(0, func(b []byte) error {
		_, err := to.Write(b)
		return err
	})
}

// cancellable is a writer that fails once its context is cancelled.
type cancellable struct {
	ctx context.Context
	w   io.Writer
}

// Write implements io.Writer.
func (c cancellable) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}
