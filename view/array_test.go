package view_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func TestAs(t *testing.T) {
	f := newFixture(t, tensortest.Layout{Shape: []int{2}, Strides: []int{1}, Span: 2}, dtype.Float32)
	if _, err := view.As[float32](f.Tensor); err != nil {
		t.Error(err)
	}
	_, err := view.As[float64](f.Tensor)
	checkError(t, err, "tensor has dtype float32, wanted float64")
	var wrong *view.DTypeError
	if !errors.As(err, &wrong) || wrong.Got != dtype.Float32 {
		t.Errorf("%#v is not the expected DTypeError", err)
	}
}

// Each Go type goes through FromSlice, At, Set, Ref, CopyTo and CopyFrom.
func TestArrayOfEveryType(t *testing.T) {
	checkArray(t, true, false)
	checkArray(t, int8(-1), 2)
	checkArray(t, int16(-1), 2)
	checkArray(t, int32(-1), 2)
	checkArray(t, int64(-1), 2)
	checkArray(t, uint8(1), 2)
	checkArray(t, uint16(1), 2)
	checkArray(t, uint32(1), 2)
	checkArray(t, uint64(1), 2)
	checkArray(t, dtype.ToF16(1.5), dtype.ToF16(2))
	checkArray(t, dtype.ToBF16(1.5), dtype.ToBF16(2))
	checkArray(t, dtype.ToF8E4M3FN(1.5), dtype.ToF8E4M3FN(2))
	checkArray(t, dtype.ToF8E5M2(1.5), dtype.ToF8E5M2(2))
	checkArray(t, float32(1.5), 2)
	checkArray(t, 1.5, 2)
	checkArray(t, complex64(1+2i), 2)
	checkArray(t, 1+2i, 2)
}

func checkArray[T dtype.Element](t *testing.T, v, w T) {
	t.Helper()
	data := []T{v, w, v, w, v, w}
	tensor, err := view.FromSlice(data, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer tensor.Close()
	whole, err := view.As[T](tensor)
	if err != nil {
		t.Fatal(err)
	}
	a, err := whole.Slice("::-1, 1:")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]T, 4)
	if err := a.CopyTo(got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]T{v, w, w, v}, got); diff != "" {
		t.Errorf("%s: CopyTo (-want +got):\n%s", tensor.DType(), diff)
	}
	ref, err := a.Ref(0, -1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.CopyFrom([]T{v, v, v, v}), a.Set(w, 1, 0), ref.Set(w)); err != nil {
		t.Fatal(err)
	}
	at, err := whole.At(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ref.Get(); err != nil || got != w || at != w {
		t.Errorf("%s: the element is %v and %v, %v; expected %v", tensor.DType(), got, at, err, w)
	}
	if diff := cmp.Diff([]T{v, w, v, w, v, w}, data); diff != "" {
		t.Errorf("%s: the slice that was borrowed (-want +got):\n%s", tensor.DType(), diff)
	}
	if err := a.Fill(w); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]T{v, w, w, w, w, w}, data); diff != "" {
		t.Errorf("%s: after Fill (-want +got):\n%s", tensor.DType(), diff)
	}
	if a.Rank() != 2 || a.NumElems() != 4 || !cmp.Equal(a.Shape(), []int{2, 2}) || a.Tensor().DType() != dtype.Of[T]() {
		t.Errorf("%s: the array is %s", tensor.DType(), a.Tensor())
	}
}

func TestArrayErrors(t *testing.T) {
	tensor, err := view.FromSlice([]int32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer tensor.Close()
	a, err := view.As[int32](tensor)
	if err != nil {
		t.Fatal(err)
	}
	_, atErr := a.At(2, 0)
	_, refErr := a.Ref(0, -3)
	_, sliceErr := a.Slice("0, 0, 0")
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"At", atErr, "index 2 is out of bounds for axis 0 with size 2"},
		{"Set", a.Set(1, 0), "too few indices: tensor has 2 axes, 1 was given"},
		{"Ref", refErr, "index -3 is out of bounds for axis 1 with size 2"},
		{"Slice", sliceErr, "too many indices: tensor has 2 axes, 3 were given"},
		{"CopyTo", a.CopyTo(make([]int32, 3)), "the slice has 3 elements, the array of shape (2, 2) has 4"},
		{"CopyFrom", a.CopyFrom(make([]int32, 5)), "the slice has 5 elements, the array of shape (2, 2) has 4"},
	} {
		t.Run(tt.name, func(t *testing.T) { checkError(t, tt.err, tt.want) })
	}
}

// A file may hold bytes that no Go bool has.
func TestBoolsOfOtherBytes(t *testing.T) {
	st := mmapstore.FromBytes([]byte{0, 1, 2, 255})
	tensor := newTensor(t, st, dtype.Bool, mustMake(t, []int{4}, []int{1}, 0))
	a, err := view.As[bool](tensor)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]bool, 4)
	if err := a.CopyTo(got); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true, true, true} {
		at, err := a.At(i)
		if err != nil {
			t.Fatal(err)
		}
		if at != want || got[i] != want || (at == true) != want {
			t.Errorf("element %d is %t and %t, expected %t", i, at, got[i], want)
		}
	}
}

func TestFromSliceErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shape []int
		want  string
	}{
		{"count", []int{2, 2}, "shape (2, 2) has 4 elements, the slice has 3"},
		{"negative", []int{-3}, "negative size"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := view.FromSlice([]float32{1, 2, 3}, tt.shape...)
			checkError(t, err, tt.want)
		})
	}
	empty, err := view.FromSlice([]float32(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	if empty.NumElems() != 0 || empty.Rank() != 1 {
		t.Errorf("tensor of an empty slice: %s", empty)
	}
}

func TestVisit(t *testing.T) {
	tensor, err := view.FromSlice([]int32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	defer tensor.Close()
	var got string
	err = view.Visit(tensor, view.Func[float32](describe[float32](&got)), view.Func[int32](describe[int32](&got)))
	if err != nil || got != "[]int32 of 3" {
		t.Errorf("got %q, %v", got, err)
	}
	err = view.Visit(tensor, view.Func[float32](describe[float32](&got)), view.Func[float64](describe[float64](&got)))
	checkError(t, err, "tensor has dtype int32, wanted float32 or float64")
	stop := errors.New("stop")
	err = view.Visit(tensor, view.Func[int32](func(view.Array[int32]) error { return stop }))
	if err != stop {
		t.Errorf("error %v, expected that of the function", err)
	}
}

func describe[T dtype.Element](text *string) func(view.Array[T]) error {
	return func(a view.Array[T]) error {
		*text = fmt.Sprintf("%T of %d", []T{}, a.NumElems())
		return nil
	}
}
