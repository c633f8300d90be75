package view_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/view"
)

// bytesOf returns the bytes that elements of a size lie in, and whether two indexes share one.
func bytesOf(l view.Layout, size int) (set map[int]bool, repeats bool) {
	set = map[int]bool{}
	for _, pos := range runPositions(l) {
		repeats = repeats || set[pos*size]
		for i := range size {
			set[pos*size+i] = true
		}
	}
	return set, repeats
}

// smallLayout returns a small layout of any strides.
func smallLayout(rng *rand.Rand) view.Layout {
	for {
		shape, strides := make([]int, rng.IntN(5)), make([]int, 5)
		for i := range shape {
			shape[i], strides[i] = 1+rng.IntN(5), rng.IntN(25)-8
		}
		if rng.IntN(20) == 0 && len(shape) > 0 {
			shape[0] = 0
		}
		if l, err := view.MakeLayout(shape, strides[:len(shape)], rng.IntN(60)); err == nil {
			return l
		}
	}
}

func TestMayOverlapAgainstAllBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	counts := map[view.Overlap]int{}
	for range 20_000 {
		a, b := smallLayout(rng), smallLayout(rng)
		aSize, bSize := 1<<rng.IntN(4), 1<<rng.IntN(4)
		want := view.OverlapNo
		aBytes, _ := bytesOf(a, aSize)
		bBytes, _ := bytesOf(b, bSize)
		for pos := range aBytes {
			if bBytes[pos] {
				want = view.OverlapYes
				break
			}
		}
		counts[want]++
		if got := view.MayOverlap(a, aSize, b, bSize); got != want {
			t.Fatalf("%s of %d bytes and %s of %d bytes: %s, expected %s", a, aSize, b, bSize, got, want)
		}
	}
	if counts[view.OverlapYes] < 1000 || counts[view.OverlapNo] < 1000 {
		t.Errorf("one-sided cases: %v", counts)
	}
}

func TestSelfOverlapAgainstAllElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	counts := map[bool]int{}
	for range 20_000 {
		l := smallLayout(rng)
		_, repeats := bytesOf(l, 1)
		want := view.OverlapNo
		if repeats {
			want = view.OverlapYes
		}
		counts[repeats]++
		if got := l.SelfOverlap(); got != want {
			t.Fatalf("%s: %s, expected %s", l, got, want)
		}
	}
	if counts[true] < 1000 || counts[false] < 1000 {
		t.Errorf("one-sided cases: %v", counts)
	}
}

func TestMayOverlapOfHardAndHugeLayouts(t *testing.T) {
	huge := mustMake(t, []int{1 << 30, 1 << 30}, []int{1 << 32, 3}, 0)
	farther := mustMake(t, []int{2}, []int{5}, math.MaxInt-6)
	a, b := nearFits(1), nearFits(2)
	tests := []struct {
		name string
		a, b view.Layout
		size int
		want view.Overlap
	}{
		{"rows and a point between them", huge, mustMake(t, nil, nil, 4), 1, view.OverlapNo},
		{"rows and a point on them", huge, mustMake(t, nil, nil, 7<<32+30), 1, view.OverlapYes},
		{"bytes beyond what can be counted", farther, farther, 16, view.OverlapTooHard},
		{"positions up to the largest", farther, farther, 1, view.OverlapYes},
		{"many strides that nearly fit", a, b, 1, view.OverlapTooHard},
		{"no size", huge, huge, 0, view.OverlapNo},
	}
	for _, tt := range tests {
		if got := view.MayOverlap(tt.a, tt.size, tt.b, tt.size); got != tt.want {
			t.Errorf("%s: %s, expected %s", tt.name, got, tt.want)
		}
	}
}

// nearFits returns a layout with strides of nearly one size and no common divisor, so that sums of
// them must be tried one by one.
func nearFits(seed uint64) view.Layout {
	rng := rand.New(rand.NewPCG(seed, 1))
	shape, strides := make([]int, 20), make([]int, 20)
	for i := range shape {
		shape[i], strides[i] = 2, 1_000_000+rng.IntN(900_000)
	}
	l, err := view.MakeLayout(shape, strides, int(seed)*7_000_000)
	if err != nil {
		panic(err)
	}
	return l
}
