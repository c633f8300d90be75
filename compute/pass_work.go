package compute

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/view"
)

// isWhole reports whether n is computed of elements in memory, without a program.
func isWhole(n *graph.Node) bool {
	return n.Kind == graph.NodeBulk || n.Kind == graph.NodeMatmul || isCount(n) && !isFed(n)
}

// A wholeWorker is a bulk that is computed outside of this package, or that counts elements.
type wholeWorker interface {
	graph.Bulk
	// Run stores the result of the node of w.
	Run(w *passWork) error
}

// passWork is one run of a pass that computes a node as a whole.
type passWork struct {
	*run
	of   *job
	node *graph.Node
	args []*view.Tensor // the elements of the operands; of bulks
	dst  *view.Tensor   // packed; of bulks
}

// whole computes a node as a whole and keeps the result.
func (r *run) whole(j *job) error {
	w := &passWork{run: r, of: j, node: j.keeps[0]}
	if w.node.Kind != graph.NodeBulk {
		return w.node.Bulk.(wholeWorker).Run(w)
	}

	// The operands are there: earlier passes have kept those that are no tensors.
	for _, a := range w.node.Args {
		t := r.memoryOf(a)
		if t == nil {
			return fmt.Errorf("BUG: compute: an operand of %v that no pass has kept", w.node.Bulk)
		}
		w.args = append(w.args, t)
	}
	var err error
	if w.dst, err = r.keep(w.node); err != nil {
		return err
	}

	// As many workers as the memory limit has room for.
	r.few = r.plan.opts.WorkersFor(w.node)
	defer func() { r.few = 0 }()
	switch k := w.node.Bulk.(type) {
	case *graph.Relocating:
		return w.relocate(k)
	case *graph.Picking:
		return w.pick(k)
	default:
		return k.(wholeWorker).Run(w)
	}
}

// limits returns what the work may take.
func (w *passWork) limits() *graph.Limits { return &w.plan.opts.Limits }

// context ends the work.
func (w *passWork) context() context.Context { return w.ctx }

// isFed reports whether the elements of the operand are computed as they are worked on, and are not in memory.
func (w *passWork) isFed() bool { return w.of.program != nil }

// operand returns the elements of an operand that are in memory.
func (w *passWork) operand(i int) *view.Tensor { return w.memoryOf(w.node.Args[i]) }

// result makes room for the result.
func (w *passWork) result() (*view.Tensor, error) { return w.keep(w.node) }

// restart begins to count chunks for the progress anew: those of the work's next phase.
func (w *passWork) restart() { w.begin(w.pass) }
