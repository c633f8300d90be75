package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/ptxvm"
)

// TestFolds folds values of random programs and compares the accumulators with those of package
// kernel.
func TestFolds(t *testing.T) {
	folded := map[string]int{}
	for i := range max(numPrograms()/8, 160) {
		r := rand.New(rand.NewPCG(*seed+1, uint64(i)))
		p := generator().Program(r)
		addFolds(r, p)
		layouts := &ptx.Layouts{}
		for range p.Inputs {
			layouts.Inputs = append(layouts.Inputs, []ptx.Layout{ptx.Packed, ptx.Packed, ptx.PerColumn, ptx.PerRow}[r.IntN(4)])
		}
		k, err := ptx.CompileFolds(p, layouts)
		if _, unsupported := err.(*ptx.UnsupportedError); unsupported {
			continue
		}
		for _, f := range p.Folds {
			folded[fmt.Sprint(f.Op, jittest.TypeOf(p, f.Value))]++
		}
		if err := compareFolds(r, p, layouts, k); err != nil {
			t.Fatalf("program %d of seed %d: %v\n%s, folds %v\n%s", i, *seed, err, jittest.List(p), p.Folds, k.Text)
		}
	}
	if !testing.Short() && len(folded) < 50 {
		t.Errorf("%d folds of types, want 50 at least: %v", len(folded), folded)
	}
}

// TestFoldBytes folds bools whose bytes are others than 0 and 1: they count once, and are multiplied
// as they are.
func TestFoldBytes(t *testing.T) {
	bytes := []byte{1, 2, 3, 255, 1, 7}
	for op, want := range map[kernel.FoldOp]uint64{kernel.FoldSum: 10 + 6, kernel.FoldProd: 10 * 2 * 3 * 255 * 7} {
		p := &jit.Program{Inputs: []dtype.Type{dtype.Bool}, Folds: []jit.Fold{{Op: op}}}
		k, err := ptx.CompileFolds(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		var d ptxvm.Device
		in, err := upload(&d, bytes)
		if err != nil {
			t.Fatal(err)
		}
		acc, err := upload(&d, []byte{10, 0, 0, 0, 0, 0, 0, 0})
		if err != nil {
			t.Fatal(err)
		}
		if err := launchBlocks(&d, k.Text, []uint64{in.Address(), acc.Address(), 0, 6, 8, 1}, 1); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 8)
		if err := acc.Read(0, got); err != nil || binary.LittleEndian.Uint64(got) != want {
			t.Errorf("fold %v: got %v, %v, want %d", op, got, err, want)
		}
	}
}

// addFolds has p fold one to three of its values instead of having outputs.
func addFolds(r *rand.Rand, p *jit.Program) {
	p.Outputs = nil
	values := len(p.Inputs) + len(p.Scalars) + len(p.Ops)
	for range 1 + r.IntN(3) {
		v := values - 1 - r.IntN(min(len(p.Ops), 3))
		op := []kernel.FoldOp{
			kernel.FoldSum, kernel.FoldSumSquares, kernel.FoldProd, kernel.FoldMin, kernel.FoldMax, kernel.FoldFMin, kernel.FoldFMax,
		}[r.IntN(7)]
		p.Folds = append(p.Folds, jit.Fold{Op: op, Value: v})
	}
}

// accumulator returns the type of what a fold of elements of a type makes.
func accumulator(op kernel.FoldOp, t dtype.Type) dtype.Type {
	switch {
	case op >= kernel.FoldMin:
		return t
	case t.Kind() == dtype.KindFloat:
		return dtype.Float64
	case t.Kind() == dtype.KindUint:
		return dtype.Uint64
	}
	return dtype.Int64
}

// compareFolds folds a few boxes of some lanes, of which the last has fewer rows.
func compareFolds(r *rand.Rand, p *jit.Program, layouts *ptx.Layouts, k *ptx.FoldKernel) error {
	lanes := []int{32, 1, 7, 16, 100, ptx.BlockThreads}[r.IntN(6)]
	box := lanes * k.PerThread * (1 + r.IntN(1+2000/lanes/k.PerThread))
	n := box*r.IntN(3) + lanes*(1+r.IntN(box/lanes))
	boxes := (n + box - 1) / box

	var d ptxvm.Device
	var params []uint64
	var inputs, scalars [][]byte
	c := &layoutCase{cols: 1 + r.IntN(50), n: n}
	for j, t := range p.Inputs {
		o := c.operand(r, layouts.Inputs[j], t)
		jittest.Fill(r, o.bytes, t)
		buffer, err := upload(&d, o.bytes)
		if err != nil {
			return err
		}
		inputs, params = append(inputs, o.packed(t.Size())), append(params, buffer.Address()+uint64(o.first))
	}
	for _, t := range p.Scalars {
		b := jittest.Aligned(t.Size())
		jittest.Fill(r, b, t)
		scalars = append(scalars, b)
	}
	params = append(params, scalarParams(scalars)...)

	var sums, losts []*ptxvm.Buffer
	var wantSums, wantLosts [][]byte
	values := jittest.Reference(p, inputs, scalars, n)
	for _, f := range p.Folds {
		t := jittest.TypeOf(p, f.Value)
		acc := accumulator(f.Op, t)
		sum, lost := jittest.Aligned(boxes*lanes*acc.Size()), jittest.Aligned(boxes*lanes*8)
		jittest.Fill(r, sum, acc)
		sumBuffer, err := upload(&d, sum)
		if err != nil {
			return err
		}
		lostBuffer, err := upload(&d, lost)
		if err != nil {
			return err
		}
		sums, losts, params = append(sums, sumBuffer), append(losts, lostBuffer), append(params, sumBuffer.Address(), lostBuffer.Address())

		for b := range boxes {
			first := b * box
			kernel.CallFold(kernel.GenericFold(f.Op, t), unsafe.Pointer(&sum[b*lanes*acc.Size()]), unsafe.Pointer(&lost[b*lanes*8]),
				unsafe.Pointer(&values[f.Value][first*t.Size()]), lanes*t.Size(), min(box, n-first)/lanes, lanes)
		}
		wantSums, wantLosts = append(wantSums, sum), append(wantLosts, lost)
	}

	params = append(params, uint64(n), uint64(box), uint64(lanes))
	if slices.Contains(layouts.Inputs, ptx.PerColumn) || slices.Contains(layouts.Inputs, ptx.PerRow) {
		params = append(params, uint64(c.cols))
	}
	if err := launchBlocks(&d, k.Text, params, boxes); err != nil {
		return err
	}
	for j, f := range p.Folds {
		acc := accumulator(f.Op, jittest.TypeOf(p, f.Value))
		if err := compareBuffer(sums[j], wantSums[j], acc); err != nil {
			return fmt.Errorf("fold %d: %w", j, err)
		}
		if err := compareBuffer(losts[j], wantLosts[j], dtype.Float64); err != nil {
			return fmt.Errorf("what fold %d lost: %w", j, err)
		}
	}
	return nil
}

// compareBuffer compares elements on a device with what they are to be.
func compareBuffer(b *ptxvm.Buffer, want []byte, t dtype.Type) error {
	got := make([]byte, len(want))
	if err := b.Read(0, got); err != nil {
		return err
	}
	for at := 0; at < len(want); at += t.Size() {
		if g, w := got[at:at+t.Size()], want[at:at+t.Size()]; !jittest.SameBits(t, g, w) {
			return fmt.Errorf("element %d is %x, want %x (%v)", at/t.Size(), g, w, t)
		}
	}
	return nil
}
