package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
)

// TestConversions compares all conversions with those of package dtype.
func TestConversions(t *testing.T) {
	for _, from := range dtype.All() {
		t.Run(from.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(5, uint64(from)))
			input := conversionOperand(r, from)
			n := len(input) / from.Size()
			for _, to := range dtype.All() {
				p := &jit.Program{Inputs: []dtype.Type{from}, Ops: []jit.Op{{Operand: from, Result: to}}, Outputs: []int{1}}
				if from == to {
					p.Ops[0].Op = kernel.Copy
				}
				k, err := ptx.Compile(p, nil)
				if err == nil {
					err = compareOn(p, k, [][]byte{input}, nil, n)
				}
				if err != nil {
					t.Errorf("to %v: %v", to, err)
				}
			}
		})
	}
}

// conversionOperand returns numbers of a type: all there are of 1 or 2 bytes; of others, edges,
// random ones, and those half way between numbers of few digits, and next to them.
func conversionOperand(r *rand.Rand, t dtype.Type) []byte {
	part := partsOf(t)[0]
	var numbers []uint64
	switch {
	case part.Size() <= 2:
		step := 1
		if testing.Short() && part.Size() == 2 {
			step = 19
		}
		for v := 0; v < 1<<(8*part.Size()); v += step {
			numbers = append(numbers, uint64(v))
		}
	default:
		numbers = edgesOf(part)
		for range 2000 {
			numbers = append(numbers, randomNumber(r, part, numbers))
		}
		for _, x := range halfway(r) {
			b := make([]byte, part.Size())
			x.Convert(part).Store(b)
			numbers = append(numbers, binary.LittleEndian.Uint64(append(b, make([]byte, 8)...)))
		}
	}

	b := jittest.Aligned(len(numbers) / len(partsOf(t)) * t.Size())[:0]
	for _, v := range numbers[:len(numbers)/len(partsOf(t))*len(partsOf(t))] {
		b = append(b, binary.LittleEndian.AppendUint64(nil, v)[:part.Size()]...)
	}
	return b
}

// halfway returns integers half way between two floats of few digits, and those next to them.
func halfway(r *rand.Rand) (all []dtype.Scalar) {
	for range 2000 {
		digits := 3 + r.IntN(54)
		shift := r.IntN(64 - digits)
		v := (uint64(r.Uint64()>>(64-digits)) | 1 | 1<<(digits-1)) << shift
		v += uint64(r.IntN(3)) - 1
		if v>>63 == 0 && r.IntN(2) == 0 {
			all = append(all, dtype.ScalarOf(-int64(v)))
		}
		all = append(all, dtype.ScalarOf(v))
	}
	return all
}

// TestBools moves bytes of bools as they are, beside bools that were computed.
func TestBools(t *testing.T) {
	bytes := []byte{0, 1, 2, 255, 0, 7, 1, 0, 3}
	other := []byte{1, 0, 128, 0, 9, 1, 1, 0, 0}
	boolOp := func(op kernel.Op, args ...int) jit.Op {
		o := jit.Op{Op: op, Operand: dtype.Bool, Result: dtype.Bool}
		copy(o.Args[:], args)
		return o
	}
	for _, c := range []struct {
		name string
		ops  []jit.Op
	}{
		{"copy", []jit.Op{boolOp(kernel.Copy, 0)}},
		{"truth", []jit.Op{boolOp(kernel.Abs, 0)}},
		{"choice of bytes", []jit.Op{boolOp(kernel.Where, 0, 1, 0)}},
		{"choice of a byte and a bool", []jit.Op{boolOp(kernel.Not, 0), boolOp(kernel.Where, 1, 0, 2)}},
		{"choice of a bool and a byte", []jit.Op{boolOp(kernel.Not, 0), boolOp(kernel.Where, 1, 2, 0)}},
		{"choice of bools", []jit.Op{boolOp(kernel.Not, 0), boolOp(kernel.And, 0, 1), boolOp(kernel.Where, 1, 2, 3)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &jit.Program{Inputs: []dtype.Type{dtype.Bool, dtype.Bool}, Ops: c.ops, Outputs: []int{1 + len(c.ops)}}
			k, err := ptx.Compile(p, nil)
			if err == nil {
				err = compareOn(p, k, [][]byte{bytes, other}, nil, len(bytes))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRefused compiles what there is no code for.
func TestRefused(t *testing.T) {
	for _, p := range []*jit.Program{
		{Inputs: slices.Repeat([]dtype.Type{dtype.Float32}, 600), Ops: []jit.Op{{Op: kernel.Exp, Operand: dtype.Float32, Result: dtype.Float32}}, Outputs: []int{600}},
		{Inputs: []dtype.Type{dtype.Float32}, Folds: []jit.Fold{{}}},
	} {
		_, err := ptx.Compile(p, nil)
		if unsupported, ok := err.(*ptx.UnsupportedError); !ok {
			t.Errorf("got %v, want an UnsupportedError", err)
		} else if fmt.Sprint(unsupported) == "" {
			t.Error("the error says nothing")
		}
	}
}
