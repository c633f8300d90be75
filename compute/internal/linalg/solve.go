package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Solve overwrites b with x, for which a x = b, and a with its LU factors. a is square.
func Solve(a, b Matrix) error {
	if a.empty() {
		return nil
	}
	pivots := make([]int, a.Rows)
	if !lapack64.Getrf(a.general(), pivots) {
		return ErrSingular
	}
	if !b.empty() {
		lapack64.Getrs(blas.NoTrans, a.general(), b.general(), pivots)
	}
	return nil
}

// Invert overwrites a, which is square, with its inverse.
func Invert(a Matrix) error {
	if a.empty() {
		return nil
	}
	pivots := make([]int, a.Rows)
	if !lapack64.Getrf(a.general(), pivots) {
		return ErrSingular
	}
	ok := false
	withWork(func(work []float64, size int) { ok = lapack64.Getri(a.general(), pivots, work, size) })
	if !ok {
		return ErrSingular
	}
	return nil
}

// Determinant returns the determinant of a, which is square and is overwritten.
func Determinant(a Matrix) float64 {
	if a.empty() {
		return 1
	}
	pivots := make([]int, a.Rows)
	lapack64.Getrf(a.general(), pivots)
	det := 1.0
	for i, p := range pivots {
		if det *= a.Data[i*a.Cols+i]; p != i {
			det = -det
		}
	}
	return det
}

// Cholesky overwrites a with the lower triangular matrix l with l lᵀ = a. It reads the lower
// triangle of a only.
func Cholesky(a Matrix) error {
	if !a.empty() {
		if _, ok := lapack64.Potrf(a.lower()); !ok {
			return ErrNotPositive
		}
	}
	for i := range a.Rows {
		clear(a.row(i)[i+1:])
	}
	return nil
}

// LeastSquares returns the x with the smallest norm of those for which the norm of a x - b is
// smallest. Singular values up to the largest one, times the larger size of a, times the distance
// of 1 from the next float64, count as 0.
func LeastSquares(a, b Matrix) (Matrix, error) {
	rows, cols := a.Rows, a.Cols
	x := New(cols, b.Cols)
	if a.empty() {
		return x, nil
	}

	// x = V Σ⁻¹ Uᵀ b, without the singular values that count as 0.
	u, s, vt, err := SVD(a, false)
	if err != nil {
		return x, err
	}

	least := s[0] * 0x1p-52 * float64(max(rows, cols))
	for k, v := range s {
		if v <= least {
			break
		}
		for j := range b.Cols {
			sum := 0.0
			for i := range rows {
				sum += u.Data[i*u.Cols+k] * b.Data[i*b.Cols+j]
			}

			sum /= v
			for i, w := range vt.row(k) {
				x.Data[i*x.Cols+j] += sum * w
			}
		}
	}
	return x, nil
}
