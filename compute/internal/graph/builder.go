package graph

import (
	"context"

	"github.com/tstore/tstore/compute/internal/fewmap"
	"github.com/tstore/tstore/view"
)

// A Builder makes the nodes of one program. Equal nodes are one, views are pushed down to tensors,
// and the program owns the tensors that it reads or that are made on the way.
type Builder struct {
	ctx   context.Context
	opts  Limits
	eager func(context.Context, *Node) (*view.Tensor, error)
	names names
	out   *Program

	spare   []Node // allocated and not yet used
	nodes   fewmap.Map[nodeKey, *Node]
	viewed  map[viewKey]*Node
	numbers int // of nodes made

	tensors map[*view.Tensor]*view.Tensor // own references
	writes  []overwrite                   // by statements so far
}

// Names find the tensors that are named between the brackets of a view.
type names interface {
	LookupTensor(name string) (*view.Tensor, error)
}

// An overwrite is the destination of a statement that writes in place. Statements are counted from
// 1.
type overwrite struct {
	statement int
	dst       *view.Tensor
}

// Begin starts a program. Some shapes depend on elements, such as the number of true ones in a
// mask. eager evaluates those: it returns a packed tensor, which the program then owns.
func (b *Builder) Begin(ctx context.Context, l Limits, eager func(context.Context, *Node) (*view.Tensor, error), names names) {
	b.ctx, b.opts, b.eager, b.names, b.out = ctx, l, eager, names, &Program{}
	if b.viewed == nil {
		b.viewed, b.tensors = map[viewKey]*Node{}, map[*view.Tensor]*view.Tensor{}
	}
}

// Reset empties a builder for the next program. It keeps its maps.
func (b *Builder) Reset() {
	b.nodes.Clear()
	clear(b.viewed)
	clear(b.tensors)
	*b = Builder{nodes: b.nodes, viewed: b.viewed, tensors: b.tensors}
}

// Program returns what has been built.
func (b *Builder) Program() *Program { return b.out }

// Context ends what is computed while the program is built.
func (b *Builder) Context() context.Context { return b.ctx }

// Limits returns what the program may take.
func (b *Builder) Limits() *Limits { return &b.opts }

// NumNodes returns the number of nodes made so far.
func (b *Builder) NumNodes() int { return b.numbers }

// AddStatement adds the next statement of the program.
func (b *Builder) AddStatement(st Statement) {
	b.out.Statements = append(b.out.Statements, st)
	if st.Dst != nil {
		b.writes = append(b.writes, overwrite{len(b.out.Statements), st.Dst})
	}
}

// spareNodes is the number of nodes that are allocated together: those of a short expression. They
// are used, and given up, together.
const spareNodes = 8

// room returns a node that is set to n.
func (b *Builder) room(n Node) *Node {
	if len(b.spare) == 0 {
		b.spare = make([]Node, spareNodes)
	}
	made := &b.spare[0]
	b.spare = b.spare[1:]
	*made = n
	return made
}
