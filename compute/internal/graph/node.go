package graph

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// nodeKind says where the elements of a node come from.
type nodeKind uint8

const (
	NodeTensor    nodeKind = iota // tensor
	NodeScalar                    // scalar; the shape is empty
	NodeGenerator                 // the elements of gen at the positions of layout
	NodeMap                       // op on the elements of args
	NodeCast                      // the elements of args[0], converted to dtype
	NodeReduce                    // reduce over axes of args[0], where the bools args[1] are true if there are two
	NodeScan                      // reduce.op of all elements up to each, along reduce.axes[0] of args[0]
	NodeView                      // the elements of args[0], in C order, at the positions of layout
	NodeHistogram                 // numBins counts of args[0] between args[1] and args[2], or edges; weights args[3] if there are four
	NodeBincount                  // numBins counts of the integers args[0] ≥ 0; weights args[1] if there are two
	NodeBulk                      // bulk of args as wholes
	NodeJoin                      // the elements of args one behind the other along an axis, as joint says, at the positions of layout
	NodePick                      // the elements of args[0] that the indexes of the other args pick, as picks says
	NodeMatmul                    // products of the matrices in the last two axes of args[0] and args[1], in runs in args[2] and args[3] if there are four
)

// A Generator makes elements by their numbers.
type Generator interface {
	DType() dtype.Type
	// ReadAt makes those that a storage of them would have from byte off on.
	ReadAt(p []byte, off int64) (int, error)
}

// A Node is one step of a computation whose types and shapes are known. Nodes are immutable, and a
// step that stands in several places is one node.
//
// Types: the operands of a nodeMap are of one type (but for the condition of kernel.Where, a bool),
// after a nodeCast where it takes one. That type may be float16, bfloat16 or a float8, on which the
// operation is meant to compute in float32 and to round its result.
//
// Shapes: those of the operands of a nodeMap stretch to its own by NumPy's rules of broadcasting,
// which do not make a nodeTensor hold more elements than its tensor has. A nodeMap of kernel.Copy
// stretches its operand and does nothing else. The operands of a nodeMatmul have at least two axes,
// those before the last two stretch, and their types are such that all values are values of its
// own. The mask of a nodeReduce stretches to the shape of args[0]; the other operands are of
// args[0]'s shape.
type Node struct {
	Kind  nodeKind
	Op    kernel.Op
	Args  []*Node
	DType dtype.Type
	Shape []int

	Tensor  *view.Tensor // borrowed from the bound program
	After   int          // of a nodeTensor: the statements before this one must have been stored when it is read
	Scalar  dtype.Scalar
	Gen     Generator
	Layout  view.Layout
	Reduce  Reduction
	NumBins int
	Edges   []float64 // of a nodeHistogram whose bins are not of one width
	Bulk    Bulk
	Joint   *Joint // of a nodeJoin
	Picks   *Picks // of a nodePick

	Name string // of a nodeTensor, if it has one
	ID   int    // numbers nodes in an order in which operands come first
}
