package offload_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/dtype"
)

// A subject is a program of two inputs, and their strides.
type subject struct {
	build   func(b *machine.Builder, x, y machine.Value) machine.Value
	dt      dtype.Type
	strides []int // of the inputs, in elements, along both axes
}

func add(b *machine.Builder, x, y machine.Value) machine.Value { return b.Op(kernel.Add, x, y) }

// polynomial has 200 operations.
func polynomial(b *machine.Builder, x, y machine.Value) machine.Value {
	sum := y
	for range 100 {
		sum = b.Op(kernel.Add, b.Op(kernel.Mul, sum, x), y)
	}
	return sum
}

const rows, cols = 1 << 14, 1 << 14

func (s *subject) program() (*machine.Program, *plan.Nest) {
	var b machine.Builder
	x, y := b.Input(s.dt), b.Input(s.dt)
	b.Output(s.build(&b, x, y))
	size := s.dt.Size()
	operands := []plan.Operand{{Strides: []int{cols * size, size}, ElemSize: size}, {Strides: []int{cols * size, size}, ElemSize: size}, {Strides: []int{cols * size, size}, ElemSize: size}}
	if s.strides != nil {
		operands[1].Strides = []int{s.strides[0] * size, s.strides[1] * size}
	}
	nest := plan.New([]int{rows, cols}, operands, 2)
	return b.Program(), &nest
}

// server is what a GPU of a server could have, of which nothing is measured here.
var server = measure.Rates{Up: 50e9, Down: 50e9, Host: 200e9, Float32: 30e12, Float64: 15e12, Start: 2e-5}

// Who computes by invented rates and times of the CPU, in nanoseconds an element.
func TestChoice(t *testing.T) {
	with := func(change func(r *measure.Rates)) measure.Rates {
		r := server
		change(&r)
		return r
	}
	tests := []struct {
		name  string
		rates measure.Rates
		of    subject
		cpu   float64
		want  bool
	}{
		{"a + b at the speed of memory", server, subject{add, dtype.Float32, nil}, 12.0 / 200, false},
		{"the same over a bus without end", with(func(r *measure.Rates) { r.Up, r.Down, r.Float32 = 1e15, 1e15, 1e18 }), subject{add, dtype.Float32, nil}, 12.0 / 200, false},
		{"a polynomial", server, subject{polynomial, dtype.Float32, nil}, 10, true},
		{"a polynomial on many processors", server, subject{polynomial, dtype.Float32, nil}, 0.2, false},
		{"a polynomial over a slow bus", with(func(r *measure.Rates) { r.Up = 0.5e9 }), subject{polynomial, dtype.Float32, nil}, 10, false},
		{"a polynomial over a bus that is slow in one direction", with(func(r *measure.Rates) { r.Down = 0.25e9 }), subject{polynomial, dtype.Float32, nil}, 10, false},
		{"a polynomial with slow host copies", with(func(r *measure.Rates) { r.Host = 3e9 }), subject{polynomial, dtype.Float32, nil}, 10, false},
		{"float64", server, subject{polynomial, dtype.Float64, nil}, 20, true},
		{"float64 on a chip with few such units", with(func(r *measure.Rates) { r.Float64 = 1e10 }), subject{polynomial, dtype.Float64, nil}, 20, false},
		{"float32 on a chip with few float64 units", with(func(r *measure.Rates) { r.Float64 = 1e10 }), subject{polynomial, dtype.Float32, nil}, 10, true},
		{"a rate that is missing", with(func(r *measure.Rates) { r.Float32, r.Float64 = 1, 0 }), subject{polynomial, dtype.Float32, nil}, 10, false},
		{"a start that takes long", with(func(r *measure.Rates) { r.Start = 10 }), subject{polynomial, dtype.Float32, nil}, 10, false},

		// Host copies bind: 36 bytes an element take 0.36 ns.
		{"by less than 1.25", with(func(r *measure.Rates) { r.Host, r.Start = 100e9, 1e-9 }), subject{add, dtype.Float32, nil}, 0.36 * 1.24, false},
		{"by more than 1.25", with(func(r *measure.Rates) { r.Host, r.Start = 100e9, 1e-9 }), subject{add, dtype.Float32, nil}, 0.36 * 1.26, true},
		{"an operand that is one row", with(func(r *measure.Rates) { r.Host, r.Start = 100e9, 1e-9 }), subject{add, dtype.Float32, []int{0, 1}}, 0.24 * 1.26, true},
		{"an operand that is one column", with(func(r *measure.Rates) { r.Host, r.Start = 100e9, 1e-9 }), subject{add, dtype.Float32, []int{1, 0}}, 0.24 * 1.26, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := devicetest.New(nil)
			e := offload.New(d, 2, 1<<20)
			e.Auto = offload.NewAuto(func(context.Context) (measure.Rates, error) { return tt.rates, nil })
			p, nest := tt.of.program()
			c := e.Choose(p, nest, 0, 1)
			if c == nil {
				t.Fatal("no choice")
			}
			done := 0
			for !c.Made() {
				n := c.Next()
				c.Sampled(t.Context(), n, time.Duration(float64(n)*tt.cpu))
				done += n
			}
			if c.Device() != tt.want {
				t.Errorf("device: %t, want %t: %v", c.Device(), tt.want, c)
			}
			if limit := rows * cols / 4; done > limit {
				t.Errorf("chosen after %d elements, want at most %d", done, limit)
			}
		})
	}
}

// Whatever the rates of the bus and of arithmetic are, what the CPU does at the speed of its memory
// is the CPU's.
func TestChoiceNeverAtTheSpeedOfMemory(t *testing.T) {
	for up := 1e9; up < 1e13; up *= 10 {
		for host := 1e9; host < 1e12; host *= 3 {
			r := measure.Rates{Up: up, Down: up, Host: host, Float32: up * 1000, Float64: up, Start: 1e-9}
			w := offload.Work{In: 8e9, Out: 4e9, Float32: 1e10}
			if got, cpu := w.Terms(&r, 1).Total(), 12e9/host; offload.Advantage*got.Seconds() <= cpu {
				t.Errorf("%v: %v, and the CPU %v", r, got, cpu)
			}
		}
	}
}

// A pass that the CPU ends soon, a small one, and one without code are the CPU's, and nobody asks
// for rates.
func TestChoiceWithoutRates(t *testing.T) {
	d := devicetest.New(nil)
	e := offload.New(d, 2, 1<<20)
	e.Auto = offload.NewAuto(func(context.Context) (measure.Rates, error) {
		t.Error("asked for rates")
		return server, nil
	})
	p, nest := (&subject{add, dtype.Float32, nil}).program()
	c := e.Choose(p, nest, 0, 1)
	c.Sampled(t.Context(), 1000, 10*time.Nanosecond)
	if !c.Made() || c.Device() || !strings.Contains(c.String(), "the CPU, not gpu:0: the CPU takes 2.68ms for all") {
		t.Error(c)
	}
	small := plan.New([]int{1000}, []plan.Operand{{Strides: []int{4}, ElemSize: 4}, {Strides: []int{4}, ElemSize: 4}, {Strides: []int{4}, ElemSize: 4}}, 2)
	if c := e.Choose(p, &small, 0, 1); c != nil {
		t.Error(c)
	}
	copied, nest := (&subject{func(_ *machine.Builder, x, _ machine.Value) machine.Value { return x }, dtype.Float32, nil}).program()
	if c := e.Choose(copied, nest, 0, 1); c != nil {
		t.Error(c)
	}
}

func TestInstructions(t *testing.T) {
	got := offload.Instructions(`.version 7.0
.visible .entry program(.param .b64 in0)
{
	.reg .b64 %in;
	ld.param.b64 %in, [in0];
	mov.u32 %x, %tid.x;
	add.u64 %in, %in, 8;
	setp.ge.u64 %p, %in, 7;
	@%p bra done;
	@!%p fma.rn.f32 %a, %a, %a, %a;
	div.rn.f32 %a, %a, %a;
	cvt.f64.f32 %d, %a;
	sqrt.rn.f64 %d, %d;
	st.global.f64 [%in], %d;
done:
	ret;
}
`)
	if diff := cmp.Diff(offload.Work{Float32: 3 + 16, Float64: 1 + 16}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Terms of huge work are times all the same.
func TestTermsOfHugeWork(t *testing.T) {
	w := offload.Work{In: math.MaxFloat64, Out: 1, Float64: math.MaxFloat64}
	if got := w.Terms(&server, 1).Total(); got < 1000*time.Hour {
		t.Errorf("got %v", got)
	}
}

// Who multiplies by invented rates, if the CPU does 57 thousand million products of numbers a second.
func TestChooseProduct(t *testing.T) {
	with := func(change func(r *measure.Rates)) measure.Rates {
		r := server
		change(&r)
		return r
	}
	tests := []struct {
		name  string
		rates measure.Rates
		dt    dtype.Type
		side  int
		want  bool
	}{
		{"large", server, dtype.Float32, 2048, true},
		{"over a slow bus", with(func(r *measure.Rates) { r.Up = 100e6 }), dtype.Float32, 2048, false},
		{"with slow host copies", with(func(r *measure.Rates) { r.Host = 500e6 }), dtype.Float32, 2048, false},
		{"by slow arithmetic", with(func(r *measure.Rates) { r.Float32 = 80e9 }), dtype.Float32, 2048, false},
		{"of float64 with few such units", with(func(r *measure.Rates) { r.Float64 = 80e9 }), dtype.Float64, 2048, false},
		{"of float32 with few float64 units", with(func(r *measure.Rates) { r.Float64 = 80e9 }), dtype.Float32, 2048, true},
		{"of int64", with(func(r *measure.Rates) { r.Float32 = 700e9 }), dtype.Int64, 2048, false},
		{"soon done", server, dtype.Float32, 1000, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := offload.New(devicetest.New(nil), 2, 64<<20)
			e.Auto = offload.NewAuto(func(context.Context) (measure.Rates, error) { return tt.rates, nil })
			var now time.Time
			e.Auto.Now = func() time.Time {
				now = now.Add(time.Millisecond)
				return now
			}
			size := tt.dt.Size()
			o := gemm.Operand{Type: tt.dt, Row: tt.side * size, Col: size}
			c := e.ChooseProduct(t.Context(), gemm.Spec{M: tt.side, N: tt.side, K: tt.side, A: o, B: o, C: o, Workers: 2})
			if c == nil || !c.Made() || c.Device() != tt.want {
				t.Errorf("want %t: %v", tt.want, c)
			}
			if c := e.ChooseProduct(t.Context(), gemm.Spec{M: 500, N: 500, K: 500, A: o, B: o, C: o, Workers: 2}); c != nil {
				t.Errorf("a small one: %v", c)
			}
		})
	}
}
