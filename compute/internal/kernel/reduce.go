package kernel

import (
	"sync"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A Fold takes rows of elements into accumulators, one for each column: acc[col] becomes
// f(acc[col], x) for the x of each row, in the order of the rows. Rows are stride bytes apart,
// which may be any number; the cols elements of a row lie one after another. aux is a second
// operand of each column, nil where the operation has none.
//
// All addresses are aligned to their elements. acc and aux overlap nothing. Folds are called
// through CallFold.
type Fold func(acc, aux, src unsafe.Pointer, stride, rows, cols int)

// CallFold calls f, as Call does for a Func.
//
//go:noinline
func CallFold(f Fold, acc, aux, src unsafe.Pointer, stride, rows, cols int) {
	f(acc, aux, src, stride, rows, cols)
}

// FoldOp is what a Fold does to an accumulator s, given an element x of type T.
//
// Accumulators are float64 for floats, int64 for signed integers and bools, uint64 for unsigned
// ones and complex128 for complex numbers, unless the comment says that they are T.
type FoldOp uint8

// The folds.
const (
	FoldSum        FoldOp = iota // s + x; of bools how many are true
	FoldSumSquares               // s + x·x, of floats
	FoldMoments                  // s + (x - aux), of floats, and beyond it sums of squares, not rounded before they are added: see MomentCols
	FoldProd                     // s · x
	FoldMin                      // Min(x, s), both T
	FoldMax                      // Max(x, s), both T
	FoldFMin                     // FMin(x, s), both T
	FoldFMax                     // FMax(x, s), both T
	numFoldOps
)

// MomentCols is the number of columns that FoldMoments takes at most, and how many float64 lie from
// the accumulators of x - aux to those of (x - aux)². For float64 there are those of what rounding
// has lost of the squares as far beyond these; the loss is found by Dekker's Fast2Sum, which needs
// a sum not smaller than what is added to it: it is exact but for the few elements that more than
// double the sum.
const MomentCols = 1024

// Compensated reports whether a fold of elements of type t keeps what rounding has lost in a second
// accumulator, a float64 in aux: the sum is s + aux, and has the error of a sum in twice the
// precision (Knuth's TwoSum; Ogita, Rump and Oishi, Accurate Sum and Dot Product, 2005). If s
// overflows, aux means nothing.
func (op FoldOp) Compensated(t dtype.Type) bool {
	return t == dtype.Float64 && (op == FoldSum || op == FoldSumSquares)
}

// Accumulator returns the type of the accumulators of a fold of elements of type t, of the parts of
// which complex numbers have two.
func (op FoldOp) Accumulator(t dtype.Type) dtype.Type {
	t = t.Part()
	switch {
	case op >= FoldMin:
		return t
	case t.Kind() == dtype.KindFloat:
		return dtype.Float64
	case t.Kind() == dtype.KindUint:
		return dtype.Uint64
	}
	return dtype.Int64
}

// foldTable holds the folds of one instruction set.
type foldTable [numFoldOps][numTypes]Fold

// set makes fn the fold of op on some types.
func (t *foldTable) set(op FoldOp, fn Fold, types ...dtype.Type) {
	for _, typ := range types {
		t[op][typ] = fn
	}
}

var bestFolds = sync.OnceValue(func() *foldTable {
	t := genericFolds()
	if hasAVX2() {
		t = withFolds(t, &foldsAVX2)
	}
	if hasAVX512() {
		t = withFolds(t, &foldsAVX512)
	}
	return t
})

// LookupFold returns the fastest fold of this CPU for op on elements of type t, nil if it means
// nothing.
func LookupFold(op FoldOp, t dtype.Type) Fold { return bestFolds()[op][t] }

// GenericFold returns what LookupFold does, written in Go: its meaning.
func GenericFold(op FoldOp, t dtype.Type) Fold { return genericFolds()[op][t] }

// An assembledFold is a fold for a multiple of step columns, in machine code.
type assembledFold struct {
	op   FoldOp
	typ  dtype.Type
	step int
	fn   Fold
}

// withFolds returns the folds of base, with machine code where there is some. Its last columns are
// left to Go.
func withFolds(base *foldTable, folds *[]assembledFold) *foldTable {
	t := *base
	for _, f := range *folds {
		t[f.op][f.typ] = f.fold(genericFolds()[f.op][f.typ])
	}
	return &t
}

// fold returns f, with rest for the columns beyond a multiple of the step.
func (f assembledFold) fold(rest Fold) Fold {
	fn, step := f.fn, f.step
	elem, accSize := f.typ.Size(), accumulatorSize(f.op, f.typ)

	return func(acc, aux, src unsafe.Pointer, stride, rows, cols int) {
		if rows == 0 {
			return
		}

		// step is a power of two.
		whole := cols &^ (step - 1)
		if whole > 0 {
			fn(acc, aux, src, stride, rows, whole)
		}

		if whole == cols {
			return
		}

		if aux != nil {
			aux = unsafe.Add(aux, whole*8)
		}
		rest(unsafe.Add(acc, whole*accSize), aux, unsafe.Add(src, whole*elem), stride, rows, cols-whole)
	}
}

// accumulatorSize returns the bytes of an accumulator of op on elements of type t.
func accumulatorSize(op FoldOp, t dtype.Type) int {
	switch {
	case op >= FoldMin:
		return t.Size()
	case t.Kind() == dtype.KindComplex:
		return 16
	}
	return 8
}
