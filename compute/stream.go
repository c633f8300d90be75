package compute

import (
	"context"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A Stream computes the elements of an expression on demand, piece by piece, in memory for a piece.
// Results that the expression needs as a whole, such as sums over axes, are computed with the first
// piece and kept until Close. A Stream belongs to one goroutine at a time.
type Stream struct {
	plan  *Plan
	parts pass.Parts
}

// NewStream binds an expression as [NewPlan] does. The work that Blocks and Part do ends with ctx.
// The stream must be closed; the tensors that env finds must stay open until then.
func NewStream(ctx context.Context, e Expr, env Env, o *Options) (*Stream, error) {
	p, err := newPlan(ctx, []Statement{{Expr: e}}, env, o, true)
	if err != nil {
		return nil, err
	}
	return &Stream{plan: p, parts: pass.NewParts(ctx, &p.passes)}, nil
}

// DType returns the type of the elements.
func (s *Stream) DType() dtype.Type { return s.plan.outputs[0].DType }

// Shape returns the number of elements along each axis.
func (s *Stream) Shape() []int { return slices.Clone(s.plan.outputs[0].Shape) }

// Dims returns the names of the axes, as in [Output].
func (s *Stream) Dims() []string { return s.plan.outputs[0].Dims }

// NumElems returns the number of elements.
func (s *Stream) NumElems() int { return graph.NumElems(s.plan.outputs[0].Shape) }

// Close gives back what has been kept. Closing again does nothing.
func (s *Stream) Close() error { return s.plan.Close() }

// Part computes the elements that ix picks, and stores them in dst, which has the shape that this
// gives, the type of the elements, and shares none with the tensors that are read. After an error
// dst holds anything.
func (s *Stream) Part(ix view.Index, dst *view.Tensor) error { return s.parts.Part(ix, dst) }

// Blocks calls fn with all elements, as [Elements] says. Options.Progress is told how far it is.
func (s *Stream) Blocks(maxBytes int, fn func(b []byte) error) error {
	return s.parts.Blocks(maxBytes, fn)
}
