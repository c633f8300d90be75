package linalg

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/view"
)

// A Decomposition is work on each matrix of a batch, in memory. It is bulk.Work whose operands are
// float64, with the rows and columns of matrices as their last two axes; its result has one axis in
// their place, with all parts one after the other.
type Decomposition struct {
	Name  string
	Parts [][]int // shapes of what is made of a matrix
	Size  int     // elements of all parts
	Work  Work
}

// Work makes the parts of a matrix, in out, of the operands, which it may overwrite.
type Work func(args []Matrix, out []float64) error

// String implements bulk.Work.
func (d *Decomposition) String() string { return d.Name + fmt.Sprint(d.Parts) }

// Memory implements bulk.Work: copies of the operands, the result and what LAPACK needs, of one
// matrix.
func (d *Decomposition) Memory(args []bulk.Array, _ bulk.Room) int64 {
	elems := int64(d.Size)
	for _, a := range args {
		rows, columns := matrixOf(a.Shape)
		elems += int64(rows) * int64(columns)
	}
	return 2 * 8 * elems
}

func matrixOf(shape []int) (rows, columns int) { return shape[len(shape)-2], shape[len(shape)-1] }

// Run implements bulk.Work.
func (d *Decomposition) Run(r *bulk.Run) error {
	if r.Dst.NumElems() == 0 && d.Size == 0 {
		return nil
	}
	count := r.Dst.NumElems() / d.Size
	readers := make([]*view.Reader, len(r.Args))
	for k, t := range r.Args {
		readers[k] = t.Reader()
	}
	out := make([]float64, d.Size)
	for i := range count {
		if err := r.Context.Err(); err != nil {
			return err
		}

		// Work has copies of the operands: it overwrites them, and may go on when this has
		// returned.
		args := make([]Matrix, len(readers))
		for k, from := range readers {
			args[k] = New(matrixOf(r.Args[k].Shape()))
			b := pieces.Bytes(args[k].Data)
			if _, err := from.ReadAt(b, int64(i)*int64(len(b))); err != nil && len(b) > 0 {
				return err
			}
		}
		if err := d.workUntil(r.Context, args, out); err != nil {
			return fmt.Errorf("%s of matrix %d of %d: %w", d.Name, i+1, count, err)
		}
		at := int64(r.Dst.Offset()+i*d.Size) * 8
		if _, err := r.Dst.Storage().WriteAt(pieces.Bytes(out), at); err != nil {
			return err
		}
	}
	return nil
}

// longWork is the number of elements, of operands and parts, from which work on a matrix may take
// longer than a cancelled one should.
const longWork = 128 * 128

// workUntil works on one matrix, in memory of its own. LAPACK cannot be interrupted: if ctx ends,
// the work goes on in the background and its result is dropped.
func (d *Decomposition) workUntil(ctx context.Context, args []Matrix, out []float64) error {
	elems := d.Size
	for _, a := range args {
		elems += len(a.Data)
	}
	if elems < longWork {
		return d.Work(args, out)
	}
	done := make(chan error, 1)
	go func() { done <- d.Work(args, out) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
