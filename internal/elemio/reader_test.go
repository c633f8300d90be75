package elemio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/tstore/tstore/internal/elemio"
)

// counting makes elements whose bytes count up from 0.
func counting(elemSize int) elemio.Fill {
	return func(dst []byte, first int64) error {
		if len(dst)%elemSize != 0 {
			return fmt.Errorf("asked for %d bytes of elements of %d", len(dst), elemSize)
		}
		for i := range dst {
			dst[i] = byte(int(first)*elemSize + i)
		}
		return nil
	}
}

func TestReader(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8, 16} {
		for _, n := range []int64{0, 1, 13} {
			t.Run(fmt.Sprintf("%d elements of %d bytes", n, size), func(t *testing.T) {
				want := make([]byte, n*int64(size))
				if err := counting(size)(want, 0); err != nil {
					t.Fatal(err)
				}
				r := elemio.NewReader(size, n, counting(size))
				if err := iotest.TestReader(r, want); err != nil {
					t.Error(err)
				}
				checkReadAt(t, r, want)
			})
		}
	}
}

// checkReadAt reads every range of a reader of the bytes want.
func checkReadAt(t *testing.T, r io.ReaderAt, want []byte) {
	t.Helper()
	for off := range want {
		for n := range len(want) - off + 2 {
			p := make([]byte, n)
			got, err := r.ReadAt(p, int64(off))
			end := min(off+n, len(want))
			if (err == io.EOF) != (off+n > len(want)) || (err != nil && err != io.EOF) {
				t.Fatalf("ReadAt(%d bytes, %d): error %v", n, off, err)
			}
			if !bytes.Equal(p[:got], want[off:end]) {
				t.Fatalf("ReadAt(%d bytes, %d) = %v, want %v", n, off, p[:got], want[off:end])
			}
		}
	}
}

func TestReaderErrors(t *testing.T) {
	bad := errors.New("bad element")
	r := elemio.NewReader(4, 10, func(dst []byte, first int64) error {
		if first+int64(len(dst))/4 > 5 {
			return bad
		}
		return nil
	})
	if n, err := r.ReadAt(make([]byte, 19), 0); n != 19 || err != nil {
		t.Errorf("before the bad element: %d, %v", n, err)
	}
	if n, err := r.ReadAt(make([]byte, 25), 1); n != 3 || !errors.Is(err, bad) {
		t.Errorf("over the bad element: %d, %v", n, err)
	}
	if _, err := r.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("no error for a negative offset")
	}
	if n, err := r.ReadAt(nil, 40); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
}
