package pass

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

// A Worker is a bulk that is computed outside of this package, or that counts elements.
type Worker interface {
	graph.Bulk
	// Run stores the result of the node of w.
	Run(w *Work) error
}

// Work is one run of a pass that computes a node as a whole.
type Work struct {
	*run
	of   *passRun
	Node *graph.Node
	Args []*view.Tensor // the elements of the operands; of bulks
	Dst  *view.Tensor   // packed; of bulks
}

// whole computes a node as a whole and keeps the result.
func (r *run) whole(pr *passRun) error {
	w := &Work{run: r, of: pr, Node: pr.keeps[0]}
	if w.Node.Kind != graph.NodeBulk {
		return w.Node.Bulk.(Worker).Run(w)
	}

	// The operands are there: earlier passes have kept those that are no tensors.
	for _, a := range w.Node.Args {
		t := r.memoryOf(a)
		if t == nil {
			return fmt.Errorf("BUG: compute: an operand of %v that no pass has kept", w.Node.Bulk)
		}
		w.Args = append(w.Args, t)
	}
	var err error
	if w.Dst, err = r.keep(w.Node); err != nil {
		return err
	}

	// As many workers as the memory limit has room for.
	r.few = r.plan.opts.WorkersFor(w.Node)
	defer func() { r.few = 0 }()
	switch k := w.Node.Bulk.(type) {
	case *graph.Relocating:
		return w.relocate(k)
	default:
		return k.(Worker).Run(w)
	}
}

// Limits returns what the work may take.
func (w *Work) Limits() *graph.Limits { return &w.plan.opts.Limits }

// Context ends the work.
func (w *Work) Context() context.Context { return w.ctx }

// IsFed reports whether the elements of the operand are computed as they are worked on, and are not
// in memory.
func (w *Work) IsFed() bool { return w.of.program != nil }

// Operand returns the elements of an operand that are in memory.
func (w *Work) Operand(i int) *view.Tensor { return w.memoryOf(w.Node.Args[i]) }

// Result makes room for the result.
func (w *Work) Result() (*view.Tensor, error) { return w.keep(w.Node) }

// Restart begins to count chunks for the progress anew: those of the work's next phase.
func (w *Work) Restart() { w.begin(w.pass) }
