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
	"github.com/tstore/tstore/compute/internal/ptx/ptxtest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/ptxvm"
)

// TestFolds folds values of random programs and compares the accumulators with those of package
// kernel.
func TestFolds(t *testing.T) {
	folded := map[string]int{}
	for i := range max(numPrograms()/8, 80) {
		r := rand.New(rand.NewPCG(*seed+1, uint64(i)))
		p := generator().Program(r)
		addFolds(r, p)
		layouts := foldLayouts(r, p)
		k, err := ptx.CompileFolds(p, layouts, i%2 == 1)
		if _, unsupported := err.(*ptx.UnsupportedError); unsupported {
			continue
		}
		for _, f := range p.Folds {
			folded[fmt.Sprint(f.Op, p.TypeOf(f.Value))]++
		}
		if err := compareFolds(r, p, layouts, k); err != nil {
			t.Fatalf("program %d of seed %d: %v\n%s, folds %v\n%s", i, *seed, err, jittest.List(p), p.Folds, k.Text)
		}
	}
	if least := 50; *long && len(folded) < least || len(folded) < least/2 {
		t.Errorf("%d folds of types, want %d at least, or half of them without -long: %v", len(folded), least, folded)
	}
}

// foldLayouts returns some of the inputs of p.
func foldLayouts(r *rand.Rand, p *jit.Program) *ptx.Layouts {
	l := &ptx.Layouts{Rank: 1 + r.IntN(4)}
	l.Rows = r.IntN(l.Rank)
	for range p.Inputs {
		l.Inputs = append(l.Inputs, []ptx.Layout{ptx.Packed, ptx.Strided, ptx.PerColumn, ptx.PerRow}[r.IntN(4)])
	}
	return l
}

// TestFoldBytes folds bools whose bytes are others than 0 and 1: they count once, and are multiplied
// as they are.
func TestFoldBytes(t *testing.T) {
	bytes := []byte{1, 2, 3, 255, 1, 7}
	for op, want := range map[kernel.FoldOp]uint64{kernel.FoldSum: 10 + 6, kernel.FoldProd: 10 * 2 * 3 * 255 * 7} {
		p := &jit.Program{Inputs: []dtype.Type{dtype.Bool}, Folds: []jit.Fold{{Op: op}}}
		k, err := ptx.CompileFolds(p, nil, op == kernel.FoldSum)
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
		table, err := upload(&d, words(0, 6, 0, 1, 0, 1))
		if err != nil {
			t.Fatal(err)
		}
		params := []uint64{in.Address(), acc.Address(), 0}
		if !k.PerLane {
			params = append(params, 1)
		}
		if err := launchBlocks(&d, k.Text, append(params, table.Address()+16, table.Address()), 1); err != nil {
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

// words are numbers of 8 bytes.
func words(numbers ...int) (b []byte) {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// A segment is the numbers of its first element and of that behind its last.
type segment struct{ first, end int }

// foldBoxes cuts elements into a few boxes of segments, between which some belong to none.
func foldBoxes(r *rand.Rand) (boxes [][]segment, elems int) {
	for range 1 + r.IntN(4) {
		var box []segment
		for range r.IntN(4) {
			n := 1 + r.IntN([]int{3, 100, 2500}[r.IntN(3)])
			box = append(box, segment{elems, elems + n})
			elems += (n + r.IntN(20) + ptx.SegmentGrain - 1) / ptx.SegmentGrain * ptx.SegmentGrain
		}
		boxes = append(boxes, box)
	}
	return boxes, elems + 1
}

// compareFolds folds a few boxes of some lanes, whose accumulators lie in another order.
func compareFolds(r *rand.Rand, p *jit.Program, layouts *ptx.Layouts, k *ptx.FoldKernel) error {
	boxes, n := foldBoxes(r)
	order := r.Perm(len(boxes))

	var d ptxvm.Device
	var params []uint64
	var inputs, scalars [][]byte
	c := &layoutCase{cols: 1 + r.IntN(50), n: n}
	lying := newLying(r, layouts, boxes)
	for j, t := range p.Inputs {
		var o operand
		if layouts.Inputs[j] == ptx.Strided {
			o = lying.operand(r, t, n)
		} else {
			o = c.operand(r, layouts.Inputs[j], t)
		}
		jittest.Fill(r, o.bytes, t)
		buffer, err := upload(&d, o.bytes)
		if err != nil {
			return err
		}
		inputs, params = append(inputs, o.packed(t.Size())), append(params, buffer.Address()+uint64(o.first))
		if layouts.Inputs[j] == ptx.Strided {
			lying.place(params)
		}
	}
	for _, t := range p.Scalars {
		b := jittest.Aligned(t.Size())
		jittest.Fill(r, b, t)
		scalars = append(scalars, b)
	}
	params = append(params, ptxtest.ScalarParams(scalars)...)

	// With a thread for each lane, boxes have lanes of their own, and else folds.
	var first []int
	all, most := 0, 0
	lanesOf := make([]int, len(boxes))
	for b := range lanesOf {
		first, lanesOf[b] = append(first, all), []int{1, 33, 256, 700}[r.IntN(4)]
		all, most = all+lanesOf[b], max(most, lanesOf[b])
	}
	var sums, losts []*ptxvm.Buffer
	var wantSums, wantLosts [][]byte
	values := p.Values(inputs, scalars, n)
	for _, f := range p.Folds {
		if !k.PerLane {
			lanes := []int{32, 1, 7, 16, 100, ptx.MaxLanes}[r.IntN(6)]
			all = lanes * len(boxes)
			for b := range boxes {
				first[b], lanesOf[b] = order[b]*lanes, lanes
			}
		}
		w := newFoldCase(r, p.TypeOf(f.Value), f.Op, all)
		sumBuffer, err := upload(&d, w.sums)
		if err != nil {
			return err
		}
		lostBuffer, err := upload(&d, w.losts)
		if err != nil {
			return err
		}
		params = append(params, sumBuffer.Address(), lostBuffer.Address())
		if !k.PerLane {
			params = append(params, uint64(lanesOf[0]))
		}
		sums, losts = append(sums, sumBuffer), append(losts, lostBuffer)

		for b, box := range boxes {
			for _, s := range box {
				w.fold(first[b], lanesOf[b], values[f.Value], s)
			}
		}
		wantSums, wantLosts = append(wantSums, w.sums), append(wantLosts, w.losts)
	}

	// The tables.
	var boxTable, segmentTable []int
	for b, box := range boxes {
		at := len(segmentTable) / layouts.SegmentWords()
		if k.PerLane {
			boxTable = append(boxTable, at, at+len(box), first[b], lanesOf[b])
		} else {
			boxTable = append(boxTable, at, at+len(box), order[b], 0)
		}
		for _, s := range box {
			segmentTable = append(append(segmentTable, s.first, s.end), lying.words(s)...)
		}
	}
	for _, table := range [][]int{boxTable, append(segmentTable, 0)} {
		buffer, err := upload(&d, words(table...))
		if err != nil {
			return err
		}
		params = append(params, buffer.Address())
	}
	if slices.Contains(layouts.Inputs, ptx.PerColumn) || slices.Contains(layouts.Inputs, ptx.PerRow) {
		params = append(params, uint64(c.cols))
	}
	params = append(params, lying.params()...)

	rows := 1
	if k.PerLane {
		rows = (most + ptx.BlockThreads - 1) / ptx.BlockThreads
	}
	if err := launchGrid(&d, k.Text, params, len(boxes), rows); err != nil {
		return err
	}
	for j, f := range p.Folds {
		acc := f.Op.Accumulator(p.TypeOf(f.Value).Part())
		if err := compareBuffer(sums[j], wantSums[j], acc); err != nil {
			return fmt.Errorf("fold %d: %w", j, err)
		}
		if err := compareBuffer(losts[j], wantLosts[j], dtype.Float64); err != nil {
			return fmt.Errorf("what fold %d lost: %w", j, err)
		}
	}
	return nil
}

// A foldCase has the accumulators of a fold.
type foldCase struct {
	op          kernel.FoldOp
	part        dtype.Type
	parts       int
	sums, losts []byte
}

func newFoldCase(r *rand.Rand, t dtype.Type, op kernel.FoldOp, lanes int) *foldCase {
	part := t.Part()
	acc, parts := op.Accumulator(part), t.Size()/part.Size()
	w := &foldCase{op: op, part: part, parts: parts}
	w.sums, w.losts = jittest.Aligned(lanes*parts*acc.Size()), jittest.Aligned(lanes*parts*8)
	jittest.Fill(r, w.sums, acc)
	return w
}

// fold takes a segment into lanes from number first on.
func (w *foldCase) fold(first, lanes int, values []byte, s segment) {
	size := w.parts * w.op.Accumulator(w.part).Size()
	for at := s.first; at < s.end; at += lanes {
		cols := min(lanes, s.end-at)
		kernel.CallFold(kernel.GenericFold(w.op, w.part), unsafe.Pointer(&w.sums[first*size]), unsafe.Pointer(&w.losts[first*w.parts*8]),
			unsafe.Pointer(&values[at*w.parts*w.part.Size()]), 0, 1, cols*w.parts)
	}
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
