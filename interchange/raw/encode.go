package raw

import (
	"context"
	"fmt"
	"io"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/interchange/internal/payload"
)

// Encode writes elements to w: packed, little endian, in C order, in constant memory. It is a
// tstore.Encoder, ends when ctx is cancelled, and may leave a part of the elements written when it
// fails.
func Encode(ctx context.Context, w io.Writer, x compute.Elements) error {
	if err := payload.Write(ctx, w, x); err != nil {
		return fmt.Errorf("encode raw elements: %w", err)
	}
	return nil
}
