//go:build !race && !windows

package view_test

// In race builds storages are on the heap, and Windows does not let a mapped file be cut.

import (
	"errors"
	"os"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A file that is cut behind its mapping turns every touch into an error.
func TestTruncatedFileIsAnError(t *testing.T) {
	const n = 1 << 17
	for name, l := range map[string]view.Layout{
		"contiguous":        mustMake(t, []int{n}, []int{1}, 0),
		"transposed":        mustMake(t, []int{n / 256, 256}, []int{1, n / 256}, 0),
		"transposed, large": mustMake(t, []int{16 * n / 512, 512}, []int{1, 16 * n / 512}, 0), // past the caches
	} {
		t.Run(name, func(t *testing.T) {
			size := int64(8 * l.NumElems())
			st := mapTempFile(t, make([]byte, size), mmapstore.Shared)
			cut := newTensor(t, st, dtype.Float64, l)
			other, _ := packedTensor(t, l.Shape(), dtype.Float64)
			if err := os.Truncate(st.Path(), 4096); err != nil {
				t.Fatal(err)
			}
			checkFaults(t, cut, other)
			if err := os.Truncate(st.Path(), size); err != nil { // so that Release can write back
				t.Fatal(err)
			}
		})
	}
}

func checkFaults(t *testing.T, cut, other *view.Tensor) {
	last := make([]int, cut.Rank())
	for i := range last {
		last[i] = -1
	}
	_, getErr := cut.Get(last...)
	_, readErr := cut.Reader().ReadAt(make([]byte, cut.NumBytes()), 0)
	_, writeErr := cut.Writer().WriteAt(make([]byte, cut.NumBytes()), 0)
	_, equalErr := view.Equal(t.Context(), cut, other)
	st, _ := placed(t, mmapstore.GPU(0), make([]byte, other.NumBytes()))
	there := newTensor(t, st, other.DType(), other.Layout())
	for name, err := range map[string]error{
		"Get":    getErr,
		"Set":    cut.Set(dtype.ScalarOf(1.0), last...),
		"Reader": readErr,
		"Writer": writeErr,
		"Copy":   view.Copy(t.Context(), cut, other),
		"Copy 2": view.Copy(t.Context(), other, cut),
		"Copy 3": view.Copy(t.Context(), cut, there),
		"Copy 4": view.Copy(t.Context(), there, cut),
		"Fill":   view.Fill(t.Context(), cut, dtype.ScalarOf(1.0)),
		"Equal":  equalErr,
		"Fprint": view.Fprint(t.Output(), cut, nil),
		"Blocks": cut.Blocks(0, func(b []byte) error {
			return errIf(b[len(b)-1] != 0)
		}),
	} {
		var fault *mmapstore.FaultError
		if !errors.As(err, &fault) || !errors.Is(err, mmapstore.ErrTruncated) {
			t.Errorf("%s: %v, expected a FaultError that is ErrTruncated", name, err)
		}
	}
}

func errIf(bad bool) error {
	if bad {
		return errors.New("a byte is not 0")
	}
	return nil
}
