package check

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/view"
)

func TestRangesWithin(t *testing.T) {
	grid, err := view.NewLayout(100, 50)
	if err != nil {
		t.Fatal(err)
	}
	part := func(text string) view.Layout {
		t.Helper()
		ix, err := view.ParseIndex(text)
		if err != nil {
			t.Fatal(err)
		}
		l, err := grid.Index(ix)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for name, tc := range map[string]struct {
		layout view.Layout
		lo, hi int
		want   string // "none" for no element
	}{
		"all":                  {grid, 0, 5000, ""},
		"beyond":               {grid, 4000, 9000, "[80:100]"},
		"rows":                 {grid, 150, 250, "[3:5]"},
		"parts of two rows":    {grid, 140, 160, "[2:4]"},
		"end of a row":         {grid, 140, 150, "[2, 40:50]"},
		"one":                  {grid, 777, 778, "[15, 27]"},
		"before":               {grid, -5, 0, "none"},
		"behind":               {grid, 5000, 5001, "none"},
		"column":               {part(":, 7"), 0, 60, "[0:2]"},
		"column, between":      {part(":, 7"), 8, 57, "none"},
		"window":               {part("10:20, 5:9"), 500, 560, "[0:2]"},
		"gap of a window":      {part("10:20, 5:9"), 509, 555, "none"},
		"steps":                {part("::10, ::7"), 0, 30, "[0, 0:5]"},
		"turned":               {part("::-1"), 0, 50, "[99]"},
		"turned both":          {part("::-1, ::-1"), 49, 51, "[98:100]"},
		"turned part of a row": {part("::-1, ::-1"), 0, 10, "[99, 40:50]"},
		"transposed":           {grid.Transpose(), 150, 160, "[0:10, 3]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := "none"
			if ranges, any := rangesWithin(tc.layout, tc.lo, tc.hi); any {
				got = rangesText(tc.layout, ranges)
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestRangesWithinRandomLayouts compares with the indexes of all elements.
func TestRangesWithinRandomLayouts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		l, nested := randomLayout(t, random)
		first, end := l.Bounds()
		lo := first - 3 + random.IntN(end-first+6)
		hi := lo + 1 + random.IntN(end-first+6)
		want, wantAny := slowRanges(l, lo, hi)
		got, any := rangesWithin(l, lo, hi)
		if any != wantAny {
			t.Fatalf("%v at %d to %d: any %t, want %t", l, lo, hi, any, wantAny)
		}
		if !any {
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(indexRange{})); nested && diff != "" {
			t.Fatalf("%v at %d to %d (-want +got):\n%s", l, lo, hi, diff)
		}
		for i, r := range got {
			if r.first > want[i].first || r.end < want[i].end {
				t.Fatalf("%v at %d to %d: axis %d has %v, which lacks some of %v", l, lo, hi, i, r, want[i])
			}
		}
	}
}

// randomLayout has axes of any strides, or such that they don't overlap.
func randomLayout(t *testing.T, random *rand.Rand) (l view.Layout, nested bool) {
	t.Helper()
	rank := random.IntN(5)
	shape, strides := make([]int, rank), make([]int, rank)
	nested = random.IntN(2) == 0
	reach, offset := 1, 0
	for _, i := range random.Perm(rank) {
		shape[i] = 1 + random.IntN(4)
		strides[i] = reach + random.IntN(3)
		if !nested {
			strides[i] = random.IntN(6)
		}
		reach = strides[i] * shape[i]
		if random.IntN(3) == 0 {
			offset += (shape[i] - 1) * strides[i]
			strides[i] = -strides[i]
		}
	}
	l, err := view.MakeLayout(shape, strides, offset)
	if err != nil {
		t.Fatal(err)
	}
	return l, nested
}

func slowRanges(l view.Layout, lo, hi int) (ranges []indexRange, any bool) {
	ranges = make([]indexRange, l.Rank())
	for i := range ranges {
		ranges[i] = indexRange{l.Dim(i), 0}
	}
	index := make([]int, l.Rank())
	for range l.NumElems() {
		at := l.Offset()
		for i, n := range index {
			at += n * l.Stride(i)
		}
		if lo <= at && at < hi {
			any = true
			for i, n := range index {
				ranges[i] = indexRange{min(ranges[i].first, n), max(ranges[i].end, n+1)}
			}
		}
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < l.Dim(i) {
				break
			}
			index[i] = 0
		}
	}
	return ranges, any
}
