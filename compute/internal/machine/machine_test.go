package machine_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/dtype"
)

// expression builds a program over two float32 inputs.
type expression struct {
	name  string
	build func(b *machine.Builder, x, y machine.Value) machine.Value
	want  func(x, y float32) float32
	steps int // kernels for a block
}

func expressions() []expression {
	type (
		B = *machine.Builder
		V = machine.Value
	)
	constant := func(b B, v float32) V { return b.Const(dtype.ScalarOf(v)) }
	return []expression{
		{"input", func(b B, x, y V) V { return x }, func(x, y float32) float32 { return x }, 0},
		{"constant", func(b B, x, y V) V { return constant(b, 3) }, func(x, y float32) float32 { return 3 }, 0},
		{"sum", func(b B, x, y V) V { return b.Op(kernel.Add, x, y) }, func(x, y float32) float32 { return x + y }, 1},
		{"constant operand", func(b B, x, y V) V { return b.Op(kernel.Sub, constant(b, 2), x) }, func(x, y float32) float32 { return 2 - x }, 1},
		{"folded", func(b B, x, y V) V { return b.Op(kernel.Mul, x, b.Op(kernel.Add, constant(b, 2), constant(b, 3))) },
			func(x, y float32) float32 { return x * 5 }, 1},
		{"product and sum", func(b B, x, y V) V { return b.Op(kernel.Add, b.Op(kernel.Mul, x, y), constant(b, 1)) },
			func(x, y float32) float32 { return float32(x*y) + 1 }, 2},
		{"common", func(b B, x, y V) V {
			return b.Op(kernel.Div, b.Op(kernel.Add, x, y), b.Op(kernel.Add, x, y))
		}, func(x, y float32) float32 { return (x + y) / (x + y) }, 2},
		{"hypotenuse", func(b B, x, y V) V {
			return b.Op(kernel.Sqrt, b.Op(kernel.Add, b.Op(kernel.Mul, x, x), b.Op(kernel.Mul, y, y)))
		}, func(x, y float32) float32 { return float32(math.Sqrt(float64(float32(x*x) + float32(y*y)))) }, 4},
		{"choice", func(b B, x, y V) V { return b.Op(kernel.Where, b.Op(kernel.Greater, x, y), x, y) },
			func(x, y float32) float32 {
				if x > y {
					return x
				}
				return y
			}, 2},
		{"choice of a scalar condition", func(b B, x, y V) V {
			return b.Op(kernel.Where, b.Const(dtype.ScalarOf(true)), x, y)
		}, func(x, y float32) float32 { return x }, 1},
		{"by float64", func(b B, x, y V) V {
			return b.Convert(b.Op(kernel.Mul, b.Convert(x, dtype.Float64), b.Convert(y, dtype.Float64)), dtype.Float32)
		}, func(x, y float32) float32 { return float32(float64(x) * float64(y)) }, 4},
		{"constant exponent", func(b B, x, y V) V { return b.Op(kernel.Pow, b.Op(kernel.Abs, x), constant(b, 1.7)) },
			func(x, y float32) float32 { return powOf(max(x, -x), 1.7) }, 2},
		{"by float16", func(b B, x, y V) V {
			return b.Op(kernel.RoundFloat16, b.Op(kernel.Add, x, y))
		}, func(x, y float32) float32 { return dtype.ToF16(x + y).Float32() }, 2},
		{"many registers", func(b B, x, y V) V {
			v := b.Op(kernel.Sub, x, y)
			for k := range 20 {
				v = b.Op(kernel.Div, b.Op(kernel.Sub, b.Op(kernel.Neg, v), constant(b, float32(k))), b.Op(kernel.Add, v, x))
			}
			return v
		}, func(x, y float32) float32 {
			v := x - y
			for k := range 20 {
				v = (-v - float32(k)) / (v + x)
			}
			return v
		}, 81},
	}
}

// powOf returns what the power is in Go.
func powOf(x, y float32) float32 {
	var z float32
	kernel.Generic(kernel.Pow, dtype.Float32, 0)(unsafe.Pointer(&z), unsafe.Pointer(&x), unsafe.Pointer(&y), nil, nil, 1)
	return z
}

// block is how the elements of one operand lie in a test.
type block struct {
	name         string
	inner, outer int // elements
	rows, cols   int
	skew         int // bytes
}

var blocks = []block{
	{name: "contiguous", inner: 1, rows: 1, cols: 1000},
	{name: "one element", inner: 1, rows: 1, cols: 1},
	{name: "step", inner: 3, rows: 1, cols: 700},
	{name: "reversed", inner: -1, rows: 1, cols: 333},
	{name: "scalar", inner: 0, rows: 1, cols: 129},
	{name: "rows", inner: 1, outer: 50, rows: 20, cols: 47},
	{name: "columns", inner: 50, outer: 1, rows: 31, cols: 30},
	{name: "repeated rows", inner: 1, outer: 0, rows: 9, cols: 30},
	{name: "repeated elements", inner: 0, outer: 1, rows: 9, cols: 30},
	{name: "unaligned", inner: 1, rows: 1, cols: 200, skew: 1},
}

const elem = 4

// memory returns room for a block anywhere, and the offset of its first element.
func memory(b block) ([]byte, int) {
	span := (abs(b.inner)*b.cols + abs(b.outer)*b.rows + 1) * elem
	return make([]byte, 2*span+8), span + b.skew
}

func abs(n int) int { return max(n, -n) }

func at(b block, first, row, col int) int { return first + (row*b.outer+col*b.inner)*elem }

func put(mem []byte, off int, v float32) { dtype.ScalarOf(v).Store(mem[off : off+elem]) }

func get(mem []byte, off int) float32 {
	return dtype.Load(dtype.Float32, mem[off:off+elem]).Any().(float32)
}

func TestEval(t *testing.T) {
	for _, e := range append(expressions(), longExpressions()...) {
		for _, layout := range blocks {
			for _, target := range []block{{name: "contiguous", inner: 1, outer: layout.cols}, {name: "scattered", inner: 2, outer: 2*layout.cols + 3}, {name: "unaligned", inner: 1, outer: layout.cols, skew: 2}} {
				target.rows, target.cols = layout.rows, layout.cols
				t.Run(e.name+"/"+layout.name+"/"+target.name, func(t *testing.T) { eval(t, e, layout, target) })
			}
		}
	}
}

func eval(t *testing.T, e expression, layout, target block) {
	var b machine.Builder
	x, y := b.Input(dtype.Float32), b.Input(dtype.Float32)
	b.Output(e.build(&b, x, y))
	p := b.Program()
	if got := p.NumOperations(); got != e.steps {
		t.Errorf("%d kernels, want %d:\n%s", got, e.steps, p)
	}
	r := rand.New(rand.NewPCG(1, 2))
	mem, first := memory(layout)
	for row := range layout.rows {
		for col := range layout.cols {
			put(mem, at(layout, first, row, col), r.Float32()*100-50)
		}
	}
	plain := block{inner: 1, outer: layout.cols, rows: layout.rows, cols: layout.cols}
	other, second := memory(plain)
	for row := range layout.rows {
		for col := range layout.cols {
			put(other, at(plain, second, row, col), r.Float32()*100-50)
		}
	}
	for _, q := range []*machine.Program{p, p.Native(machine.Always)} {
		out, third := memory(target)
		w := q.NewWorker([]machine.Input{
			{Base: unsafe.Pointer(&mem[0]), Inner: layout.inner * elem, Outer: layout.outer * elem},
			{Base: unsafe.Pointer(&other[0]), Inner: elem, Outer: layout.cols * elem},
		}, []machine.Target{{Base: unsafe.Pointer(&out[0]), Inner: target.inner * elem, Outer: target.outer * elem}})
		for range 2 { // registers are used again
			w.Eval([]int{first, second, third}, layout.rows, layout.cols)
			w.Release()
		}
		for row := range layout.rows {
			for col := range layout.cols {
				a, b := get(mem, at(layout, first, row, col)), get(other, at(plain, second, row, col))
				want, got := e.want(a, b), get(out, at(target, third, row, col))
				if math.Float32bits(got) != math.Float32bits(want) {
					t.Fatalf("at %d, %d of %v and %v: %v, want %v\n%s", row, col, a, b, got, want, p)
				}
			}
		}
	}
}

func TestOut(t *testing.T) {
	var b machine.Builder
	x, y := b.Input(dtype.Int32), b.Input(dtype.Int32)
	b.Output(b.Op(kernel.Add, x, y))
	b.Output(x)
	b.Output(y)
	p := b.Program()
	xs, ys := []int32{1, 2, 3}, []int32{10}
	w := p.NewWorker([]machine.Input{{Base: unsafe.Pointer(&xs[0]), Inner: 4}, {Base: unsafe.Pointer(&ys[0])}}, nil)
	w.Eval([]int{0, 0}, 1, 3)
	for output, want := range [][]int32{{11, 12, 13}, {1, 2, 3}, {10}} {
		ptr, scalar := w.Out(output)
		if scalar != (len(want) == 1) {
			t.Errorf("output %d: scalar is %t", output, scalar)
		}
		if diff := cmp.Diff(want, unsafe.Slice((*int32)(ptr), len(want))); diff != "" {
			t.Errorf("output %d (-want +got):\n%s", output, diff)
		}
	}
}

func TestFill(t *testing.T) {
	var b machine.Builder
	x := b.Input(dtype.Int64)
	b.Output(b.Op(kernel.Neg, x))
	p := b.Program()
	fill := func(dst unsafe.Pointer, first, n int) {
		for i := range n {
			unsafe.Slice((*int64)(dst), n)[i] = int64(first + i)
		}
	}
	for _, test := range []struct {
		name         string
		inner, outer int
		want         []int64
	}{
		{"side by side", 8, 24, []int64{-5, -6, -7, -8, -9, -10}},
		{"columns", 16, 8, []int64{-5, -7, -9, -6, -8, -10}},
		{"one", 0, 0, []int64{-5, -5, -5, -5, -5, -5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := make([]int64, 6)
			w := p.NewWorker([]machine.Input{{Fill: fill, Inner: test.inner, Outer: test.outer}},
				[]machine.Target{{Base: unsafe.Pointer(&got[0]), Inner: 8, Outer: 24}})
			w.Eval([]int{40, 0}, 2, 3)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestFloat16 checks that additions of float16 memory are one kernel or two conversions and a sum,
// with the bits of rounding once.
func TestFloat16(t *testing.T) {
	var b machine.Builder
	x, y := b.Input(dtype.Float16), b.Input(dtype.Float16)
	sum := b.Op(kernel.Add, b.Convert(x, dtype.Float32), b.Convert(y, dtype.Float32))
	b.Output(b.Convert(b.Op(kernel.RoundFloat16, sum), dtype.Float16))
	p := b.Program()
	if strings.Contains(p.String(), "Round") {
		t.Errorf("the conversion rounds already:\n%s", p)
	}
	xs, ys, got := make([]dtype.F16, 500), make([]dtype.F16, 500), make([]dtype.F16, 500)
	for i := range xs {
		xs[i], ys[i] = dtype.ToF16(float32(i)*0.37), dtype.ToF16(1000/float32(i+1))
	}
	w := p.NewWorker([]machine.Input{{Base: unsafe.Pointer(&xs[0]), Inner: 2}, {Base: unsafe.Pointer(&ys[0]), Inner: 2}},
		[]machine.Target{{Base: unsafe.Pointer(&got[0]), Inner: 2}})
	w.Eval([]int{0, 0, 0}, 1, 500)
	for i := range got {
		if want := dtype.ToF16(xs[i].Float32() + ys[i].Float32()); got[i] != want {
			t.Fatalf("element %d: %v, want %v", i, got[i], want)
		}
	}
}
