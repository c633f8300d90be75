package linalg_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/linalg"
)

func random(r *rand.Rand, rows, cols int) linalg.Matrix {
	m := linalg.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = r.NormFloat64()
	}
	return m
}

func clone(m linalg.Matrix) linalg.Matrix {
	c := linalg.New(m.Rows, m.Cols)
	copy(c.Data, m.Data)
	return c
}

func times(a, b linalg.Matrix) linalg.Matrix {
	c := linalg.New(a.Rows, b.Cols)
	for i := range a.Rows {
		for j := range b.Cols {
			for k := range a.Cols {
				c.Data[i*c.Cols+j] += a.Data[i*a.Cols+k] * b.Data[k*b.Cols+j]
			}
		}
	}
	return c
}

// near fails if two matrices differ by more than rounding.
func near(t *testing.T, what string, got, want linalg.Matrix) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s: %d × %d, want %d × %d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	for i, v := range got.Data {
		if !(math.Abs(v-want.Data[i]) < 1e-9) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, want.Data[i])
		}
	}
}

func eye(n int) linalg.Matrix {
	m := linalg.New(n, n)
	for i := range n {
		m.Data[i*n+i] = 1
	}
	return m
}

func TestSquare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 5, 40, 130} {
		a, b := random(r, n, n), random(r, n, 3)
		x := clone(b)
		if err := linalg.Solve(clone(a), x); err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprint("solve ", n), times(a, x), b)
		inverse := clone(a)
		if err := linalg.Invert(inverse); err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprint("invert ", n), times(a, inverse), eye(n))

		positive := times(a, a.Transposed())
		for i := range n {
			positive.Data[i*n+i] += 1
		}
		l := clone(positive)
		if err := linalg.Cholesky(l); err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprint("cholesky ", n), times(l, l.Transposed()), positive)

		vectors := clone(positive)
		values, err := linalg.Eigen(vectors, true)
		if err != nil {
			t.Fatal(err)
		}
		scaled := clone(vectors)
		for i := range scaled.Data {
			scaled.Data[i] *= values[i%n]
		}
		near(t, fmt.Sprint("eigen ", n), times(scaled, vectors.Transposed()), positive)
	}
}

func TestFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{1, 1}, {5, 3}, {3, 5}, {40, 40}, {70, 20}, {20, 70}, {0, 3}, {3, 0}} {
		a := random(r, size[0], size[1])
		q, upper := linalg.QR(clone(a))
		near(t, fmt.Sprint("qr ", size), times(q, upper), a)
		near(t, fmt.Sprint("q ", size), times(q.Transposed(), q), eye(q.Cols))
		for _, full := range []bool{false, true} {
			u, s, vt, err := linalg.SVD(clone(a), full)
			if err != nil {
				t.Fatal(err)
			}
			diagonal := linalg.New(u.Cols, vt.Rows)
			for i, v := range s {
				diagonal.Data[i*diagonal.Cols+i] = v
			}
			near(t, fmt.Sprint("svd ", size, full), times(times(u, diagonal), vt), a)
			near(t, fmt.Sprint("u ", size, full), times(u.Transposed(), u), eye(u.Cols))
		}
	}
}

// TestLeastSquares solves systems with too many rows, too few, and rows that depend on each other.
func TestLeastSquares(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, size := range [][2]int{{6, 6}, {20, 5}, {5, 20}} {
		a, b := random(r, size[0], size[1]), random(r, size[0], 2)
		x, err := linalg.LeastSquares(clone(a), b)
		if err != nil {
			t.Fatal(err)
		}
		at := a.Transposed()
		near(t, fmt.Sprint(size), times(at, times(a, x)), times(at, b))
	}
	a, b := linalg.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 1, 1, 1}}, linalg.Matrix{Rows: 2, Cols: 1, Data: []float64{1, 3}}
	x, err := linalg.LeastSquares(a, b)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "dependent", x, linalg.Matrix{Rows: 2, Cols: 1, Data: []float64{1, 1}})
}

func TestErrors(t *testing.T) {
	ones := func() linalg.Matrix { return linalg.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 1, 1, 1}} }
	nan := linalg.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 1, math.NaN(), 1}}
	_, _, _, errSVD := linalg.SVD(clone(nan), false)
	_, errEigen := linalg.Eigen(clone(nan), true)
	for _, test := range []struct {
		name      string
		got, want error
	}{
		{"solve", linalg.Solve(ones(), linalg.New(2, 1)), linalg.ErrSingular},
		{"invert", linalg.Invert(ones()), linalg.ErrSingular},
		{"cholesky", linalg.Cholesky(linalg.Matrix{Rows: 1, Cols: 1, Data: []float64{-1}}), linalg.ErrNotPositive},
		{"svd", errSVD, linalg.ErrNotFinite},
		{"eigen", errEigen, linalg.ErrNotFinite},
	} {
		if !errors.Is(test.got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, test.got, test.want)
		}
	}
	if det := linalg.Determinant(linalg.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 2, 3, 4}}); math.Abs(det+2) > 1e-15 {
		t.Errorf("determinant %v, want -2", det)
	}
	if det := linalg.Determinant(ones()); det != 0 {
		t.Errorf("determinant %v, want 0", det)
	}
}
