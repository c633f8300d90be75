package view_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

func TestNewLayout(t *testing.T) {
	tests := []struct {
		name             string
		shape            []int
		cOrder, fortran  []int
		numElems, lo, hi int
	}{
		{"scalar", []int{}, []int{}, []int{}, 1, 0, 1},
		{"1-D", []int{5}, []int{1}, []int{1}, 5, 0, 5},
		{"3-D", []int{2, 3, 4}, []int{12, 4, 1}, []int{1, 2, 6}, 24, 0, 24},
		{"empty", []int{3, 0, 2}, []int{2, 2, 1}, []int{1, 3, 3}, 0, 0, 0},
		{"one", []int{1, 1}, []int{1, 1}, []int{1, 1}, 1, 0, 1},
		{"largest", []int{math.MaxInt}, []int{1}, []int{1}, math.MaxInt, 0, math.MaxInt},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, order := range []struct {
				make    func(...int) (view.Layout, error)
				strides []int
			}{{view.NewLayout, tt.cOrder}, {view.NewFortranLayout, tt.fortran}} {
				l, err := order.make(tt.shape...)
				if err != nil {
					t.Fatal(err)
				}
				lo, hi := l.Bounds()
				if got, want := []int{l.NumElems(), lo, hi}, []int{tt.numElems, tt.lo, tt.hi}; !slices.Equal(got, want) {
					t.Errorf("%s: elements and bounds are %v, expected %v", l, got, want)
				}
				if diff := cmp.Diff(order.strides, l.Strides()); diff != "" {
					t.Errorf("strides (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestMakeLayoutRefusesHostileNumbers(t *testing.T) {
	tests := []struct {
		name           string
		shape, strides []int
		offset         int
		want           string
	}{
		{"lengths", []int{1, 2}, []int{1}, 0, "2 axes but there are 1 strides"},
		{"rank", make([]int, 65), make([]int, 65), 0, "rank 65"},
		{"negative size", []int{3, -1}, []int{1, 1}, 0, "axis 1 has the negative size -1"},
		{"negative offset", []int{3}, []int{1}, -1, "offset -1 is negative"},
		{"most negative size", []int{math.MinInt}, []int{1}, 0, "negative size"},
		{"too many elements", []int{1 << 32, 1 << 32}, []int{0, 0}, 0, "more elements"},
		{"too many but for a zero", []int{1 << 32, 0, 1 << 32}, []int{0, 0, 0}, 0, "more elements"},
		{"too many by one", []int{math.MaxInt, 2}, []int{0, 0}, 0, "more elements"},
		{"reach of one axis", []int{1 << 32}, []int{1 << 32}, 0, "axis 0 with size 4294967296 and stride 4294967296"},
		{"reach together", []int{2, 2}, []int{math.MaxInt/2 + 1, math.MaxInt/2 + 1}, 0, "axis 1"},
		{"reach with offset", []int{2}, []int{1}, math.MaxInt - 1, "one past the largest position"},
		{"no exclusive bound", []int{2}, []int{math.MaxInt}, 0, "one past the largest position"},
		{"largest offset", []int{2}, []int{-1}, math.MaxInt, "one past the largest position"},
		{"before the start", []int{3}, []int{-5}, 9, "reach back to element -1"},
		{"most negative stride", []int{2}, []int{math.MinInt}, math.MaxInt - 1, "before the first"},
		{"most negative stride often", []int{3}, []int{math.MinInt}, 9, "axis 0"},
		{"reach of an empty layout", []int{0, 1 << 32}, []int{1, 1 << 32}, 0, "axis 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := view.MakeLayout(tt.shape, tt.strides, tt.offset)
			if err == nil {
				t.Fatalf("no error, but the layout %s", l)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not say %q", err, tt.want)
			}
		})
	}
}

func TestNewLayoutRefusesOverflow(t *testing.T) {
	for _, shape := range [][]int{{1 << 62, 4}, {4, 1 << 62}, {1 << 32, 1 << 32, 2}, {-1}, make([]int, 65)} {
		if l, err := view.NewLayout(shape...); err == nil {
			t.Errorf("NewLayout(%v) is %s, expected an error", shape, l)
		}
		if l, err := view.NewFortranLayout(shape...); err == nil {
			t.Errorf("NewFortranLayout(%v) is %s, expected an error", shape, l)
		}
	}
}

func TestMakeLayoutAccepts(t *testing.T) {
	tests := []struct {
		name           string
		shape, strides []int
		offset         int
	}{
		{"any stride of a one-sized axis", []int{1, 3}, []int{math.MinInt, 1}, 0},
		{"last position", []int{1}, []int{1}, math.MaxInt - 1},
		{"largest rank", slices.Repeat([]int{1}, 64), slices.Repeat([]int{7}, 64), 3},
		{"back to 0", []int{3}, []int{-4}, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := view.MakeLayout(tt.shape, tt.strides, tt.offset)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(l.Shape(), tt.shape) || !slices.Equal(l.Strides(), tt.strides) || l.Offset() != tt.offset {
				t.Errorf("%s is not what was asked for: %v", l, tt)
			}
		})
	}
}

func TestZeroLayoutIsAScalar(t *testing.T) {
	var l view.Layout
	pos, err := l.Pos()
	if l.Rank() != 0 || l.NumElems() != 1 || pos != 0 || err != nil {
		t.Errorf("zero layout: %s, position %d, error %v", l, pos, err)
	}
}

func TestPos(t *testing.T) {
	l := mustMake(t, []int{3, 4}, []int{-4, 1}, 8)
	tests := []struct {
		idx  []int
		want int
		err  string
	}{
		{[]int{0, 0}, 8, ""},
		{[]int{2, 3}, 3, ""},
		{[]int{-1, -4}, 0, ""},
		{[]int{3, 0}, 0, "index 3 is out of bounds for axis 0 with size 3"},
		{[]int{0, -5}, 0, "index -5 is out of bounds for axis 1 with size 4"},
		{[]int{0, math.MinInt}, 0, "out of bounds"},
		{[]int{1}, 0, "too few indices: tensor has 2 axes, 1 was given"},
		{[]int{1, 2, 3}, 0, "too many indices: tensor has 2 axes, 3 were given"},
	}
	for _, tt := range tests {
		got, err := l.Pos(tt.idx...)
		checkError(t, err, tt.err)
		if got != tt.want {
			t.Errorf("Pos(%v) = %d, expected %d", tt.idx, got, tt.want)
		}
	}
}

// The sweep compares everything a layout knows about its positions with a list of them.
func TestLayoutSweep(t *testing.T) {
	for _, c := range tensortest.Layouts() {
		t.Run(c.Name, func(t *testing.T) {
			l := mustMake(t, c.Shape, c.Strides, c.Offset)
			positions := c.Positions()
			if l.NumElems() != len(positions) {
				t.Errorf("%d elements, expected %d", l.NumElems(), len(positions))
			}
			if diff := cmp.Diff(positions, runPositions(l)); diff != "" {
				t.Errorf("positions of the runs (-want +got):\n%s", diff)
			}
			if len(positions) == 0 {
				return
			}
			lo, hi := l.Bounds()
			if lo != slices.Min(positions) || hi != slices.Max(positions)+1 {
				t.Errorf("bounds are [%d, %d), expected [%d, %d)", lo, hi, slices.Min(positions), slices.Max(positions)+1)
			}
			checkOrder(t, "IsContiguous", l.IsContiguous(), positions)
			checkOrder(t, "IsFortran", l.IsFortran(), runPositions(l.Transpose()))
			sorted := slices.Clone(positions)
			slices.Sort(sorted)
			checkOrder(t, "IsDense", l.IsDense(), sorted)
		})
	}
}

// checkOrder checks a property that means that positions count up by one.
func checkOrder(t *testing.T, name string, got bool, positions []int) {
	t.Helper()
	want := true
	for i, pos := range positions {
		want = want && pos == positions[0]+i
	}
	if got != want {
		t.Errorf("%s is %t, expected %t", name, got, want)
	}
}

func runPositions(l view.Layout) []int {
	positions := []int{}
	for run := range l.Runs() {
		for i := range run.N {
			positions = append(positions, run.Start+i*run.Step)
		}
	}
	return positions
}

func TestRunsAreCoalesced(t *testing.T) {
	tests := []struct {
		name           string
		shape, strides []int
		want           []view.Run
	}{
		{"C order", []int{3, 4, 5}, []int{20, 5, 1}, []view.Run{{0, 1, 60}}},
		{"gaps between planes", []int{2, 4, 5}, []int{30, 5, 1}, []view.Run{{0, 1, 20}, {30, 1, 20}}},
		{"one-sized axis between", []int{4, 1, 5}, []int{5, 777, 1}, []view.Run{{0, 1, 20}}},
		{"step throughout", []int{4, 5}, []int{10, 2}, []view.Run{{0, 2, 20}}},
		{"broadcast throughout", []int{4, 5}, []int{0, 0}, []view.Run{{0, 0, 20}}},
		{"broadcast rows", []int{2, 5}, []int{0, 1}, []view.Run{{0, 1, 5}, {0, 1, 5}}},
		{"scalar", nil, nil, []view.Run{{0, 1, 1}}},
		{"empty", []int{0}, []int{1}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.Collect(mustMake(t, tt.shape, tt.strides, 0).Runs())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunsStopEarly(t *testing.T) {
	l := mustMake(t, []int{1 << 40, 3}, []int{4, 1}, 0)
	seen := 0
	for range l.Runs() {
		if seen++; seen == 5 {
			break
		}
	}
	if seen != 5 {
		t.Errorf("the walk went on to %d runs", seen)
	}
}

func TestRunsDoNotAllocate(t *testing.T) {
	l := mustMake(t, []int{50, 20, 3}, []int{1, 200, 10}, 0)
	sum := 0
	allocs := testing.AllocsPerRun(100, func() {
		for run := range l.Runs() {
			sum += run.N
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations, expected none", allocs)
	}
}

func TestPermute(t *testing.T) {
	l := mustMake(t, []int{2, 3, 4}, []int{12, 4, 1}, 5)
	tests := []struct {
		name string
		axes []int
		want string
		err  string
	}{
		{"rotated", []int{2, 0, 1}, "shape (4, 2, 3) strides (1, 12, 4) offset 5", ""},
		{"from the end", []int{-1, -2, -3}, "shape (4, 3, 2) strides (1, 4, 12) offset 5", ""},
		{"too few", []int{0, 1}, "", "2 axes were named, the tensor has 3"},
		{"twice", []int{0, 1, -2}, "", "axis -2 is named twice"},
		{"out of bounds", []int{0, 1, 3}, "", "axis 3 is out of bounds for a tensor with 3 axes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := l.Permute(tt.axes...)
			checkError(t, err, tt.err)
			if err == nil && got.String() != tt.want {
				t.Errorf("got %s, expected %s", got, tt.want)
			}
		})
	}
	if got := l.Transpose().String(); got != "shape (4, 3, 2) strides (1, 4, 12) offset 5" {
		t.Errorf("transposed: %s", got)
	}
}

func TestReshapeErrors(t *testing.T) {
	l := mustMake(t, []int{4, 6}, []int{6, 1}, 0)
	tests := []struct {
		name  string
		l     view.Layout
		shape []int
		want  string
	}{
		{"wrong count", l, []int{5, 5}, "24 elements, shape (4, 6), do not fill shape (5, 5)"},
		{"does not divide", l, []int{5, -1}, "do not fill shape (5, -1)"},
		{"two unknown", l, []int{-1, -1}, "more than one unknown size"},
		{"negative", l, []int{-2, -12}, "axis 0 has the negative size -2"},
		{"overflow", l, []int{1 << 40, 1 << 40}, "do not fill"},
		{"unknown beside 0", l, []int{0, -1}, "do not fill"},
		{"rank", l, slices.Repeat([]int{1}, 65), "65 axes"},
		{"needs a copy", l.Transpose(), []int{24}, "needs a copy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.l.Reshape(tt.shape...)
			checkError(t, err, tt.want)
			if errors.Is(err, view.ErrNeedsCopy) != (tt.name == "needs a copy") {
				t.Errorf("ErrNeedsCopy is wrong for %v", err)
			}
		})
	}
}

func mustMake(t testing.TB, shape, strides []int, offset int) view.Layout {
	t.Helper()
	l, err := view.MakeLayout(shape, strides, offset)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// checkError checks that err says want, or that there is none if want is empty.
func checkError(t testing.TB, err error, want string) {
	t.Helper()
	switch {
	case err == nil && want != "":
		t.Errorf("no error, expected %q", want)
	case err != nil && want == "":
		t.Errorf("unexpected error: %v", err)
	case err != nil && !strings.Contains(err.Error(), want):
		t.Errorf("error %q does not say %q", err, want)
	}
}

func TestAccessorsAndEqual(t *testing.T) {
	l := mustMake(t, []int{3, 4}, []int{-4, 1}, 8)
	if got := []int{l.Dim(0), l.Dim(1), l.Stride(0), l.Stride(1)}; !slices.Equal(got, []int{3, 4, -4, 1}) {
		t.Errorf("sizes and strides are %v", got)
	}
	for _, tt := range []struct {
		name string
		m    view.Layout
		want bool
	}{
		{"same", mustMake(t, []int{3, 4}, []int{-4, 1}, 8), true},
		{"shape", mustMake(t, []int{3, 3}, []int{-4, 1}, 8), false},
		{"strides", mustMake(t, []int{3, 4}, []int{-4, 2}, 8), false},
		{"offset", mustMake(t, []int{3, 4}, []int{-4, 1}, 9), false},
		{"rank", mustMake(t, []int{3}, []int{-4}, 8), false},
	} {
		if got := l.Equal(tt.m); got != tt.want {
			t.Errorf("%s: Equal is %t, expected %t", tt.name, got, tt.want)
		}
	}
}
