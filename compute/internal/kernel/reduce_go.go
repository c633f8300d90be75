package kernel

import (
	"math"
	"sync"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// genericFolds holds the folds written in Go.
var genericFolds = sync.OnceValue(func() *foldTable {
	t := &foldTable{}
	setFoldsOfFloat[float32](t)
	setFoldsOfFloat[float64](t)
	t.set(FoldMoments, foldMoments, dtype.Float32)
	t.set(FoldMoments, foldTwoMoments, dtype.Float64)
	t.set(FoldSum, foldTwoSum, dtype.Float64)
	t.set(FoldSumSquares, foldTwoSumSquares, dtype.Float64)
	setFoldsOfInteger[int8, int64](t)
	setFoldsOfInteger[int16, int64](t)
	setFoldsOfInteger[int32, int64](t)
	setFoldsOfInteger[int64, int64](t)
	setFoldsOfInteger[uint8, uint64](t)
	setFoldsOfInteger[uint16, uint64](t)
	setFoldsOfInteger[uint32, uint64](t)
	setFoldsOfInteger[uint64, uint64](t)
	setFoldsOfComplex[complex64](t)
	setFoldsOfComplex[complex128](t)
	t.set(FoldSum, foldCount, dtype.Bool)
	t.set(FoldProd, foldProdInteger[uint8, int64], dtype.Bool)
	for op := FoldMin; op <= FoldFMax; op++ {
		t.set(op, t[op][dtype.Uint8], dtype.Bool)
	}
	return t
})

func setFoldsOfFloat[T float](t *foldTable) {
	typ := dtype.Of[T]()
	t.set(FoldSum, foldSumFloat[T], typ)
	t.set(FoldSumSquares, foldSumSquares[T], typ)
	t.set(FoldProd, foldProdFloat[T], typ)
	setFoldsOfOrder[T](t, typ)
}

func setFoldsOfInteger[T integer, A int64 | uint64](t *foldTable) {
	typ := dtype.Of[T]()
	t.set(FoldSum, foldSumInteger[T, A], typ)
	t.set(FoldProd, foldProdInteger[T, A], typ)
	setFoldsOfOrder[T](t, typ)
}

func setFoldsOfOrder[T ordered](t *foldTable, typ dtype.Type) {
	t.set(FoldMin, foldMin[T], typ)
	t.set(FoldMax, foldMax[T], typ)
	t.set(FoldFMin, foldFMin[T], typ)
	t.set(FoldFMax, foldFMax[T], typ)
}

// eachRow sets the accumulators to f of them and the elements of each row. It is inlined together
// with f.
func eachRow[A, T any](acc, src unsafe.Pointer, stride, rows, cols int, f func(s A, x T) A) {
	a := unsafe.Slice((*A)(acc), cols)
	for row := range rows {
		x := unsafe.Slice((*T)(unsafe.Add(src, row*stride)), len(a))
		for i := range a {
			a[i] = f(a[i], x[i])
		}
	}
}

func foldSumFloat[T float](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s float64, x T) float64 { return s + float64(x) })
}

func foldSumSquares[T float](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s float64, x T) float64 { return s + float64(float64(x)*float64(x)) })
}

func foldProdFloat[T float](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s float64, x T) float64 { return s * float64(x) })
}

// moments returns plane i of the accumulators of FoldMoments.
func moments(acc unsafe.Pointer, i, cols int) []float64 {
	return unsafe.Slice((*float64)(unsafe.Add(acc, i*MomentCols*8)), cols)
}

func foldMoments(acc, aux, src unsafe.Pointer, stride, rows, cols int) {
	sum, squares, mean := moments(acc, 0, cols), moments(acc, 1, cols), unsafe.Slice((*float64)(aux), cols)
	for row := range rows {
		x := unsafe.Slice((*float32)(unsafe.Add(src, row*stride)), len(sum))
		for i := range sum {
			d := float64(x[i]) - mean[i]
			sum[i] += d
			squares[i] = math.FMA(d, d, squares[i])
		}
	}
}

func foldTwoMoments(acc, aux, src unsafe.Pointer, stride, rows, cols int) {
	sum, squares, lost, mean := moments(acc, 0, cols), moments(acc, 1, cols), moments(acc, 2, cols), unsafe.Slice((*float64)(aux), cols)
	for row := range rows {
		x := unsafe.Slice((*float64)(unsafe.Add(src, row*stride)), len(sum))
		for i := range sum {
			d := x[i] - mean[i]
			sum[i] += d
			t := math.FMA(d, d, squares[i])
			lost[i] += math.FMA(d, d, squares[i]-t)
			squares[i] = t
		}
	}
}

// twoSum returns s + x rounded, and what rounding has lost.
func twoSum(s, x float64) (sum, lost float64) {
	sum = s + x
	b := sum - s
	return sum, (s - (sum - b)) + (x - b)
}

func foldTwoSum(acc, aux, src unsafe.Pointer, stride, rows, cols int) {
	a, c := unsafe.Slice((*float64)(acc), cols), unsafe.Slice((*float64)(aux), cols)
	for row := range rows {
		x := unsafe.Slice((*float64)(unsafe.Add(src, row*stride)), len(a))
		for i := range a {
			sum, lost := twoSum(a[i], x[i])
			a[i], c[i] = sum, c[i]+lost
		}
	}
}

func foldTwoSumSquares(acc, aux, src unsafe.Pointer, stride, rows, cols int) {
	a, c := unsafe.Slice((*float64)(acc), cols), unsafe.Slice((*float64)(aux), cols)
	for row := range rows {
		x := unsafe.Slice((*float64)(unsafe.Add(src, row*stride)), len(a))
		for i := range a {
			sum, lost := twoSum(a[i], float64(x[i]*x[i]))
			a[i], c[i] = sum, c[i]+lost
		}
	}
}

func foldSumInteger[T integer, A int64 | uint64](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s A, x T) A { return s + A(x) })
}

func foldProdInteger[T integer, A int64 | uint64](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s A, x T) A { return s * A(x) })
}

// foldCount counts the bytes that are not 0.
func foldCount(acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s int64, x uint8) int64 { return s + int64(min(x, 1)) })
}

func foldMin[T ordered](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s, x T) T { return minOf(x, s) })
}

func foldMax[T ordered](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s, x T) T { return maxOf(x, s) })
}

func foldFMin[T ordered](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s, x T) T {
		if x < s || s != s {
			return x
		}
		return s
	})
}

func foldFMax[T ordered](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s, x T) T {
		if x > s || s != s {
			return x
		}
		return s
	})
}
