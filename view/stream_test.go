package view_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func TestReaderSweep(t *testing.T) {
	sweep(t, func(t *testing.T, c tensortest.Layout, dt dtype.Type) {
		f := newFixture(t, c, dt)
		want := f.packed()
		if got := f.Reader().Size(); got != int64(len(want)) {
			t.Errorf("Size is %d, expected %d", got, len(want))
		}
		if len(want) < 2000 {
			if err := iotest.TestReader(f.Reader(), want); err != nil {
				t.Error(err)
			}
		}
		checkReadsAt(t, f.Reader(), want)
		var copied bytes.Buffer
		if n, err := f.Reader().WriteTo(&copied); err != nil || n != int64(len(want)) || !bytes.Equal(copied.Bytes(), want) {
			t.Errorf("WriteTo: %d bytes, error %v, expected %d", n, err, len(want))
		}
	})
}

// checkReadsAt reads ranges that begin and end anywhere, inside elements too.
func checkReadsAt(t *testing.T, r *view.Reader, want []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		off := rng.IntN(len(want) + 1)
		p := make([]byte, rng.IntN(len(want)-off+1))
		if n, err := r.ReadAt(p, int64(off)); n != len(p) || (err != nil && err != io.EOF) {
			t.Fatalf("ReadAt(%d bytes, %d) = %d, %v", len(p), off, n, err)
		}
		if !bytes.Equal(p, want[off:off+len(p)]) {
			t.Fatalf("ReadAt(%d bytes, %d) read other bytes", len(p), off)
		}
	}
}

func TestWriterSweep(t *testing.T) {
	sweep(t, func(t *testing.T, c tensortest.Layout, dt dtype.Type) {
		if c.Repeats {
			_, err := newFixture(t, c, dt).Writer().Write(make([]byte, 1))
			checkRepeats(t, err)
			return
		}
		want := newFixture(t, c, dt).packed()
		slices.Reverse(want)
		for name, write := range map[string]func(w *view.Writer) error{
			"at once": func(w *view.Writer) error { _, err := w.Write(want); return err },
			"in odd pieces": func(w *view.Writer) error {
				for piece := range slices.Chunk(want, 7) {
					if _, err := w.Write(piece); err != nil {
						return err
					}
				}
				return nil
			},
			"ReadFrom": func(w *view.Writer) error {
				_, err := w.ReadFrom(iotest.HalfReader(bytes.NewReader(want)))
				return err
			},
			"WriteAt from the end": func(w *view.Writer) error {
				pieces := slices.Collect(slices.Chunk(want, 11))
				for i, piece := range slices.Backward(pieces) {
					if _, err := w.WriteAt(piece, int64(i*11)); err != nil {
						return err
					}
				}
				return nil
			},
		} {
			f := newFixture(t, c, dt)
			before := slices.Clone(f.bytes)
			if err := write(f.Writer()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(f.packed(), want) {
				t.Errorf("%s: the tensor holds other bytes", name)
			}
			checkOutside(t, f, before)
		}
	})
}

// checkOutside checks that no byte changed but those of the elements.
func checkOutside(t *testing.T, f fixture, before []byte) {
	t.Helper()
	inside := make([]bool, len(f.bytes))
	for _, pos := range f.pos {
		for i := range f.size {
			inside[pos*f.size+i] = true
		}
	}
	for i := range f.bytes {
		if !inside[i] && f.bytes[i] != before[i] {
			t.Fatalf("byte %d outside the tensor was changed", i)
		}
	}
}

func TestWriterErrors(t *testing.T) {
	f := newFixture(t, tensortest.Layout{Shape: []int{3}, Strides: []int{2}, Span: 6}, dtype.Int32)
	w := f.Writer()
	n, err := w.Write(make([]byte, 13))
	if n != 12 || w.Remaining() != 0 {
		t.Errorf("wrote %d bytes, %d remain", n, w.Remaining())
	}
	checkError(t, err, "write of 13 bytes at offset 0: more bytes than the tensor holds: 12 bytes")
	_, err = w.Write([]byte{1})
	checkError(t, err, "more bytes")
	_, err = w.WriteAt([]byte{1}, -1)
	checkError(t, err, "negative offset -1")
	_, err = w.WriteAt([]byte{1}, 13)
	checkError(t, err, "more bytes")
	n64, err := f.Writer().ReadFrom(bytes.NewReader(make([]byte, 100)))
	if n64 != 12 {
		t.Errorf("ReadFrom took %d bytes, expected 12", n64)
	}
	checkError(t, err, "more bytes")
	n64, err = f.Writer().ReadFrom(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(make([]byte, 12)))))
	if n64 != 1 || !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("ReadFrom a failing reader: %d bytes, %v", n64, err)
	}
	half := f.Writer()
	if _, err := half.ReadFrom(strings.NewReader("12345")); err != nil || half.Remaining() != 7 {
		t.Errorf("ReadFrom a short reader: %v, %d remain", err, half.Remaining())
	}
}

func TestReaderErrors(t *testing.T) {
	f := newFixture(t, tensortest.Layout{Shape: []int{3}, Strides: []int{2}, Span: 6}, dtype.Int32)
	_, err := f.Reader().ReadAt(make([]byte, 1), -1)
	checkError(t, err, "negative offset -1")
	if n, err := f.Reader().ReadAt(make([]byte, 1), 99); n != 0 || err != io.EOF {
		t.Errorf("read past the end: %d, %v", n, err)
	}
	if n, err := f.Reader().ReadAt(make([]byte, 9), 8); n != 4 || err != io.EOF {
		t.Errorf("read over the end: %d, %v", n, err)
	}
	failing := errors.New("full")
	r := f.Reader()
	if _, err := r.WriteTo(errorWriter{failing}); !errors.Is(err, failing) {
		t.Errorf("WriteTo a failing writer: %v", err)
	}
}

type errorWriter struct{ err error }

func (w errorWriter) Write([]byte) (int, error) { return 0, w.err }

func TestBlocksSweep(t *testing.T) {
	sweep(t, func(t *testing.T, c tensortest.Layout, dt dtype.Type) {
		f := newFixture(t, c, dt)
		for _, maxBytes := range []int{0, -1, 1, 24, 1000, 1 << 30} {
			var got []byte
			limit := max(maxBytes, dt.Size())
			if maxBytes <= 0 {
				limit = 1 << 20
			}
			err := f.Blocks(maxBytes, func(b []byte) error {
				if len(b) > limit || len(b) == 0 || len(b)%dt.Size() != 0 {
					return fmt.Errorf("block of %d bytes", len(b))
				}
				got = append(got, b...)
				return nil
			})
			if err != nil {
				t.Fatalf("maxBytes %d: %v", maxBytes, err)
			}
			if !bytes.Equal(got, f.packed()) {
				t.Errorf("maxBytes %d: other bytes", maxBytes)
			}
		}
	})
}

func TestBlocksAreInPlaceWhereContiguous(t *testing.T) {
	f := newFixture(t, tensortest.Layout{Shape: []int{4, 5}, Strides: []int{5, 1}, Offset: 3, Span: 30}, dtype.Int32)
	err := f.Blocks(40, func(b []byte) error {
		b[0] ^= 0xff // shows in the storage only if b is the storage
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.bytes[12]; got != byte(12*7)^0xff {
		t.Error("the block was a copy")
	}
}

func TestBlocksEndWithTheError(t *testing.T) {
	stop := errors.New("stop")
	for _, strides := range [][]int{{5, 1}, {1, 4}} {
		f := newFixture(t, tensortest.Layout{Shape: []int{4, 5}, Strides: strides, Span: 20}, dtype.Int32)
		calls := 0
		err := f.Blocks(8, func([]byte) error {
			calls++
			return stop
		})
		if err != stop || calls != 1 {
			t.Errorf("strides %v: error %v after %d calls", strides, err, calls)
		}
	}
}

// Streaming a tensor of any size takes one buffer.
func TestStreamingMemoryIsBounded(t *testing.T) {
	const n = 16 << 20
	st, err := mmapstore.New(n)
	if err != nil {
		t.Fatal(err)
	}
	tensor := newTensor(t, st, dtype.Uint8, mustMake(t, []int{4096, 4096}, []int{1, 4096}, 0))
	wider, _ := packedTensor(t, []int{4096, 4096}, dtype.Uint16)
	for name, run := range map[string]func() error{
		"WriteTo":  func() error { _, err := tensor.Reader().WriteTo(io.Discard); return err },
		"ReadFrom": func() error { _, err := tensor.Writer().ReadFrom(io.LimitReader(zeros{}, n)); return err },
		"Blocks":   func() error { return tensor.Blocks(n, func([]byte) error { return nil }) },
		"Copy":     func() error { return view.Copy(t.Context(), wider, tensor) },
	} {
		if got := allocatedBy(t, run); got > 3<<20/2 {
			t.Errorf("%s allocates %d bytes for %d", name, got, n)
		}
	}
}

// allocatedBy returns the bytes that run allocates.
func allocatedBy(t *testing.T, run func() error) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := run(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
