package exec_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/dtype"
)

// BenchmarkLoop computes float32 expressions of two operands of 256 MiB beside the built-in copy of
// one.
func BenchmarkLoop(b *testing.B) {
	const n = 64 << 20
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i], z[i] = float32(i), float32(n-i), 1
	}
	b.Run("copy", func(b *testing.B) {
		b.SetBytes(2 * 4 * n)
		for b.Loop() {
			copy(z, x)
		}
	})
	for _, test := range []struct {
		name  string
		build func(b *machine.Builder, x, y machine.Value) machine.Value
	}{
		{"add", func(b *machine.Builder, x, y machine.Value) machine.Value { return b.Op(kernel.Add, x, y) }},
		{"hypotenuse", func(b *machine.Builder, x, y machine.Value) machine.Value {
			return b.Op(kernel.Sqrt, b.Op(kernel.Add, b.Op(kernel.Mul, x, x), b.Op(kernel.Mul, y, y)))
		}},
		{"polynomial", func(b *machine.Builder, x, y machine.Value) machine.Value {
			c := func(v float32) machine.Value { return b.Const(dtype.ScalarOf(v)) }
			square := b.Op(kernel.Mul, b.Op(kernel.Mul, c(2), x), x)
			mixed := b.Op(kernel.Mul, b.Op(kernel.Mul, c(3), x), y)
			return b.Op(kernel.Add, b.Op(kernel.Sub, b.Op(kernel.Add, square, mixed), y), c(1.5))
		}},
		{"choice", func(b *machine.Builder, x, y machine.Value) machine.Value {
			return b.Op(kernel.Where, b.Op(kernel.Greater, x, y), x, y)
		}},
	} {
		var builder machine.Builder
		builder.Output(test.build(&builder, builder.Input(dtype.Float32), builder.Input(dtype.Float32)))
		p := builder.Program()
		for _, workers := range []int{1, 2} {
			b.Run(test.name+"/workers="+string(rune('0'+workers)), func(b *testing.B) {
				b.SetBytes(3 * 4 * n)
				operand := plan.Operand{Strides: []int{4}, ElemSize: 4}
				for b.Loop() {
					nest := plan.New([]int{n}, []plan.Operand{operand, operand, operand}, 2)
					l := exec.NewLoop(p, &nest, []exec.Operand{{Base: unsafe.Pointer(&x[0])}, {Base: unsafe.Pointer(&y[0])}, {Base: unsafe.Pointer(&z[0]), Stream: true}}, 2, 1<<19)
					if err := exec.Run(context.Background(), l, exec.Options{Parallelism: workers}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
