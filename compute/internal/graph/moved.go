package graph

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// moved returns what a step makes of n that moves elements from layouts to layouts. The error wraps
// view.ErrNeedsCopy for other steps.
func (b *Builder) moved(n *Node, step view.Chain) (*Node, error) {
	if len(step) != 1 {
		return nil, fmt.Errorf("%d steps: %w", len(step), view.ErrNeedsCopy)
	}
	shape, moves, err := step[0].Moves(Whole(n.Shape))
	if err != nil {
		return nil, err
	}
	if err := checkBytes(shape, n.DType); err != nil {
		return nil, err
	}
	if len(moves) == 1 {
		return b.movedWhole(n, step, shape)
	}
	return b.movedParts(n, step[0], shape)
}

// movedWhole returns what a step makes of n by one move: the elements as the move sees them, one
// after the other in a shape. Elements that must be computed are computed once, however often they
// occur in the result.
func (b *Builder) movedWhole(n *Node, step view.Chain, shape []int) (*Node, error) {
	if n.isComputed() && NumElems(shape) > NumElems(n.Shape) {
		n = b.ViewOf(n, Whole(n.Shape))
	}

	// The move is a view, which is pushed down like others.
	see := func(l view.Layout, _ dtype.Type) (view.Layout, error) {
		_, moves, err := step[0].Moves(l)
		if err != nil {
			return view.Layout{}, err
		}
		return moves[0].From, nil
	}
	seen, err := see(Whole(n.Shape), n.DType)
	if err != nil {
		return nil, err
	}

	// The elements follow one another in the new shape.
	shown, err := b.pushed(n, &pushing{see: see, text: step.String(), from: n.Shape})
	if err != nil {
		return nil, err
	}
	return b.ViewOf(b.Stretch(shown, seen.Shape()), Whole(shape)), nil
}

// isComputed reports whether the elements of n are computed where they are asked for.
func (n *Node) isComputed() bool {
	for n.isStretch() {
		n = n.Args[0]
	}
	return n.Kind == NodeMap || n.Kind == NodeCast
}

// movedParts returns what a step makes of n by several moves.
func (b *Builder) movedParts(n *Node, step view.Step, shape []int) (*Node, error) {
	if n.Kind == NodeTensor {
		if _, _, err := step.Moves(n.Tensor.Layout()); err != nil {
			n = b.MapNode(kernel.Copy, []*Node{n}, n.Shape) // which is kept packed
		}
	}
	return b.BulkNode(Node{Bulk: &Relocating{step}, Args: []*Node{n}, DType: n.DType, Shape: shape}), nil
}
