package linalg

import (
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// QR returns q with orthonormal columns and the upper triangular r, with q r = a. The inner size is
// the smaller size of a. QR overwrites a.
func QR(a Matrix) (q, r Matrix) {
	k := min(a.Rows, a.Cols)
	q, r = New(a.Rows, k), New(k, a.Cols)
	if a.empty() {
		return q, r
	}
	tau := make([]float64, k)
	withWork(func(work []float64, size int) { lapack64.Geqrf(a.general(), tau, work, size) })
	for i := range k {
		copy(r.row(i)[i:], a.row(i)[i:])
	}
	for i := range a.Rows {
		copy(q.row(i), a.row(i)[:k])
	}
	withWork(func(work []float64, size int) { lapack64.Orgqr(q.general(), tau, work, size) })
	return q, r
}

// SVD returns the singular values of a, the largest first, and the orthogonal matrices for which u
// s vt = a: with as many columns of u and rows of vt as there are values, or square if full is set.
// a is overwritten.
func SVD(a Matrix, full bool) (u Matrix, s []float64, vt Matrix, err error) {
	k := min(a.Rows, a.Cols)
	s = make([]float64, k)
	job := lapack.SVDStore
	u, vt = New(a.Rows, k), New(k, a.Cols)
	if full {
		job = lapack.SVDAll
		u, vt = New(a.Rows, a.Rows), New(a.Cols, a.Cols)
	}
	if a.empty() {
		identity(u)
		identity(vt)
		return u, s, vt, nil
	}
	return u, s, vt, singular(job, a, u, vt, s)
}

// SingularValues returns the singular values of a, the largest first. a is overwritten.
func SingularValues(a Matrix) ([]float64, error) {
	s := make([]float64, min(a.Rows, a.Cols))
	if a.empty() {
		return s, nil
	}
	return s, singular(lapack.SVDNone, a, Matrix{}, Matrix{}, s)
}

func singular(job lapack.SVDJob, a, u, vt Matrix, s []float64) error {
	if err := a.checkFinite(); err != nil {
		return err
	}
	ok := false
	withWork(func(work []float64, size int) {
		ok = lapack64.Gesvd(job, job, a.general(), u.general(), vt.general(), s, work, size)
	})
	if !ok {
		return ErrNoConvergence
	}
	return nil
}

func identity(m Matrix) {
	for i := range min(m.Rows, m.Cols) {
		m.row(i)[i] = 1
	}
}

// Eigen returns the eigenvalues of the symmetric matrix a, in ascending order. It reads the lower
// triangle of a, and overwrites a: with the eigenvectors as columns, if vectors is set.
func Eigen(a Matrix, vectors bool) ([]float64, error) {
	values := make([]float64, a.Rows)
	if a.empty() {
		return values, nil
	}
	for i := range a.Rows {
		clear(a.row(i)[i+1:]) // which is not read, and need not be finite
	}

	if err := a.checkFinite(); err != nil {
		return nil, err
	}

	job := lapack.EVNone
	if vectors {
		job = lapack.EVCompute
	}

	ok := false
	withWork(func(work []float64, size int) { ok = lapack64.Syev(job, a.lower(), values, work, size) })
	if !ok {
		return nil, ErrNoConvergence
	}

	return values, nil
}
