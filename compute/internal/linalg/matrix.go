package linalg

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Errors of matrices that have no result.
var (
	ErrSingular      = errors.New("the matrix is singular")
	ErrNotPositive   = errors.New("the matrix is not positive definite")
	ErrNotFinite     = errors.New("the matrix has elements that are infinite or NaN")
	ErrNoConvergence = errors.New("the iteration does not converge")
)

// A Matrix is Rows × Cols numbers, row by row.
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// New returns a matrix of zeros.
func New(rows, cols int) Matrix { return Matrix{rows, cols, make([]float64, rows*cols)} }

// Transposed returns the transpose as a copy.
func (m Matrix) Transposed() Matrix {
	t := New(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.row(i) {
			t.Data[j*m.Rows+i] = v
		}
	}
	return t
}

func (m Matrix) row(i int) []float64 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

func (m Matrix) empty() bool { return m.Rows == 0 || m.Cols == 0 }

// general is the matrix as gonum takes it.
func (m Matrix) general() blas64.General {
	return blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: max(m.Cols, 1), Data: m.Data}
}

// lower is the lower triangle of a symmetric matrix.
func (m Matrix) lower() blas64.Symmetric {
	return blas64.Symmetric{N: m.Rows, Stride: max(m.Cols, 1), Data: m.Data, Uplo: blas.Lower}
}

// checkFinite returns an error if an element is infinite or NaN.
func (m Matrix) checkFinite() error {
	for _, v := range m.Data {
		if math.IsInf(v, 0) || v != v {
			return ErrNotFinite
		}
	}
	return nil
}

// withWork calls a function of LAPACK twice: first for the size of the memory that it works best
// with, then with it.
func withWork(call func(work []float64, size int)) {
	var size [1]float64
	call(size[:], -1)
	work := make([]float64, max(1, int(size[0])))
	call(work, len(work))
}
