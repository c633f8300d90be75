package view_test

import (
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// movedBytes does not fit between two looks at a context.
const movedBytes = lookBytes + 3<<20

// TestCopyMoved copies what does not fit between two looks within one storage, in both directions.
func TestCopyMoved(t *testing.T) {
	s, err := mmapstore.New(movedBytes)
	if err != nil {
		t.Fatal(err)
	}
	a := flat(t, s)
	t.Run("up", func(t *testing.T) { copyMoved(t, s, a, a, "3072:", ":-3072", 3072) })
	t.Run("down", func(t *testing.T) { copyMoved(t, s, a, a, ":-3072", "3072:", -3072) })
}

// flat returns all bytes of s.
func flat(t *testing.T, s *mmapstore.Storage) *view.Tensor {
	t.Helper()
	l, err := view.NewLayout(movedBytes)
	if err != nil {
		t.Fatal(err)
	}
	return newTensor(t, s, dtype.Uint8, l)
}

// copyMoved copies a part of src, which is another place of the same bytes, to one of dst, and
// looks at s.
func copyMoved(t *testing.T, s *mmapstore.Storage, dst, src *view.Tensor, dstText, srcText string, moved int) {
	t.Helper()
	err := s.With(func(b []byte) error {
		for i := range b {
			b[i] = byte(i * 2654435761 >> 16)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Copy(t.Context(), sliced(t, dst, dstText), sliced(t, src, srcText)); err != nil {
		t.Fatal(err)
	}
	err = s.With(func(b []byte) error {
		for i := max(0, moved); i < min(movedBytes, movedBytes+moved); i++ {
			if from := i - moved; b[i] != byte(from*2654435761>>16) {
				t.Fatalf("byte %d is not that of %d", i, from)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
