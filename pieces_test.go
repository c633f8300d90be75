package tstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// TestPiecewise walks 200 MiB that are not touched in parts, to the end and
// until the context is cancelled.
func TestPiecewise(t *testing.T) {
	m, err := mmapstore.WithAllocator(mmapstore.Anonymous{}, 200<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Release()
	for name, shape := range map[string][]int{"rows": {200, 1 << 20}, "one row": {1, 1, 200 << 20}} {
		t.Run(name, func(t *testing.T) {
			l, err := view.NewLayout(shape...)
			if err != nil {
				t.Fatal(err)
			}
			x, err := view.NewTensor(m, dtype.Uint8, l)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			end := 0
			walk := func(parts []*view.Tensor) error {
				if parts[0].Offset() != end || parts[1].Offset() != end {
					t.Errorf("parts from %d and %d on, want %d", parts[0].Offset(), parts[1].Offset(), end)
				}
				end += parts[0].NumElems()
				return nil
			}
			if err := tstore.Piecewise(ctx, walk, x, x); err != nil || end != x.NumElems() {
				t.Errorf("%d of %d elements, error %v", end, x.NumElems(), err)
			}
			calls := 0
			err = tstore.Piecewise(ctx, func([]*view.Tensor) error { calls++; cancel(); return nil }, x)
			if !errors.Is(err, context.Canceled) || calls != 1 {
				t.Errorf("%d parts after the context was cancelled, error %v", calls-1, err)
			}
		})
	}
}
