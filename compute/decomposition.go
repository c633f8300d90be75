package compute

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/compute/internal/linalg"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/view"
)

// Errors of matrices that have no inverse, factors or values.
var (
	ErrSingular      = linalg.ErrSingular      // solve, inv
	ErrNotPositive   = linalg.ErrNotPositive   // cholesky
	ErrNotFinite     = linalg.ErrNotFinite     // svd, svdvals, eigh, eigvalsh, lstsq
	ErrNoConvergence = linalg.ErrNoConvergence // likewise
)

// A decomposition is work on each matrix of a batch, in memory: a bulk.
type decomposition struct {
	name  string
	parts [][]int // shapes of what is made of a matrix
	size  int     // of all parts
	work  func(args []linalg.Matrix, out []float64) error
}

// String implements bulk.
func (d *decomposition) String() string { return d.name + fmt.Sprint(d.parts) }

// memory implements bulk: copies of the operands, the result and what LAPACK needs, of one matrix.
func (d *decomposition) memory(n *node, _ *Options) int64 {
	bytes := int64(d.size)
	for _, a := range n.args {
		bytes += int64(a.rows()) * int64(a.columns())
	}
	return 2 * 8 * bytes
}

// run implements bulk.
func (d *decomposition) run(w *bulkWork) error {
	if w.dst.NumElems() == 0 && d.size == 0 {
		return nil
	}
	count := w.dst.NumElems() / d.size
	readers := make([]*view.Reader, len(w.args))
	for k, t := range w.args {
		readers[k] = t.Reader()
	}
	out := make([]float64, d.size)
	for i := range count {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		args := make([]linalg.Matrix, len(readers))
		for k, r := range readers {
			args[k] = linalg.New(w.node.args[k].rows(), w.node.args[k].columns())
			b := pieces.Bytes(args[k].Data)
			if _, err := r.ReadAt(b, int64(i)*int64(len(b))); err != nil && len(b) > 0 {
				return err
			}
		}
		if err := d.workUntil(w.ctx, args, out); err != nil {
			return fmt.Errorf("%s of matrix %d of %d: %w", d.name, i+1, count, err)
		}
		at := int64(w.dst.Offset()+i*d.size) * 8
		if _, err := w.dst.Storage().WriteAt(pieces.Bytes(out), at); err != nil {
			return err
		}
	}
	return nil
}

// longWork is the number of elements, of operands and parts, from which work on a matrix may take longer than a cancelled one should.
const longWork = 128 * 128

// workUntil works on one matrix, in memory of its own. Nothing ends LAPACK: when ctx does, the work goes on behind the caller's back, and
// what it makes is dropped.
func (d *decomposition) workUntil(ctx context.Context, args []linalg.Matrix, out []float64) error {
	elems := d.size
	for _, a := range args {
		elems += len(a.Data)
	}
	if elems < longWork {
		return d.work(args, out)
	}
	done := make(chan error, 1)
	go func() { done <- d.work(args, out) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func invWork(n int) ([]int, func([]linalg.Matrix, []float64) error) {
	return []int{n, n}, inPlace(linalg.Invert)
}

func choleskyWork(n int) ([]int, func([]linalg.Matrix, []float64) error) {
	return []int{n, n}, inPlace(linalg.Cholesky)
}

// inPlace is work whose result is where its operand was.
func inPlace(fn func(a linalg.Matrix) error) func([]linalg.Matrix, []float64) error {
	return func(args []linalg.Matrix, out []float64) error {
		err := fn(args[0])
		copy(out, args[0].Data)
		return err
	}
}

func detWork(int) ([]int, func([]linalg.Matrix, []float64) error) {
	return []int{}, func(args []linalg.Matrix, out []float64) error {
		out[0] = linalg.Determinant(args[0])
		return nil
	}
}

func eigenvaluesWork(n int) ([]int, func([]linalg.Matrix, []float64) error) {
	return []int{n}, func(args []linalg.Matrix, out []float64) error {
		values, err := linalg.Eigen(args[0], false)
		copy(out, values)
		return err
	}
}

func eighWork(args []linalg.Matrix, out []float64) error {
	values, err := linalg.Eigen(args[0], true)
	copy(out[copy(out, values):], args[0].Data)
	return err
}

func solveWork(args []linalg.Matrix, out []float64) error {
	err := linalg.Solve(args[0], args[1])
	copy(out, args[1].Data)
	return err
}

func leastSquaresWork(args []linalg.Matrix, out []float64) error {
	x, err := linalg.LeastSquares(args[0], args[1])
	copy(out, x.Data)
	return err
}

func qrWork(args []linalg.Matrix, out []float64) error {
	q, r := linalg.QR(args[0])
	copy(out[copy(out, q.Data):], r.Data)
	return nil
}

func singularValuesWork(args []linalg.Matrix, out []float64) error {
	s, err := linalg.SingularValues(args[0])
	copy(out, s)
	return err
}

func svdWork(full bool) func([]linalg.Matrix, []float64) error {
	return func(args []linalg.Matrix, out []float64) error {
		u, s, vt, err := linalg.SVD(args[0], full)
		at := copy(out, u.Data)
		at += copy(out[at:], s)
		copy(out[at:], vt.Data)
		return err
	}
}
