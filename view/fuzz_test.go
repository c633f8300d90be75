package view_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Whatever is parsed prints as text that parses to the same, and its use is a layout or an error.
func FuzzParseIndex(f *testing.F) {
	for _, text := range []string{"", "()", "1", "1:2:3, ::-1, ..., None", "np.newaxis:5", "99999999999999999999:", "- 1 ,", "[1]", "1:é"} {
		f.Add(text)
	}
	l := mustMake(f, []int{5, 0, 4, 1}, []int{4, 4, 1, 9}, 0)
	f.Fuzz(func(t *testing.T, text string) {
		ix, err := view.ParseIndex(text)
		if err != nil {
			return
		}
		again, err := view.ParseIndex(ix.String())
		if err != nil {
			t.Fatalf("%q became %q: %v", text, ix, err)
		}
		if again.String() != ix.String() || len(again) != len(ix) {
			t.Fatalf("%q became %q became %q", text, ix, again)
		}
		if sub, err := l.Index(ix); err == nil {
			checkWithin(t, sub, l)
		}
	})
}

// checkWithin checks that part keeps the guarantees of a layout and touches only what whole
// touches.
func checkWithin(t *testing.T, part, whole view.Layout) {
	t.Helper()
	if _, err := view.MakeLayout(part.Shape(), part.Strides(), part.Offset()); err != nil {
		t.Fatalf("%s of %s: %v", part, whole, err)
	}
	if part.NumElems() == 0 {
		return
	}
	lo, hi := part.Bounds()
	wLo, wHi := whole.Bounds()
	if lo < wLo || hi > wHi {
		t.Fatalf("%s reaches outside of %s", part, whole)
	}
}

// numbers reads ints from fuzz data, mostly small ones.
type numbers struct{ data []byte }

func (n *numbers) next() int {
	if len(n.data) == 0 {
		return 0
	}
	first := n.data[0]
	n.data = n.data[1:]
	if first < 250 || len(n.data) < 8 {
		return int(int8(first))
	}
	v := int(binary.LittleEndian.Uint64(n.data))
	n.data = n.data[8:]
	return v
}

func (n *numbers) slice(count int) []int {
	out := make([]int, count)
	for i := range out {
		out[i] = n.next()
	}
	return out
}

// Layouts of hostile numbers are errors or keep their guarantees, and so does whatever is made of
// them.
func FuzzMakeLayout(f *testing.F) {
	f.Add([]byte{2, 3, 4, 4, 1, 0, 1, 5, 200, 2})
	f.Add([]byte{1, 3, 254, 9, 250, 255, 255, 255, 255, 255, 255, 255, 127, 1})
	f.Add([]byte{0, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := numbers{data}
		rank := in.next() & 7
		l, err := view.MakeLayout(in.slice(rank), in.slice(rank), in.next())
		if err != nil {
			return
		}
		checkWithin(t, l.Transpose(), l)
		ix := view.Index{}
		for range rank {
			ix = append(ix, []view.Item{view.At(in.next()), view.SpanStep(in.next(), in.next(), in.next()), view.All().By(in.next()), view.NewAxis()}[in.next()&3])
		}
		if part, err := l.Index(ix); err == nil {
			checkWithin(t, part, l)
		}
		if shaped, err := l.Reshape(in.slice(in.next() & 7)...); err == nil {
			checkWithin(t, shaped, l)
			checkSameRuns(t, shaped, l)
		}
		l.IsDense()
		l.IsContiguous()
		l.IsFortran()
	})
}

// checkSameRuns checks that two layouts visit the same positions, if they are few.
func checkSameRuns(t *testing.T, a, b view.Layout) {
	t.Helper()
	if a.NumElems() != b.NumElems() {
		t.Fatalf("%s has other elements than %s", a, b)
	}
	if a.NumElems() < 10_000 && !slices.Equal(runPositions(a), runPositions(b)) {
		t.Fatalf("%s has its elements in another order than %s", a, b)
	}
}

// Copies between any two layouts of one storage, that overlap or not, end as if the source had been
// read first.
func FuzzCopy(f *testing.F) {
	f.Add([]byte{3, 4, 4, 1, 0, 1, 3, 20})
	f.Add([]byte{5, 5, 5, 1, 0, 1, 5, 0})
	f.Add([]byte{8, 3, 248, 1, 60, 8, 255, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := numbers{data}
		shape := []int{1 + in.next()&15, 1 + in.next()&15}
		layouts := []tensortest.Layout{}
		for range 2 {
			l := tensortest.Layout{Shape: shape, Strides: in.slice(2), Offset: in.next(), Span: 512}
			if _, err := view.MakeLayout(l.Shape, l.Strides, l.Offset); err != nil {
				return
			}
			layouts = append(layouts, l)
		}
		checkFuzzedCopy(t, tensortest.Pair{Dst: layouts[0], Src: layouts[1]})
	})
}

func checkFuzzedCopy(t *testing.T, p tensortest.Pair) {
	b := tensortest.Buffer(p.Span()*4, 0)
	for i := range b {
		b[i] = byte(i * 11)
	}
	st := mmapstore.FromBytes(b)
	defer st.Release()
	dst, err := view.NewTensor(st, dtype.Float32, mustMake(t, p.Dst.Shape, p.Dst.Strides, p.Dst.Offset))
	if err != nil {
		return
	}
	defer dst.Close()
	src, err := view.NewTensor(st, dtype.Float32, mustMake(t, p.Src.Shape, p.Src.Strides, p.Src.Offset))
	if err != nil {
		return
	}
	defer src.Close()
	to := fixture{Tensor: dst, bytes: b, size: 4, pos: p.Dst.Positions()}
	want := fixture{Tensor: src, bytes: b, size: 4, pos: p.Src.Positions()}.packed()
	before := slices.Clone(b)
	if err := view.Copy(t.Context(), dst, src); err != nil {
		return // the destination repeats elements
	}
	sorted := slices.Sorted(slices.Values(to.pos))
	if len(slices.Compact(sorted)) == len(to.pos) && !bytes.Equal(to.packed(), want) {
		t.Fatalf("%v to %v: other bytes", p.Src, p.Dst)
	}
	checkOutside(t, to, before)
}
