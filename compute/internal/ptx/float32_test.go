package ptx_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel/kerneltest"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/ptxvm"
)

// TestMathFloat32 computes the functions of one float32 and compares the hashes of the results with
// those that package kernel must have.
func TestMathFloat32(t *testing.T) {
	if !*long {
		t.Skip("make sweeps computes two million results of each function; TestFunctions compares a few")
	}
	for op, want := range kerneltest.Hashes {
		t.Run(op.String(), func(t *testing.T) {
			name := op.String() + " " + dtype.Float32.String()
			if ptx.FunctionOf(name) == nil {
				t.Fatal("there is no such function")
			}
			text := newFunctionCase(t, name).text()
			var hash kerneltest.Hash
			kerneltest.Blocks(kerneltest.Step, func(first uint64) {
				var x, y [kerneltest.BlockElems]float32
				n := kerneltest.Args(&x, first, kerneltest.Step)
				if err := runFunction(text, bytesOf(x[:n]), bytesOf(y[:n])); err != nil {
					t.Error(err)
				}
				hash.Add(first, y[:n])
			})
			if got := hash.Sum(); got != want {
				t.Errorf("results have the hash %#x, want %#x", got, want)
			}
		})
	}
}

func bytesOf(s []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*len(s))
}

// runFunction applies the function of a module to float32s.
func runFunction(text string, args, results []byte) error {
	var d ptxvm.Device
	m, err := d.Load(text)
	if err != nil {
		return err
	}
	x, err := upload(&d, args)
	if err != nil {
		return err
	}
	y, err := d.Alloc(len(results))
	if err != nil {
		return err
	}
	n := len(args) / 4
	launch := &ptxvm.Launch{Grid: [3]int{(n + 127) / 128, 1, 1}, Block: [3]int{128, 1, 1}, Params: []uint64{y.Address(), x.Address(), 0, uint64(n)}}
	if err := m.Launch(context.Background(), "k", launch); err != nil {
		return err
	}
	return y.Read(0, results)
}
