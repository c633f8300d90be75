package pass

import (
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/mmapstore"
)

// runFile is where an operand of a product lies in runs of k, in a file.
type runFile struct {
	storage *mmapstore.Storage // nil if there is none
	start   int64              // byte of the storage where it begins
	rows    int                // of A, or columns of B
	whole   int                // the steps along k that it has
}

// addRuns has the whole runs of an operand packed from where they have been kept.
func (r *run) addRuns(m *Memory, n *graph.Node, operand int, to *gemm.Operand, f *matrixFile) error {
	runs := n.Runs(operand)
	if runs == nil {
		return nil
	}
	t := r.plan.kept[runs]
	o, err := m.tensor(t, t.Layout())
	if err != nil {
		return err
	}
	to.Runs = o.Base
	if f != nil && t.Storage().FileBacked() {
		f.runs = runFile{t.Storage(), int64(t.Offset()) * int64(t.DType().Size()), runs.Shape[1], runs.Shape[0] * runs.Shape[2]}
	}
	return nil
}

// eachRun gives advice on the whole runs of some rows in a range of k, and returns the step behind
// the last one.
func (f *matrixFile) eachRun(first, rows, from, until, long int, a mmapstore.Advice) int {
	size := f.Type.Size()
	for ; f.runs.storage != nil && from < min(until, f.runs.whole); from += long {
		at := f.runs.start + int64((from/long*f.runs.rows+first)*long*size)
		_ = f.runs.storage.Advise(at, int64(rows*long*size), a) // whoever touches the bytes meets errors again
	}
	return from
}
