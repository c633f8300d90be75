package raw

import (
	"context"
	"fmt"
	"io"

	"github.com/tstore/tstore/interchange/internal/payload"
	"github.com/tstore/tstore/view"
)

// Encode writes the elements of t to w: packed, little endian, in C order, in constant memory. It is a
// tstore.Encoder, ends when ctx is cancelled, and may leave a part of the elements written when it fails.
func Encode(ctx context.Context, w io.Writer, t *view.Tensor) error {
	if err := payload.Write(ctx, w, t); err != nil {
		return fmt.Errorf("encode raw elements: %w", err)
	}
	return nil
}
