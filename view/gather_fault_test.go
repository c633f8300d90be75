//go:build !race && !windows

package view_test

import (
	"errors"
	"os"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A file that is cut behind its mapping is an error, whichever operand it is.
func TestGatherFromTruncatedFile(t *testing.T) {
	const n = 1 << 16
	st := mapTempFile(t, make([]byte, 8*n), mmapstore.Shared)
	cut := newTensor(t, st, dtype.Int64, mustMake(t, []int{n}, []int{1}, 0))
	mask, err := view.NewTensor(st, dtype.Bool, mustMake(t, []int{n}, []int{1}, 7*n))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mask.Close() })
	whole, _ := packedTensor(t, []int{n}, dtype.Int64)
	double, _ := packedTensor(t, []int{2 * n}, dtype.Int64)
	first := view.Fancy{view.Ints(make([]int, n)...)}
	at := view.Fancy{view.IntArray(cut)}
	end := view.Fancy{view.Ints(-1)}
	one := fromSlice(t, make([]int64, 1))
	if err := os.Truncate(st.Path(), 4096); err != nil {
		t.Fatal(err)
	}
	_, countErr := view.CountNonzero(t.Context(), cut)
	_, closeErr := view.AllClose(t.Context(), whole, cut, 0, 0, false)
	_, shapeErr := view.FancyShape(t.Context(), whole.Layout(), view.Fancy{view.BoolArray(mask)})
	for name, err := range map[string]error{
		"gather to":    view.Gather(t.Context(), cut, whole, first),
		"gather from":  view.Gather(t.Context(), one, cut, end),
		"gather at":    view.Gather(t.Context(), whole, double, at),
		"scatter to":   view.Scatter(t.Context(), cut, end, one),
		"scatter from": view.Scatter(t.Context(), double, first, cut),
		"put at":       view.Put(t.Context(), whole, cut, one, view.IndexWrap),
		"concatenate":  view.Concatenate(t.Context(), double, 0, whole, cut),
		"roll":         view.Roll(t.Context(), whole, cut, []int{1}),
		"pad":          view.Pad(t.Context(), cut, one, []view.PadWidth{{After: n - 1}}, view.PadEdge, dtype.Scalar{}),
		"count":        countErr,
		"allclose":     closeErr,
		"mask":         shapeErr,
		"elements":     lastError(cut),
	} {
		var fault *mmapstore.FaultError
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v, expected a FaultError", name, err)
		}
	}
	if err := os.Truncate(st.Path(), 8*n); err != nil { // so that Release can write back
		t.Fatal(err)
	}
}

// lastError returns the error that ends an iteration.
func lastError(t *view.Tensor) error {
	var last error
	for _, err := range t.Elements() {
		last = err
	}
	return last
}
