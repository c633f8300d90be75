package view_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// movable are steps that have moves of some layouts.
var movable = []string{
	".tile(3)", ".tile(2, 1, 2)", ".tile(1)", ".tile(0)", ".tile(())", ".repeat(3)", ".repeat(2, 0)", ".repeat(1, -1)", ".repeat(0, 0)", ".repeat((2,), 1)",
	".roll(1)", ".roll(-4)", ".roll(0)", ".roll(1, 0)", ".roll(-1, -1)", ".roll((1, 2), (0, 1))", ".roll((1, 1), (0, 0))", ".roll(3, (0, 1))", ".copy()", ".clone()", ".contiguous()",
}

// TestMovesAreEval does what Moves says by hand, and compares with Eval.
func TestMovesAreEval(t *testing.T) {
	for _, l := range tensortest.Layouts() {
		src := movesSource(t, l)
		for _, text := range movable {
			chain, err := view.ParseMethods(text)
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := chain.Eval(t.Context(), src, nil)
			shape, moves, err := chain[0].Moves(src.Layout())
			if _, lies := src.Layout().Flatten(); lies != nil && (text == ".roll(1)" || text == ".roll(-4)") {
				err = nil // it may have none
			}
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%s of %s: error %v, of Eval %v", text, l.Name, err, wantErr)
			}
			if wantErr != nil {
				continue
			}
			if len(moves) > 0 {
				if got := carriedOut(t, src, shape, moves); !slices.Equal(got.Shape(), want.Shape()) || !equal(t, got, want) {
					t.Errorf("%s of %s: the moves make\n%v, want\n%v", text, l.Name, got, want)
				}
			}
			want.Close()
		}
	}
}

// movesSource makes int16 elements that differ at a layout.
func movesSource(t *testing.T, l tensortest.Layout) *view.Tensor {
	t.Helper()
	at, err := view.MakeLayout(l.Shape, l.Strides, l.Offset)
	if err != nil {
		t.Fatal(err)
	}
	elems := make([]byte, 2*l.Span)
	for i := range elems {
		elems[i] = byte(i * 7)
	}
	src, err := view.NewTensor(mmapstore.FromBytes(elems), dtype.Int16, at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// carriedOut copies part by part, and checks that each element is made once.
func carriedOut(t *testing.T, src *view.Tensor, shape []int, moves []view.Move) *view.Tensor {
	t.Helper()
	l, err := view.NewLayout(shape...)
	if err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.New(int64(2 * l.NumElems()))
	if err != nil {
		t.Fatal(err)
	}
	made, n := 0, l.NumElems()
	for _, m := range moves {
		to, err1 := view.NewTensor(st, src.DType(), m.To)
		from, err2 := view.NewTensor(src.Storage(), src.DType(), m.From)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if err := view.Copy(t.Context(), to, from); err != nil {
			t.Fatal(err)
		}
		made += m.To.NumElems()
	}
	if made != n {
		t.Errorf("moves of %d elements, want %d", made, n)
	}
	all, err := view.NewTensor(st, src.DType(), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	return all
}

// TestNoMoves has steps whose results are copied otherwise, and mistakes.
func TestNoMoves(t *testing.T) {
	l, err := view.NewLayout(4, 5)
	if err != nil {
		t.Fatal(err)
	}
	for text, needsCopy := range map[string]bool{
		".take((1, 2), 0)": true, ".repeat((1, 2, 3, 4), 0)": true, ".T": true, "[1:]": true, "[[1, 2]]": true, ".astype(int8)": true,
		".tile(-1)": false, ".repeat(-1)": false, ".repeat((1, 2), 0)": false, ".repeat(2, 2)": false, ".roll(1, 2)": false, ".roll((1, 2), (0, 1, 0))": false,
	} {
		chain, err := view.ParseMethods(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := chain[0].Moves(l); err == nil || errors.Is(err, view.ErrNeedsCopy) != needsCopy {
			t.Errorf("%s: error %v", text, err)
		}
	}
	many, err := view.NewLayout(slices.Repeat([]int{2}, 12)...)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := view.ParseMethods(".roll(1, (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := chain[0].Moves(many); !errors.Is(err, view.ErrNeedsCopy) {
		t.Errorf("a roll of 12 axes: error %v", err)
	}
}
