package compute

import (
	"context"

	"github.com/tstore/tstore/compute/internal/fewmap"
	"github.com/tstore/tstore/view"
)

// A builder makes the nodes of one program. Equal nodes are one, views are pushed down to tensors, and the program owns
// the tensors that it reads or that are made on the way.
type builder struct {
	ctx   context.Context
	opts  limits
	eager func(context.Context, *node) (*view.Tensor, error)
	names names
	out   *bound

	spare   []node // allocated and not yet used
	nodes   fewmap.Map[nodeKey, *node]
	viewed  map[viewKey]*node
	numbers int // of nodes made

	tensors map[*view.Tensor]*view.Tensor // own references
	writes  []overwrite                   // by statements so far
}

// Names find the tensors that are named between the brackets of a view.
type names interface {
	lookupTensor(name string) (*view.Tensor, error)
}

// An overwrite is the destination of a statement that writes in place. Statements are counted from 1.
type overwrite struct {
	statement int
	dst       *view.Tensor
}

// begin starts a program. What has to be known of elements before shapes are, as the number of true ones in a mask, is
// computed by eager, which returns a packed tensor that the program then owns.
func (b *builder) begin(ctx context.Context, l limits, eager func(context.Context, *node) (*view.Tensor, error), names names) {
	b.ctx, b.opts, b.eager, b.names, b.out = ctx, l, eager, names, &bound{}
	if b.viewed == nil {
		b.viewed, b.tensors = map[viewKey]*node{}, map[*view.Tensor]*view.Tensor{}
	}
}

// reset empties a builder for the next program. It keeps its maps.
func (b *builder) reset() {
	b.nodes.Clear()
	clear(b.viewed)
	clear(b.tensors)
	*b = builder{nodes: b.nodes, viewed: b.viewed, tensors: b.tensors}
}

// program returns what has been built.
func (b *builder) program() *bound { return b.out }

// context ends what is computed while the program is built.
func (b *builder) context() context.Context { return b.ctx }

// limits returns what the program may take.
func (b *builder) limits() *limits { return &b.opts }

// numNodes returns the number of nodes made so far.
func (b *builder) numNodes() int { return b.numbers }

// addStatement adds the next statement of the program.
func (b *builder) addStatement(st boundStatement) {
	b.out.stmts = append(b.out.stmts, st)
	if st.dst != nil {
		b.writes = append(b.writes, overwrite{len(b.out.stmts), st.dst})
	}
}

// spareNodes is the number of nodes that are allocated together: those of a short expression. They are used, and given up,
// together.
const spareNodes = 8

// room returns a node that is set to n.
func (b *builder) room(n node) *node {
	if len(b.spare) == 0 {
		b.spare = make([]node, spareNodes)
	}
	made := &b.spare[0]
	b.spare = b.spare[1:]
	*made = n
	return made
}
