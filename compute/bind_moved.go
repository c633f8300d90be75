package compute

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// moved returns what a step makes of n that moves elements from layouts to layouts. The error wraps view.ErrNeedsCopy for
// other steps.
func (b *builder) moved(n *node, step view.Chain) (*node, error) {
	if len(step) != 1 {
		return nil, fmt.Errorf("%d steps: %w", len(step), view.ErrNeedsCopy)
	}
	shape, moves, err := step[0].Moves(whole(n.shape))
	if err != nil {
		return nil, err
	}
	if numElems(shape) > maxBytes/n.dtype.Size() {
		return nil, fmt.Errorf("shape %s of %s is more than can be addressed", formatShape(shape), n.dtype)
	}
	if len(moves) == 1 {
		return b.movedWhole(n, step, shape)
	}
	return b.movedParts(n, step[0], shape)
}

// movedWhole returns what a step makes of n by one move: the elements as the move sees them, one after the other in a shape.
// What has to be computed is computed once, however often its elements come.
func (b *builder) movedWhole(n *node, step view.Chain, shape []int) (*node, error) {
	if n.isComputed() && numElems(shape) > numElems(n.shape) {
		n = b.viewOf(n, whole(n.shape))
	}
	see := func(l view.Layout, _ dtype.Type) (view.Layout, error) {
		_, moves, err := step[0].Moves(l)
		if err != nil {
			return view.Layout{}, err
		}
		return moves[0].From, nil
	}
	seen, err := see(whole(n.shape), n.dtype)
	if err != nil {
		return nil, err
	}
	shown, err := b.pushed(n, &pushing{see: see, text: step.String(), from: n.shape})
	if err != nil {
		return nil, err
	}
	return b.viewOf(b.stretch(shown, seen.Shape()), whole(shape)), nil
}

// isComputed reports whether the elements of n are computed where they are asked for.
func (n *node) isComputed() bool {
	for n.isStretch() {
		n = n.args[0]
	}
	return n.kind == nodeMap || n.kind == nodeCast
}

// movedParts returns what a step makes of n by several moves.
func (b *builder) movedParts(n *node, step view.Step, shape []int) (*node, error) {
	if n.kind == nodeTensor {
		if _, _, err := step.Moves(n.tensor.Layout()); err != nil {
			n = b.mapNode(kernel.Copy, []*node{n}, n.shape) // which is kept packed
		}
	}
	return b.bulkNode(node{bulk: &relocating{step}, args: []*node{n}, dtype: n.dtype, shape: shape}), nil
}
