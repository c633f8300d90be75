package compute_test

import (
	"bytes"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/internal/window"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// movedLanes is what windows that move along an axis of packed float32 elements give, lane by lane.
func movedLanes(op window.Op, x []float32, shape []int, axis, width int) []byte {
	inner := 1
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	length := shape[axis]
	m := window.NewMover[float32](op, width, new(atomic.Bool))
	lane, moved := make([]float32, length), make([]float32, length)
	made := make([]byte, 4*len(x))
	for first := range x {
		if first/inner%length > 0 {
			continue
		}
		for i := range lane {
			lane[i], moved[i] = x[first+i*inner], float32(math.NaN())
		}
		m.Move(moved[width-1:], lane, 1, false)
		for i, v := range moved {
			dtype.ScalarOf(v).Store(made[4*(first+i*inner):])
		}
	}
	return made
}

// TestMovingLayouts checks that windows give the same bits however elements lie.
func TestMovingLayouts(t *testing.T) {
	shapes := [][]int{{1}, {6000}, {700, 3}, {40, 300}, {3, 30, 700}, {2, 2500, 2}, {70, 1, 130}, {90, 513}}
	ops := map[string]window.Op{"sum": window.Sum, "mean": window.Mean, "max": window.Max, "median": window.Median}
	for _, shape := range shapes {
		n := 1
		for _, size := range shape {
			n *= size
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(i*7919%1009)*0.37 - 100
		}
		x[n/2], x[n/3] = float32(math.NaN()), float32(math.Inf(1))
		a, b := array(t, x, shape...), array(t, make([]float32, n+1), n+1)
		spread := array(t, make([]float32, 2*n), append(append([]int{}, shape...), 2)...)
		part, err := spread.Slice("..., 1")
		if err != nil {
			t.Fatal(err)
		}
		if err := view.Copy(t.Context(), part, a); err != nil {
			t.Fatal(err)
		}
		env := names{"a": a, "p": part, "b": b}.env("b")
		for axis := range shape {
			for _, width := range []int{1, 2, 20, 33, shape[axis]} {
				if width > shape[axis] {
					continue
				}
				for name, op := range ops {
					want := movedLanes(op, x, shape, axis, width)
					for _, text := range []string{"c = move_%s(a, %d, axis=%d)", "c = move_%s(p, %d, axis=%d)", "b[1:] = move_%s(a, %d, axis=%d).ravel()"} {
						text := fmt.Sprintf(text, name, width, axis)
						p := newPlan(t, text, env, &compute.Options{Parallelism: 3})
						runPlan(t, p)
						if got := packed(t, p.Result(0)); !sameFloats(got, want) {
							t.Fatalf("%v: %s gives other bits than lane by lane", shape, text)
						}
					}
				}
			}
		}
	}
}

// packed returns the bytes of all elements in C order.
func packed(t *testing.T, x *view.Tensor) []byte {
	t.Helper()
	var all []byte
	if err := x.Blocks(0, func(b []byte) error { all = append(all, b...); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// sameFloats reports whether float32 elements are the same bits, NaN for NaN.
func sameFloats(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	for i := 0; i < len(a); i += 4 {
		x, y := dtype.Load(dtype.Float32, a[i:]).Float64(), dtype.Load(dtype.Float32, b[i:]).Float64()
		if math.Float64bits(x) != math.Float64bits(y) && !(math.IsNaN(x) && math.IsNaN(y)) {
			return false
		}
	}
	return len(a) == len(b)
}
