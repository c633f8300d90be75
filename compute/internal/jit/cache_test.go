package jit_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// productAndSum is a·b + s of float32s.
func productAndSum() *jit.Program {
	return &jit.Program{
		Inputs:  []dtype.Type{dtype.Float32, dtype.Float32},
		Scalars: []dtype.Type{dtype.Float32},
		Ops: []jit.Op{
			{Op: kernel.Mul, Operand: dtype.Float32, Result: dtype.Float32, Args: [3]int{0, 1}},
			{Op: kernel.Add, Operand: dtype.Float32, Result: dtype.Float32, Args: [3]int{3, 2}},
		},
		Outputs: []int{4},
	}
}

func TestCache(t *testing.T) {
	needCode(t)
	var c jit.Cache
	if _, err := c.Get(productAndSum(), false); !errors.Is(err, jit.ErrFirstUse) {
		t.Errorf("first use: %v, want %v", err, jit.ErrFirstUse)
	}
	first, err := c.Get(productAndSum(), false)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.Get(productAndSum(), true); again != first {
		t.Errorf("got other code, or %v", err)
	}
	streaming := productAndSum()
	streaming.Stream = true
	if other, err := c.Get(streaming, true); err != nil || other == first {
		t.Errorf("the code that streams is the other, or %v", err)
	}
	// A thousand other programs later it has been forgotten.
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 250 {
				if _, err := c.Get(&jit.Program{Inputs: make([]dtype.Type, g), Outputs: []int{i}}, false); !errors.Is(err, jit.ErrFirstUse) {
					t.Errorf("first use: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if _, err := c.Get(productAndSum(), false); !errors.Is(err, jit.ErrFirstUse) {
		t.Errorf("after many others: %v, want %v", err, jit.ErrFirstUse)
	}
}

// TestNoPages compiles where the system allows no code.
func TestNoPages(t *testing.T) {
	needCode(t)
	denied := errors.New("denied")
	defer jit.RefusePages(denied)()
	before := jit.Mapped()
	var c jit.Cache
	for range 3 {
		if _, err := c.Get(productAndSum(), true); !errors.Is(err, denied) {
			t.Errorf("error %v, want %v", err, denied)
		}
	}
	if after := jit.Mapped(); after > before {
		t.Errorf("%d pieces of code count as mapped, %d before", after, before)
	}
}

func TestUnsupported(t *testing.T) {
	needCode(t)
	one := func(op kernel.Op, typ, result dtype.Type) *jit.Program {
		return &jit.Program{
			Inputs:  []dtype.Type{typ, typ},
			Ops:     []jit.Op{{Op: op, Operand: typ, Result: result, Args: [3]int{0, 1}}},
			Outputs: []int{2},
		}
	}
	tests := map[string]*jit.Program{
		"no machine code for FloorDiv of type int32":                       one(kernel.FloorDiv, dtype.Int32, dtype.Int32),
		"no machine code for operands of type complex64":                   one(kernel.Add, dtype.Complex64, dtype.Complex64),
		"no machine code for conversions from float32 to float8_e5m2":      one(kernel.Invalid, dtype.Float32, dtype.Float8E5M2),
		"no machine code for Shl of type int8":                             one(kernel.Shl, dtype.Int8, dtype.Int8),
		"no machine code for more than 8 operands":                         {Inputs: make([]dtype.Type, 8), Ops: one(kernel.Add, dtype.Float32, dtype.Float32).Ops, Outputs: []int{8}},
		"no machine code for more values at once than there are registers": tooMany(),
	}
	for k := range tests["no machine code for more than 8 operands"].Inputs {
		tests["no machine code for more than 8 operands"].Inputs[k] = dtype.Float32
	}
	for want, p := range tests {
		var unsupported *jit.UnsupportedError
		if _, err := jit.Compile(p); !errors.As(err, &unsupported) || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// tooMany returns a program that needs 40 values at once.
func tooMany() *jit.Program {
	p := &jit.Program{Inputs: []dtype.Type{dtype.Float32}}
	value := func(op kernel.Op, args ...int) int {
		o := jit.Op{Op: op, Operand: dtype.Float32, Result: dtype.Float32}
		copy(o.Args[:], args)
		p.Ops = append(p.Ops, o)
		return len(p.Ops)
	}
	last := 0
	for range 40 {
		last = value(kernel.Sqrt, last)
	}
	sum := last
	for v := 1; v < 40; v++ {
		sum = value(kernel.Add, sum, v)
	}
	p.Outputs = []int{sum}
	return p
}
