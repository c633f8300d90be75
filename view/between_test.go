package view_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A ram stands for the memory of a device: bytes that are reached by reading and writing only.
type ram struct {
	bytes         []byte
	written       []bool
	reads, writes int
	failAt        int // which transfer fails, from 1; 0 for none
}

var errTransfer = errors.New("a transfer fails")

// begin counts a transfer.
func (r *ram) begin(calls *int) error {
	*calls++
	if r.reads+r.writes == r.failAt {
		return errTransfer
	}
	return nil
}

func (r *ram) ReadAt(p []byte, off int64) (int, error) {
	if err := r.begin(&r.reads); err != nil {
		return 0, err
	}
	return bytes.NewReader(r.bytes).ReadAt(p, off)
}

func (r *ram) WriteAt(p []byte, off int64) (int, error) {
	if err := r.begin(&r.writes); err != nil {
		return 0, err
	}
	for i := range p {
		r.written[int(off)+i] = true
	}
	return copy(r.bytes[off:], p), nil
}

// onDevice is an allocator at a place.
type onDevice mmapstore.Place

func (d onDevice) Place() mmapstore.Place { return mmapstore.Place(d) }

func (d onDevice) Alloc(size int64) (mmapstore.Block, error) {
	r := &ram{bytes: make([]byte, size), written: make([]bool, size)}
	return mmapstore.NewDeviceBlock(d.Place(), size, r, func() error { return nil }), nil
}

// placed returns a storage with some bytes at a place, and the memory of it if that is a device.
func placed(t testing.TB, place mmapstore.Place, b []byte) (*mmapstore.Storage, *ram) {
	t.Helper()
	if place == mmapstore.CPU {
		return mmapstore.FromBytes(slices.Clone(b)), nil
	}
	st, err := mmapstore.WithAllocator(onDevice(place), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	memory := st.Device().(*ram)
	copy(memory.bytes, b)
	return st, memory
}

// bytesIn returns the bytes of a storage.
func bytesIn(t testing.TB, st *mmapstore.Storage) []byte {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(st, 0, st.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A picker makes random layouts.
type picker struct{ *rand.Rand }

// layout returns a layout of a shape without repeated elements, with gaps and axes in any order and
// direction.
func (r picker) layout(shape []int) tensortest.Layout {
	l := tensortest.Layout{Shape: shape, Strides: make([]int, len(shape)), Offset: r.IntN(3), Span: 1}
	step := 1 + r.IntN(2)*r.IntN(3)
	for _, axis := range r.order(len(shape)) {
		l.Strides[axis] = step
		reach := max(shape[axis]-1, 0) * step
		l.Span += reach
		step = step*max(shape[axis], 1) + r.IntN(2)*r.IntN(4)
		if r.IntN(3) == 0 {
			l.Strides[axis] *= -1
			l.Offset += reach
		}
	}
	l.Span += l.Offset
	return l
}

// order returns axes from the innermost on, often in C order.
func (r picker) order(rank int) []int {
	order := r.Perm(rank)
	if r.IntN(2) == 0 {
		slices.Sort(order)
		slices.Reverse(order)
	}
	return order
}

// shape returns a shape of up to about most elements.
func (r picker) shape(most int) []int {
	shape := []int{}
	for range r.IntN(5) {
		n := 1 + r.IntN(9)
		if r.IntN(4) == 0 {
			n = r.IntN(300)
		}
		if most /= max(n, 1); most == 0 {
			break
		}
		shape = append(shape, n)
	}
	return shape
}

// bytes returns n random ones.
func (r picker) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Copies between random layouts and types in all places have the bytes that they have in host
// memory, and nothing is written but elements.
func TestCopyBetweenPlaces(t *testing.T) {
	places := []mmapstore.Place{mmapstore.CPU, mmapstore.GPU(0), mmapstore.GPU(0), mmapstore.GPU(1)}
	types := dtype.All()
	for seed := range uint64(600) {
		r := picker{rand.New(rand.NewPCG(seed, 17))}
		to, from := types[r.IntN(len(types))], types[r.IntN(len(types))]
		if r.IntN(2) == 0 {
			from = to
		}
		at, of := places[r.IntN(4)], places[r.IntN(4)]
		shape := r.shape(20_000)
		dl, sl := r.layout(shape), r.layout(shape[r.IntN(len(shape)+1):])
		for axis := range sl.Shape {
			if r.IntN(5) == 0 && sl.Shape[axis] > 0 {
				sl.Shape = slices.Clone(sl.Shape)
				sl.Shape[axis] = 1
			}
		}

		one := r.IntN(4) == 0 // operands of one storage, which overlap or not
		size, n := dl.Span*to.Size(), sl.Span*from.Size()
		if one {
			of, size = at, max(size, n)+r.IntN(2)*64
		}
		content, other := r.bytes(size), r.bytes(n)

		run := func(at, of mmapstore.Place) ([]byte, *ram) {
			dst, memory := placed(t, at, content)
			src := dst
			if !one {
				src, _ = placed(t, of, other)
			} else if _, err := src.Retain(); err != nil {
				t.Fatal(err)
			}
			x := newTensor(t, dst, to, mustMake(t, dl.Shape, dl.Strides, dl.Offset))
			y := newTensor(t, src, from, mustMake(t, sl.Shape, sl.Strides, sl.Offset))
			if err := view.Copy(t.Context(), x, y); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return bytesIn(t, dst), memory
		}
		want, _ := run(mmapstore.CPU, mmapstore.CPU)
		got, memory := run(at, of)
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: %v %v to %v %v of %v: other bytes", seed, of, from, at, to, dl)
		}
		if memory == nil {
			continue
		}
		elements := make([]bool, size)
		for _, pos := range dl.Positions() {
			for i := range to.Size() {
				elements[pos*to.Size()+i] = true
			}
		}
		for i, written := range memory.written {
			if written && !elements[i] {
				t.Fatalf("seed %d: byte %d is written, between elements", seed, i)
			}
		}
	}
}

// What lies side by side is one transfer of up to 1 MiB, and gaps are read along.
func TestTransfers(t *testing.T) {
	const mib = 1 << 20
	contiguous := func(shape ...int) view.Layout {
		l, err := view.NewLayout(shape...)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	tests := []struct {
		name     string
		to, from mmapstore.Place
		dst, src view.Layout
		reads    int
		writes   int
	}{
		{"up", mmapstore.GPU(0), mmapstore.CPU, contiguous(3 * mib), contiguous(3 * mib), 0, 3},
		{"down", mmapstore.CPU, mmapstore.GPU(0), contiguous(3*mib - 5), contiguous(3*mib - 5), 3, 0},
		{"up, of columns", mmapstore.GPU(0), mmapstore.CPU, contiguous(1024, 2048), mustMake(t, []int{1024, 2048}, []int{1, 1024}, 0), 0, 2},
		{"down, to columns", mmapstore.CPU, mmapstore.GPU(0), mustMake(t, []int{1024, 2048}, []int{1, 1024}, 0), contiguous(1024, 2048), 2, 0},
		{"rows with gaps", mmapstore.GPU(0), mmapstore.CPU, mustMake(t, []int{10, 100}, []int{200, 1}, 0), contiguous(10, 100), 0, 10},
		{"rows with gaps, read", mmapstore.CPU, mmapstore.GPU(0), contiguous(10, 100), mustMake(t, []int{10, 100}, []int{200, 1}, 0), 1, 0},
		{"every third", mmapstore.CPU, mmapstore.GPU(0), contiguous(mib), mustMake(t, []int{mib}, []int{3}, 0), 3, 0},
		{"far apart", mmapstore.CPU, mmapstore.GPU(0), contiguous(10), mustMake(t, []int{10}, []int{mib}, 0), 10, 0},
		{"one element to all", mmapstore.GPU(0), mmapstore.GPU(1), contiguous(1000), mustMake(t, []int{1000}, []int{0}, 0), 1, 1},
		{"transposed", mmapstore.GPU(0), mmapstore.GPU(1), contiguous(1024, 2048), mustMake(t, []int{1024, 2048}, []int{1, 1024}, 0), 2, 1024 * 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			size := func(l view.Layout) []byte {
				_, hi := l.Bounds()
				return make([]byte, hi)
			}
			dst, to := placed(t, test.to, size(test.dst))
			src, from := placed(t, test.from, size(test.src))
			if err := view.Copy(t.Context(), newTensor(t, dst, dtype.Int8, test.dst), newTensor(t, src, dtype.Int8, test.src)); err != nil {
				t.Fatal(err)
			}
			reads, writes := 0, 0
			if from != nil {
				reads = from.reads
			}
			if to != nil {
				writes = to.writes
			}
			if reads != test.reads || writes != test.writes {
				t.Errorf("%d reads and %d writes, want %d and %d", reads, writes, test.reads, test.writes)
			}
		})
	}
}

// Copies within one block that take several pieces: shifted, turned, and converted in place.
func TestCopyWithinABlock(t *testing.T) {
	const n = 3 << 20 / 4
	content := picker{rand.New(rand.NewPCG(1, 1))}.bytes(4*n + 4)
	line := func(stride, offset int) view.Layout { return mustMake(t, []int{n}, []int{stride}, offset) }
	tests := []struct {
		name     string
		to, from dtype.Type
		dst, src view.Layout
	}{
		{"shifted up", dtype.Int32, dtype.Int32, line(1, 1), line(1, 0)},
		{"shifted down", dtype.Int32, dtype.Int32, line(1, 0), line(1, 1)},
		{"turned", dtype.Int32, dtype.Int32, line(1, 0), line(-1, n-1)},
		{"converted", dtype.Float32, dtype.Int32, line(1, 0), line(1, 0)},
		{"the same", dtype.Int32, dtype.Int32, line(1, 0), line(1, 0)},
	}
	for _, test := range tests {
		run := func(place mmapstore.Place) ([]byte, *ram) {
			st, memory := placed(t, place, content)
			part, err := st.Range(0, st.Size())
			if err != nil {
				t.Fatal(err)
			}
			if err := view.Copy(t.Context(), newTensor(t, part, test.to, test.dst), newTensor(t, st, test.from, test.src)); err != nil {
				t.Fatal(err)
			}
			return bytesIn(t, st), memory
		}
		want, _ := run(mmapstore.CPU)
		got, memory := run(mmapstore.GPU(0))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: other bytes", test.name)
		}
		if test.name == "the same" && memory.writes > 0 {
			t.Errorf("%s: %d writes", test.name, memory.writes)
		}
	}
}

// A transfer that fails, and a context that ends, end a copy.
func TestCopyBetweenPlacesFails(t *testing.T) {
	l := mustMake(t, []int{40, 50}, []int{100, 1}, 0)
	for at := 1; at <= 40; at++ {
		dst, memory := placed(t, mmapstore.GPU(0), make([]byte, 40*100))
		x := newTensor(t, dst, dtype.Int8, l)
		_, data := packedTensor(t, []int{40, 50}, dtype.Int8)
		y := newTensor(t, mmapstore.FromBytes(data), dtype.Int8, mustMake(t, []int{40, 50}, []int{50, 1}, 0))
		memory.failAt = at
		if err := view.Copy(t.Context(), x, y); !errors.Is(err, errTransfer) || memory.writes != at {
			t.Errorf("transfer %d: %v after %d", at, err, memory.writes)
		}
	}

	dst, _ := placed(t, mmapstore.GPU(0), make([]byte, 8))
	x := newTensor(t, dst, dtype.Int8, mustMake(t, []int{8}, []int{1}, 0))
	y, _ := packedTensor(t, []int{8}, dtype.Int8)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := view.Copy(ctx, x, y); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the error of the context", err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := view.Copy(t.Context(), y, x); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

// Streams, iterations, blocks and fills reach a tensor on a device, whatever its layout.
func TestStreamsOnADevice(t *testing.T) {
	for seed := range uint64(60) {
		r := picker{rand.New(rand.NewPCG(seed, 23))}
		dt := dtype.All()[r.IntN(len(dtype.All()))]
		l := r.layout(r.shape(2_000))
		layout := mustMake(t, l.Shape, l.Strides, l.Offset)
		content := r.bytes(l.Span * dt.Size())
		hostStorage, _ := placed(t, mmapstore.CPU, content)
		host := newTensor(t, hostStorage, dt, layout)
		st, memory := placed(t, mmapstore.GPU(2), content)
		x := newTensor(t, st, dt, layout)

		want, err := io.ReadAll(host.Reader())
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(x.Reader(), 0, x.NumBytes()))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("seed %d: Reader: other bytes, %v", seed, err)
		}
		var blocks []byte
		err = x.Blocks(100, func(b []byte) error {
			blocks = append(blocks, b...)
			return nil
		})
		if err != nil || !bytes.Equal(blocks, want) {
			t.Fatalf("seed %d: Blocks: other bytes, %v", seed, err)
		}
		n := 0
		for v, err := range x.Elements() {
			if err != nil || !bytes.Equal(stored(v), stored(dtype.Load(dt, want[n*dt.Size():]))) {
				t.Fatalf("seed %d: element %d is %v, %v", seed, n, v, err)
			}
			n++
		}

		// Pieces that begin and end within elements.
		slices.Reverse(want)
		for off := 0; off < len(want); {
			n := min(1+r.IntN(3*dt.Size()*9), len(want)-off)
			part := make([]byte, n)
			if _, err := x.Writer().WriteAt(want[off:off+n], int64(off)); err != nil {
				t.Fatal(err)
			}
			if _, err := x.Reader().ReadAt(part, int64(off)); err != nil || !bytes.Equal(part, want[off:off+n]) {
				t.Fatalf("seed %d: %d bytes at %d: read others, %v", seed, n, off, err)
			}
			off += n
		}
		if _, err := host.Writer().Write(want); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(memory.bytes, bytesIn(t, hostStorage)) {
			t.Fatalf("seed %d: Writer: other bytes", seed)
		}

		v := dtype.ScalarOf(3.0)
		if err := errors.Join(view.Fill(t.Context(), x, v), view.Fill(t.Context(), host, v)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(memory.bytes, bytesIn(t, hostStorage)) {
			t.Fatalf("seed %d: Fill: other bytes", seed)
		}
	}
}

// stored returns the bytes of a scalar.
func stored(v dtype.Scalar) []byte {
	b := make([]byte, v.Type().Size())
	v.Store(b)
	return b
}

// Tensors on a device overlap as those in host memory do.
func TestOverlapsOnADevice(t *testing.T) {
	for _, pair := range tensortest.Aliased() {
		overlaps := func(place mmapstore.Place) bool {
			st, _ := placed(t, place, make([]byte, pair.Span()))
			l := mustMake(t, pair.Src.Shape, pair.Src.Strides, pair.Src.Offset)
			lo, _ := l.Bounds()
			part, err := st.Range(int64(lo), st.Size()-int64(lo))
			if err != nil {
				t.Fatal(err)
			}
			x := newTensor(t, st, dtype.Int8, mustMake(t, pair.Dst.Shape, pair.Dst.Strides, pair.Dst.Offset))
			y := newTensor(t, part, dtype.Int8, mustMake(t, pair.Src.Shape, pair.Src.Strides, pair.Src.Offset-lo))
			got, err := view.Overlaps(x, y)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if got, want := overlaps(mmapstore.GPU(0)), overlaps(mmapstore.CPU); got != want {
			t.Errorf("%s: %t, want %t", pair.Name, got, want)
		}
	}
}

// What needs the bytes in host memory says where they are, and what to do.
func TestPlaceErrors(t *testing.T) {
	st, _ := placed(t, mmapstore.GPU(3), make([]byte, 80))
	x := newTensor(t, st, dtype.Float64, mustMake(t, []int{10}, []int{1}, 0))
	y, _ := packedTensor(t, []int{10}, dtype.Float64)
	for name, call := range map[string]func() error{
		"Equal":  func() error { _, err := view.Equal(t.Context(), x, y); return err },
		"Repeat": func() error { return view.Repeat(t.Context(), y, x, []int{1}, 0) },
	} {
		err := call()
		if !errors.Is(err, mmapstore.ErrPlace) {
			t.Errorf("%s: got %v, want ErrPlace", name, err)
		}
		checkError(t, err, fmt.Sprintf("it is on %v; copy it to host memory, tensors with view.Copy", mmapstore.GPU(3)))
	}
}
