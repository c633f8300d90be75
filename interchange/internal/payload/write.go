package payload

import (
	"context"
	"io"

	"github.com/tstore/tstore/view"
)

// Write writes the elements of t to w in C order, in constant memory. It ends with the error of ctx when that is
// cancelled.
func Write(ctx context.Context, w io.Writer, t *view.Tensor) error {
	_, err := t.Reader().WriteTo(cancellable{ctx, w})
	return err
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
