package view_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A fixture is a tensor over bytes that count up, so that each element of a small storage is
// different.
type fixture struct {
	*view.Tensor
	bytes []byte
	size  int
	pos   []int // positions of the elements in C order
}

// newFixture puts the layout over counting bytes.
func newFixture(t testing.TB, c tensortest.Layout, dt dtype.Type) fixture {
	t.Helper()
	b := tensortest.Buffer(c.Span*dt.Size(), c.Skew)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return fixture{
		Tensor: newTensor(t, mmapstore.FromBytes(b), dt, mustMake(t, c.Shape, c.Strides, c.Offset)),
		bytes:  b,
		size:   dt.Size(),
		pos:    c.Positions(),
	}
}

// packed returns the bytes of the elements in C order.
func (f fixture) packed() []byte {
	out := []byte{}
	for _, pos := range f.pos {
		out = append(out, f.bytes[pos*f.size:(pos+1)*f.size]...)
	}
	return out
}

// sizedTypes has one type for each size of elements.
var sizedTypes = []dtype.Type{dtype.Uint8, dtype.Float16, dtype.Float32, dtype.Int64, dtype.Complex128}

// sweep runs fn over all layouts and element sizes.
func sweep(t *testing.T, fn func(t *testing.T, c tensortest.Layout, dt dtype.Type)) {
	for _, c := range tensortest.Layouts() {
		for _, dt := range sizedTypes {
			t.Run(fmt.Sprintf("%s/%s", c.Name, dt), func(t *testing.T) { fn(t, c, dt) })
		}
	}
}

func TestNewTensorProvesBounds(t *testing.T) {
	tests := []struct {
		name           string
		size           int
		dt             dtype.Type
		shape, strides []int
		offset         int
		want           string
	}{
		{"fits", 24, dtype.Float32, []int{6}, []int{1}, 0, ""},
		{"fits, with bytes over", 27, dtype.Float32, []int{6}, []int{1}, 0, ""},
		{"one too many", 24, dtype.Float32, []int{7}, []int{1}, 0, "touches elements 0 to 6, the storage of 24 bytes holds 6 elements of float32"},
		{"part of an element", 23, dtype.Float32, []int{6}, []int{1}, 0, "holds 5 elements"},
		{"offset", 24, dtype.Float32, []int{6}, []int{1}, 1, "touches elements 1 to 6"},
		{"stride", 24, dtype.Float32, []int{3}, []int{3}, 0, "touches elements 0 to 6"},
		{"reversed", 24, dtype.Float32, []int{6}, []int{-1}, 5, ""},
		{"empty anywhere", 0, dtype.Float32, []int{0, 9}, []int{9, 1}, 100, ""},
		{"scalar beyond", 0, dtype.Float32, nil, nil, 0, "touches elements 0 to 0"},
		{"far position", 24, dtype.Complex128, []int{1}, []int{1}, 1 << 62, "touches elements"},
		{"bytes overflow", 16, dtype.Complex128, []int{1 << 60}, []int{0}, 0, "more bytes than can be counted"},
		{"no type", 16, dtype.Invalid, []int{1}, []int{1}, 0, "not an element type"},
		{"unknown type", 16, dtype.Type(200), []int{1}, []int{1}, 0, "not an element type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := mmapstore.FromBytes(make([]byte, tt.size))
			defer st.Release()
			tensor, err := view.NewTensor(st, tt.dt, mustMake(t, tt.shape, tt.strides, tt.offset))
			checkError(t, err, tt.want)
			if err == nil {
				tensor.Close()
			}
		})
	}
}

func TestTensorTellsWhatItIs(t *testing.T) {
	f := newFixture(t, tensortest.Layout{Shape: []int{3, 4}, Strides: []int{-4, 1}, Offset: 9, Span: 20}, dtype.Int16)
	got := []any{f.DType(), f.Shape(), f.Strides(), f.Offset(), f.Rank(), f.NumElems(), f.NumBytes(), f.Storage().Size(), f.String()}
	want := []any{dtype.Int16, []int{3, 4}, []int{-4, 1}, 9, 2, 12, int64(24), int64(40), "int16 shape (3, 4) strides (-4, 1) offset 9"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGetAndSetSweep(t *testing.T) {
	sweep(t, func(t *testing.T, c tensortest.Layout, dt dtype.Type) {
		f := newFixture(t, c, dt)
		k := 0
		for idx := range indexes(f.Shape()) {
			elem := f.bytes[f.pos[k]*f.size:][:f.size]
			got, err := f.Get(idx...)
			if err != nil {
				t.Fatal(err)
			}
			if want := dtype.Load(dt, elem); got != want {
				t.Fatalf("Get(%v) = %v, expected %v", idx, got, want)
			}
			v := dtype.ScalarOf(int8(k % 50)).Convert(dt)
			err = f.Set(dtype.ScalarOf(int64(k%50)), idx...)
			if c.Repeats {
				checkRepeats(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := dtype.Load(dt, elem); got != v {
				t.Fatalf("Set(%v) wrote %v, expected %v", idx, got, v)
			}
			if k++; k == 200 {
				return
			}
		}
	})
}

// checkRepeats checks that an error says that elements are repeated.
func checkRepeats(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, view.ErrRepeats) {
		t.Errorf("writing to repeated elements: %v, expected ErrRepeats", err)
	}
}

// indexes yields all indexes of a shape in C order; the slice is reused.
func indexes(shape []int) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		if slices.Contains(shape, 0) {
			return
		}
		idx := make([]int, len(shape))
		for {
			if !yield(idx) {
				return
			}
			axis := len(shape) - 1
			for ; axis >= 0; axis-- {
				if idx[axis]++; idx[axis] < shape[axis] {
					break
				}
				idx[axis] = 0
			}
			if axis < 0 {
				return
			}
		}
	}
}

func TestSetRefusesAValueWithoutType(t *testing.T) {
	f := newFixture(t, tensortest.Layout{Shape: []int{3}, Strides: []int{1}, Span: 3}, dtype.Int16)
	checkError(t, f.Set(dtype.Scalar{}, 0), "no type")
	checkError(t, view.Fill(t.Context(), f.Tensor, dtype.Scalar{}), "no type")
}

func TestDerived(t *testing.T) {
	f := newFixture(t, tensortest.Layout{Shape: []int{4, 6}, Strides: []int{6, 1}, Span: 24}, dtype.Int32)
	tests := []struct {
		name   string
		derive func() (*view.Tensor, error)
		want   string
	}{
		{"index", func() (*view.Tensor, error) { return f.Index(view.Index{view.At(1)}) }, "int32 shape (6,) strides (1,) offset 6"},
		{"slice", func() (*view.Tensor, error) { return f.Slice("::2, ::-1") }, "int32 shape (2, 6) strides (12, -1) offset 5"},
		{"transpose", func() (*view.Tensor, error) { return f.Transpose(), nil }, "int32 shape (6, 4) strides (1, 6) offset 0"},
		{"permute", func() (*view.Tensor, error) { return f.Permute(1, 0) }, "int32 shape (6, 4) strides (1, 6) offset 0"},
		{"reshape", func() (*view.Tensor, error) { return f.Reshape(2, -1, 3) }, "int32 shape (2, 4, 3) strides (12, 3, 1) offset 0"},
		{"flatten", func() (*view.Tensor, error) { return f.Flatten() }, "int32 shape (24,) strides (1,) offset 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.derive()
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != tt.want {
				t.Errorf("got %s, expected %s", got, tt.want)
			}
			if err := got.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := f.Get(0, 0); err != nil {
		t.Errorf("closing what was derived must not close the tensor: %v", err)
	}
	_, err := f.Slice("1:x")
	checkError(t, err, `index "1:x", position 2`)
	_, err = f.Slice("9")
	checkError(t, err, "index 9 is out of bounds for axis 0 with size 4")
}

func TestLifetime(t *testing.T) {
	st, err := mmapstore.New(32)
	if err != nil {
		t.Fatal(err)
	}
	l := mustMake(t, []int{8}, []int{1}, 0)
	origin, err := view.NewTensor(st, dtype.Float32, l)
	if err != nil {
		t.Fatal(err)
	}
	derived, err := origin.Slice("::2")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := derived.Retain()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(st.Release(), origin.Close(), origin.Close()); err != nil {
		t.Fatal(err)
	}
	for _, closed := range []*view.Tensor{origin, derived} {
		checkClosed(t, closed)
	}
	if _, err := kept.Get(3); err != nil {
		t.Errorf("the retained tensor went with its origin: %v", err)
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
	checkClosed(t, kept)
	if _, err := view.NewTensor(st, dtype.Float32, l); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("tensor over a closed storage: %v, expected ErrClosed", err)
	}
}

// checkClosed checks that every use of a closed tensor is ErrClosed.
func checkClosed(t *testing.T, closed *view.Tensor) {
	t.Helper()
	open, err := view.FromSlice(make([]float32, closed.NumElems()))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	_, getErr := closed.Get(0)
	_, readErr := closed.Reader().Read(make([]byte, 4))
	_, writeErr := closed.Writer().Write(make([]byte, 4))
	_, retainErr := closed.Retain()
	_, equalErr := view.Equal(t.Context(), closed, open)
	for name, err := range map[string]error{
		"Get":    getErr,
		"Set":    closed.Set(dtype.ScalarOf(1.0), 0),
		"Reader": readErr,
		"Writer": writeErr,
		"Blocks": closed.Blocks(0, func([]byte) error { return nil }),
		"Copy":   view.Copy(t.Context(), closed, open),
		"Copy 2": view.Copy(t.Context(), open, closed),
		"Fill":   view.Fill(t.Context(), closed, dtype.ScalarOf(1.0)),
		"Equal":  equalErr,
		"Fprint": view.Fprint(t.Output(), closed, nil),
		"Retain": retainErr,
	} {
		if !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("%s on a closed tensor: %v, expected ErrClosed", name, err)
		}
	}
}

func TestReadOnly(t *testing.T) {
	st := mapTempFile(t, make([]byte, 64), mmapstore.ReadOnly)
	sealed := newTensor(t, st, dtype.Float32, mustMake(t, []int{16}, []int{1}, 0))
	other, err := view.FromSlice(make([]float32, 16))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, writeErr := sealed.Writer().Write(make([]byte, 4))
	for name, err := range map[string]error{
		"Set":    sealed.Set(dtype.ScalarOf(1.0), 0),
		"Writer": writeErr,
		"Copy":   view.Copy(t.Context(), sealed, other),
		"Fill":   view.Fill(t.Context(), sealed, dtype.ScalarOf(1.0)),
	} {
		if !errors.Is(err, mmapstore.ErrReadOnly) {
			t.Errorf("%s: %v, expected ErrReadOnly", name, err)
		}
	}
	if err := view.Copy(t.Context(), other, sealed); err != nil {
		t.Errorf("reading a read-only tensor: %v", err)
	}
}

// Closing while others read ends them with ErrClosed, not with a fault.
func TestCloseWhileReading(t *testing.T) {
	st := mapTempFile(t, make([]byte, 1<<20), mmapstore.ReadOnly)
	tensor, err := view.NewTensor(st, dtype.Float32, mustMake(t, []int{512, 512}, []int{1, 512}, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Release(); err != nil {
		t.Fatal(err)
	}
	r := tensor.Reader()
	var started, done sync.WaitGroup
	for range 4 {
		started.Add(1)
		done.Go(func() {
			buf := make([]byte, 64<<10)
			_, err := r.ReadAt(buf, 0)
			started.Done()
			for err == nil {
				_, err = r.ReadAt(buf, 1000)
			}
			if !errors.Is(err, mmapstore.ErrClosed) {
				t.Errorf("%v, expected ErrClosed", err)
			}
		})
	}
	started.Wait()
	if err := tensor.Close(); err != nil {
		t.Error(err)
	}
	done.Wait()
}
