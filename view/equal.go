package view

import (
	"bytes"
	"context"
	"fmt"
	"slices"
)

// Equal reports whether a and b have the same type, the same shape and the same bits in every
// element: a NaN equals a NaN of the same bits, and 0.0 differs from -0.0. Strides do not matter.
// It stops at the first difference.
func Equal(ctx context.Context, a, b *Tensor) (bool, error) {
	if a.dt != b.dt || !slices.Equal(a.Shape(), b.Shape()) {
		return false, nil
	}

	aSeq, bSeq := newSequence(a.layout, a.dt.Size()), newSequence(b.layout, b.dt.Size())
	count := bufferBytes / aSeq.size
	aBuf, bBuf := aSeq.buffer(count), bSeq.buffer(count)
	equal := true

	for first := 0; equal && first < aSeq.n; first += count {
		if err := ctx.Err(); err != nil {
			return false, err
		}

		n := min(count, aSeq.n-first)
		err := withBoth(a, b, func(ab, bb []byte) error {
			equal = bytes.Equal(aSeq.fetch(aBuf, ab, first, n), bSeq.fetch(bBuf, bb, first, n))
			return nil
		})
		if err != nil {
			return false, fmt.Errorf("compare tensors: %w", err)
		}
	}

	return equal, nil
}
