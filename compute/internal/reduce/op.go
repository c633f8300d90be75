package reduce

import "github.com/tstore/tstore/dtype"

// Op is a reduction: it makes one value of many elements. The comment of each says which.
type Op uint8

// The reductions. NaN among the elements makes the result NaN, unless the comment says otherwise.
const (
	Invalid      Op = iota
	Sum             // of the elements
	Prod            // of the elements
	Min             // the smallest; of complex numbers in lexicographic order
	Max             // the largest
	FMin            // the smallest that is not NaN, NaN if there is none
	FMax            // the largest that is not NaN, NaN if there is none
	ArgMin          // index of the first smallest, or of the first NaN, among the reduced elements in C order
	ArgMax          // index of the first largest, or of the first NaN
	Any             // whether some element is not 0; NaN is not 0
	All             // whether no element is 0
	CountNonzero    // how many elements are not 0
	Mean            // sum/n
	Var             // sum of |a - mean|² / (n - ddof)
	Std             // square root of Var, rounded once
	SumSquares      // sum of |a|²
	Norm            // square root of SumSquares, rounded once
	SumAbs          // sum of |a|
	MaxAbs          // largest |a|
	MinAbs          // smallest |a|
	LogSumExp       // log of the sum of exp(a)
	NumOps
)

var opNames = [NumOps]string{
	"invalid", "sum", "prod", "min", "max", "fmin", "fmax", "argmin", "argmax", "any", "all", "count_nonzero",
	"mean", "var", "std", "sum_squares", "norm", "sum_abs", "max_abs", "min_abs", "logsumexp",
}

// String returns the name of op in NumPy's spelling, where it has one.
func (op Op) String() string {
	if op >= NumOps {
		return opNames[Invalid]
	}
	return opNames[op]
}

// NeedsElement reports whether op has no result without elements. The others have: 0 for sums and
// counts, 1 for products, false for Any, true for All, NaN for Mean, Var and Std, and minus
// infinity for LogSumExp.
func (op Op) NeedsElement() bool {
	switch op {
	case Min, Max, FMin, FMax, ArgMin, ArgMax, MaxAbs, MinAbs:
		return true
	}
	return false
}

// ResultType returns the type of the result of op on elements of type t, by the rules of NumPy 2.
// It returns Invalid if op is not defined on t, as LogSumExp on complex numbers.
func ResultType(op Op, t dtype.Type) dtype.Type {
	if !t.Valid() {
		return dtype.Invalid
	}

	switch op {
	case Sum, Prod:
		return dtype.ResultForSum(t)
	case Min, Max, FMin, FMax:
		return t
	case ArgMin, ArgMax, CountNonzero:
		return dtype.Int64
	case Any, All:
		return dtype.Bool
	case Mean:
		return inexact(t)
	case Var, Std, SumSquares, Norm:
		return inexact(t.Part())
	case SumAbs:
		return dtype.ResultForSum(t.Part())
	case MaxAbs, MinAbs:
		return t.Part()
	case LogSumExp:
		if t.Kind() != dtype.KindComplex {
			return inexact(t)
		}
	}

	return dtype.Invalid
}

// inexact returns t if it has fractions, else float64.
func inexact(t dtype.Type) dtype.Type {
	switch t.Kind() {
	case dtype.KindFloat, dtype.KindComplex:
		return t
	}
	return dtype.Float64
}
