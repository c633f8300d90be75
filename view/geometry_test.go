package view_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func TestBroadcastShapes(t *testing.T) {
	tests := []struct {
		name   string
		shapes [][]int
		want   []int // nil for an error
	}{
		{"none", nil, []int{}},
		{"one", [][]int{{2, 3}}, []int{2, 3}},
		{"scalar", [][]int{{}, {4}}, []int{4}},
		{"outer", [][]int{{3, 1}, {1, 4}}, []int{3, 4}},
		{"missing axes", [][]int{{5, 1, 4}, {3, 1}, {1}}, []int{5, 3, 4}},
		{"empty", [][]int{{0}, {1}}, []int{0}},
		{"empty against more", [][]int{{0}, {2}}, nil},
		{"disagree", [][]int{{2, 3}, {3, 2}}, nil},
		{"third disagrees", [][]int{{1}, {3}, {2}}, nil},
		{"negative", [][]int{{-1}}, nil},
		{"too many axes", [][]int{make([]int, 65)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := view.BroadcastShapes(tt.shapes...)
			if (err == nil) != (tt.want != nil) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBroadcastStretchesAll(t *testing.T) {
	column := mustMake(t, []int{3, 1}, []int{2, 1}, 1)
	row := mustMake(t, []int{4}, []int{-1}, 3)
	got, err := view.Broadcast(column, row)
	if err != nil {
		t.Fatal(err)
	}
	want := []view.Layout{mustMake(t, []int{3, 4}, []int{2, 0}, 1), mustMake(t, []int{3, 4}, []int{0, -1}, 3)}
	if !slices.EqualFunc(got, want, view.Layout.Equal) {
		t.Errorf("%v, expected %v", got, want)
	}
	if _, err := view.Broadcast(row, mustMake(t, []int{3}, []int{1}, 0)); !as[*view.ShapeError](err) {
		t.Errorf("%v, expected a ShapeError", err)
	}
}

func TestSplits(t *testing.T) {
	l := mustMake(t, []int{7, 2}, []int{2, 1}, 4)
	split := func(parts, axis int) func() ([]view.Layout, error) {
		return func() ([]view.Layout, error) { return l.Split(parts, axis) }
	}
	arraySplit := func(parts, axis int) func() ([]view.Layout, error) {
		return func() ([]view.Layout, error) { return l.ArraySplit(parts, axis) }
	}
	splitAt := func(axis int, indexes ...int) func() ([]view.Layout, error) {
		return func() ([]view.Layout, error) { return l.SplitAt(axis, indexes...) }
	}
	rows := func(bounds ...int) []string {
		out := []string{}
		for i := 0; i < len(bounds); i += 2 {
			part, err := l.Index(view.Index{view.Span(bounds[i], bounds[i+1])})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, formatLayout(part))
		}
		return out
	}
	tests := []struct {
		name string
		make func() ([]view.Layout, error)
		want []string // nil for an error
	}{
		{"equal", split(7, 0), rows(0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7)},
		{"whole", split(1, -2), rows(0, 7)},
		{"not equal", split(3, 0), nil},
		{"no parts", split(0, 0), nil},
		{"no such axis", split(1, 2), nil},
		{"too many parts", arraySplit(math.MaxInt, 0), nil},
		{"nearly equal", arraySplit(3, 0), rows(0, 3, 3, 5, 5, 7)},
		{"more parts than elements", arraySplit(9, 0), rows(0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7, 7, 7)},
		{"at indexes", splitAt(0, 2, 5), rows(0, 2, 2, 5, 5, 7)},
		{"at negative and unordered indexes", splitAt(0, -2, 3, 100), rows(0, 5, 5, 3, 3, 100, 100, 7)},
		{"at nothing", splitAt(0), rows(0, 7)},
		{"at indexes of no axis", splitAt(3, 1), nil},
		{"at the smallest index", splitAt(0, math.MinInt), rows(0, 0, 0, 7)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parts, err := tt.make()
			if (err == nil) != (tt.want != nil) {
				t.Fatal(err)
			}
			var got []string
			for _, part := range parts {
				got = append(got, formatLayout(part))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Numbers from anywhere are errors or layouts that keep their guarantees.
func FuzzGeometry(f *testing.F) {
	f.Add([]byte{2, 3, 4, 4, 1, 0, 1, 5, 200, 2})
	f.Add([]byte{3, 2, 0, 3, 3, 3, 1, 0, 12, 0, 1, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := numbers{data}
		rank := in.next() & 7
		l, err := view.MakeLayout(in.slice(rank), in.slice(rank), in.next())
		if err != nil {
			return
		}
		check := func(part view.Layout, err error) {
			if err == nil {
				checkWithin(t, part, l)
			}
		}
		check(l.Narrow(in.next(), in.next(), in.next()))
		check(l.Select(in.next(), in.next()))
		check(l.SwapAxes(in.next(), in.next()))
		check(l.MoveAxis(in.slice(in.next()&3), in.slice(in.next()&3)))
		check(l.Squeeze(in.slice(in.next() & 3)...))
		check(l.Unsqueeze(in.slice(in.next() & 3)...))
		check(l.BroadcastTo(in.slice(in.next() & 7)...))
		check(l.Expand(in.slice(in.next() & 7)...))
		check(l.Diagonal(in.next(), in.next(), in.next()))
		check(l.Flip(in.slice(in.next() & 3)...))
		check(l.Rot90(in.next(), in.next(), in.next()))
		check(l.Unfold(in.next(), in.next(), in.next()))
		for _, split := range []func(int, int) ([]view.Layout, error){l.Split, l.ArraySplit} {
			parts, _ := split(in.next()&63, in.next())
			for _, part := range parts {
				check(part, nil)
			}
		}
		parts, _ := l.SplitAt(in.next(), in.slice(3)...)
		for _, part := range parts {
			check(part, nil)
		}
		for _, to := range []dtype.Type{dtype.Int8, dtype.Int64, dtype.Complex128} {
			if part, err := l.Reinterpret(dtype.Int32, to); err == nil {
				checkBytesWithin(t, part, to.Size(), l, 4)
			}
		}
		if part, dt, err := l.Imag(dtype.Complex64); err == nil {
			checkBytesWithin(t, part, dt.Size(), l, 8)
		}
		l.SelfOverlap()
		view.MayOverlap(l, 4, l.Transpose(), 8)
	})
}

// checkBytesWithin is checkWithin for elements of other sizes.
func checkBytesWithin(t *testing.T, part view.Layout, size int, whole view.Layout, wholeSize int) {
	t.Helper()
	if _, err := view.MakeLayout(part.Shape(), part.Strides(), part.Offset()); err != nil {
		t.Fatalf("%s of %s: %v", part, whole, err)
	}
	lo, hi := part.Bounds()
	wLo, wHi := whole.Bounds()
	if part.NumElems() > 0 && hi < 1<<58 && wHi < 1<<58 && (lo*size < wLo*wholeSize || hi*size > wHi*wholeSize) {
		t.Fatalf("%s of %d bytes reaches outside of %s of %d", part, size, whole, wholeSize)
	}
}

// Each method of Tensor is the one of Layout of that name, on borrowed bytes.
func TestTensorGeometryBorrows(t *testing.T) {
	x, err := view.FromSlice(make([]complex64, 24), 1, 4, 6)
	if err != nil {
		t.Fatal(err)
	}
	l := x.Layout()
	tests := []struct {
		name   string
		tensor func() (*view.Tensor, error)
		layout func() (view.Layout, error)
	}{
		{"Narrow", func() (*view.Tensor, error) { return x.Narrow(1, 1, 2) }, func() (view.Layout, error) { return l.Narrow(1, 1, 2) }},
		{"Select", func() (*view.Tensor, error) { return x.Select(2, -1) }, func() (view.Layout, error) { return l.Select(2, -1) }},
		{"SwapAxes", func() (*view.Tensor, error) { return x.SwapAxes(0, 2) }, func() (view.Layout, error) { return l.SwapAxes(0, 2) }},
		{"MatrixTranspose", x.MatrixTranspose, l.MatrixTranspose},
		{"MoveAxis", func() (*view.Tensor, error) { return x.MoveAxis([]int{2}, []int{0}) }, func() (view.Layout, error) { return l.MoveAxis([]int{2}, []int{0}) }},
		{"Squeeze", func() (*view.Tensor, error) { return x.Squeeze() }, func() (view.Layout, error) { return l.Squeeze() }},
		{"Unsqueeze", func() (*view.Tensor, error) { return x.Unsqueeze(1) }, func() (view.Layout, error) { return l.Unsqueeze(1) }},
		{"BroadcastTo", func() (*view.Tensor, error) { return x.BroadcastTo(3, 4, 6) }, func() (view.Layout, error) { return l.BroadcastTo(3, 4, 6) }},
		{"Expand", func() (*view.Tensor, error) { return x.Expand(3, -1, 6) }, func() (view.Layout, error) { return l.Expand(3, -1, 6) }},
		{"Diagonal", func() (*view.Tensor, error) { return x.Diagonal(1, 1, 2) }, func() (view.Layout, error) { return l.Diagonal(1, 1, 2) }},
		{"Flip", func() (*view.Tensor, error) { return x.Flip(1) }, func() (view.Layout, error) { return l.Flip(1) }},
		{"Rot90", func() (*view.Tensor, error) { return x.Rot90(3, 1, 2) }, func() (view.Layout, error) { return l.Rot90(3, 1, 2) }},
		{"Unfold", func() (*view.Tensor, error) { return x.Unfold(2, 3, 2) }, func() (view.Layout, error) { return l.Unfold(2, 3, 2) }},
		{"Reinterpret", func() (*view.Tensor, error) { return x.Reinterpret(dtype.Int16) }, func() (view.Layout, error) { return l.Reinterpret(x.DType(), dtype.Int16) }},
		{"Split", func() (*view.Tensor, error) { return second(x.Split(2, 1)) }, func() (view.Layout, error) { return second(l.Split(2, 1)) }},
		{"ArraySplit", func() (*view.Tensor, error) { return second(x.ArraySplit(3, 1)) }, func() (view.Layout, error) { return second(l.ArraySplit(3, 1)) }},
		{"SplitAt", func() (*view.Tensor, error) { return second(x.SplitAt(1, 3)) }, func() (view.Layout, error) { return second(l.SplitAt(1, 3)) }},
		{"Real", x.Real, func() (view.Layout, error) { l, _, err := l.Real(x.DType()); return l, err }},
		{"Imag", x.Imag, func() (view.Layout, error) { l, _, err := l.Imag(x.DType()); return l, err }},
	}
	derived := []*view.Tensor{}
	for _, tt := range tests {
		got, err := tt.tensor()
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		want, err := tt.layout()
		if err != nil || !got.Layout().Equal(want) {
			t.Errorf("%s: %s, expected %s, %v", tt.name, got.Layout(), want, err)
		}
		derived = append(derived, got)
	}
	x.Close()
	for i, tensor := range derived {
		if _, err := tensor.Reader().Read(make([]byte, 8)); !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("%s after the origin was closed: %v", tests[i].name, err)
		}
	}
}

func second[T any](parts []T, err error) (T, error) { return parts[1], err }

func TestBroadcastBeyondCountableBytes(t *testing.T) {
	x, err := view.FromSlice([]float64{1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	_, err = x.BroadcastTo(math.MaxInt/8 + 1)
	checkError(t, err, "more bytes than can be counted")
	_, err = x.BroadcastTo(math.MaxInt, 2)
	checkError(t, err, "more elements than fit in an int")
}

// A scalar has no axis to squeeze; NumPy lets 0 and -1 pass.
func TestSqueezeOfAScalarNeedsNoAxis(t *testing.T) {
	if _, err := mustMake(t, nil, nil, 0).Squeeze(0); !as[*view.AxisError](err) {
		t.Errorf("%v, expected an AxisError", err)
	}
}

func TestWritingThroughRepeatsIsRefused(t *testing.T) {
	x, err := view.FromSlice([]int32{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, text := range []string{".broadcast_to(2, 4)", ".unfold(0, 2, 1)"} {
		c, err := view.ParseMethods(text)
		if err != nil {
			t.Fatal(err)
		}
		repeated, err := x.Apply(c)
		if err != nil {
			t.Fatal(err)
		}
		checkRepeats(t, repeated.Set(dtype.ScalarOf(int32(5)), 0, 0))
		checkRepeats(t, view.Fill(t.Context(), repeated, dtype.ScalarOf(int32(5))))
		checkRepeats(t, view.Copy(t.Context(), repeated, x.Transpose()))
		_, err = repeated.Writer().Write(make([]byte, 4))
		checkRepeats(t, err)
	}
}

// NumPy returns these read-only; here only repeated elements are.
func TestWritingThroughViewsWithoutRepeats(t *testing.T) {
	x, err := view.FromSlice(make([]int32, 4), 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, text := range []string{".unfold(1, 1, 1)", ".unfold(0, 2, 2)", ".broadcast_to(1, 2, 2)", ".diagonal()"} {
		c, err := view.ParseMethods(text)
		if err != nil {
			t.Fatal(err)
		}
		part, err := x.Apply(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := view.Fill(t.Context(), part, dtype.ScalarOf(int32(5))); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
