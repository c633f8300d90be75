package linalg

// InvWork makes the inverse of a square matrix of n rows.
func InvWork(n int) ([]int, Work) {
	return []int{n, n}, inPlace(Invert)
}

// CholeskyWork makes its lower triangular factor.
func CholeskyWork(n int) ([]int, Work) {
	return []int{n, n}, inPlace(Cholesky)
}

// inPlace is work whose result is where its operand was.
func inPlace(fn func(a Matrix) error) Work {
	return func(args []Matrix, out []float64) error {
		err := fn(args[0])
		copy(out, args[0].Data)
		return err
	}
}

// DetWork makes its determinant.
func DetWork(int) ([]int, Work) {
	return []int{}, func(args []Matrix, out []float64) error {
		out[0] = Determinant(args[0])
		return nil
	}
}

// EigenvaluesWork makes the eigenvalues of a symmetric one.
func EigenvaluesWork(n int) ([]int, Work) {
	return []int{n}, func(args []Matrix, out []float64) error {
		values, err := Eigen(args[0], false)
		copy(out, values)
		return err
	}
}

// EighWork makes eigenvalues and eigenvectors of a symmetric matrix.
func EighWork(args []Matrix, out []float64) error {
	values, err := Eigen(args[0], true)
	copy(out[copy(out, values):], args[0].Data)
	return err
}

// SolveWork makes x of a·x = b.
func SolveWork(args []Matrix, out []float64) error {
	err := Solve(args[0], args[1])
	copy(out, args[1].Data)
	return err
}

// LeastSquaresWork makes the x for which the norm of a·x - b is smallest.
func LeastSquaresWork(args []Matrix, out []float64) error {
	x, err := LeastSquares(args[0], args[1])
	copy(out, x.Data)
	return err
}

// QRWork makes the factors q and r.
func QRWork(args []Matrix, out []float64) error {
	q, r := QR(args[0])
	copy(out[copy(out, q.Data):], r.Data)
	return nil
}

// SingularValuesWork makes singular values.
func SingularValuesWork(args []Matrix, out []float64) error {
	s, err := SingularValues(args[0])
	copy(out, s)
	return err
}

// SVDWork makes the factors u, s and vt, the first and the last one square if full is set.
func SVDWork(full bool) Work {
	return func(args []Matrix, out []float64) error {
		u, s, vt, err := SVD(args[0], full)
		at := copy(out, u.Data)
		at += copy(out[at:], s)
		copy(out[at:], vt.Data)
		return err
	}
}
