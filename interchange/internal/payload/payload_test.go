package payload_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/internal/payload"
)

func Example() {
	in := bytes.NewReader([]byte("\x00\x00\x00\x2amore"))
	r := payload.Stream(in, 4, dtype.Int32, true, false)
	b, err := io.ReadAll(r)
	fmt.Println(b, err)
	// Output: [42 0 0 0] <nil>
}

// TestStream reads streams that come in every kind of pieces, across the limits of buffers.
func TestStream(t *testing.T) {
	pieces := map[string]func(io.Reader) io.Reader{
		"whole":        func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
		"halves":       iotest.HalfReader,
		"end with it":  iotest.DataErrReader,
	}
	for _, dt := range []dtype.Type{dtype.Uint8, dtype.Int64, dtype.Complex64} {
		content := make([]byte, 3*64<<10+48)
		for i := range content {
			content[i] = byte(i * i >> 8)
		}
		swapped := bytes.Clone(content)
		dtype.SwapBytes(swapped, dt)
		for name, cut := range pieces {
			for _, swap := range []bool{false, true} {
				want := content
				if swap {
					want = swapped
				}
				r := payload.Stream(cut(bytes.NewReader(content)), int64(len(content)), dt, swap, true)
				if err := iotest.TestReader(r, want); err != nil {
					t.Errorf("%v, %s, swapped %t: %v", dt, name, swap, err)
				}
			}
		}
	}
}

func TestStreamLeavesTheRest(t *testing.T) {
	for _, swap := range []bool{false, true} {
		in := bytes.NewReader(make([]byte, 100))
		b, err := io.ReadAll(payload.Stream(in, 40, dtype.Int32, swap, false))
		if err != nil || len(b) != 40 || in.Len() != 60 {
			t.Errorf("swapped %t: %d bytes read, %d left, error %v", swap, len(b), in.Len(), err)
		}
	}
}

func TestStreamError(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, swap := range []bool{false, true} {
		in := io.MultiReader(bytes.NewReader(make([]byte, 10)), iotest.ErrReader(broken))
		b, err := io.ReadAll(payload.Stream(in, 40, dtype.Int32, swap, true))
		if !errors.Is(err, broken) || len(b) != 10 {
			t.Errorf("swapped %t: %d bytes, error %v", swap, len(b), err)
		}
		in = io.MultiReader(bytes.NewReader(make([]byte, 40)), iotest.ErrReader(broken))
		if _, err := io.ReadAll(payload.Stream(in, 40, dtype.Int32, swap, true)); !errors.Is(err, broken) {
			t.Errorf("swapped %t: error behind the elements: %v", swap, err)
		}
	}
}
