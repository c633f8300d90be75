package compute

import (
	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// nodeKind says where the elements of a node come from.
type nodeKind uint8

const (
	nodeTensor    nodeKind = iota // tensor
	nodeScalar                    // scalar; the shape is empty
	nodeGenerator                 // the elements of gen at the positions of layout
	nodeMap                       // op on the elements of args
	nodeCast                      // the elements of args[0], converted to dtype
	nodeReduce                    // reduce over axes of args[0], where the bools args[1] are true if there are two
	nodeScan                      // reduce.op of all elements up to each, along reduce.axes[0] of args[0]
	nodeView                      // the elements of args[0], in C order, at the positions of layout
	nodeHistogram                 // numBins counts of args[0] between args[1] and args[2], or edges; weights args[3] if there are four
	nodeBincount                  // numBins counts of the integers args[0] ≥ 0; weights args[1] if there are two
	nodeBulk                      // bulk of args as wholes
	nodeMatmul                    // products of the matrices in the last two axes of args[0] and args[1], in runs in args[2] and args[3] if there are four
)

// A node is one step of a computation whose types and shapes are known. Nodes are immutable, and a step that stands
// in several places is one node.
//
// Types: the operands of a nodeMap are of one type (but for the condition of kernel.Where, a bool), after a nodeCast
// where it takes one. That type may be float16, bfloat16 or a float8, on which the operation is meant to compute in
// float32 and to round its result.
//
// Shapes: those of the operands of a nodeMap stretch to its own by NumPy's rules of broadcasting, which do not make
// a nodeTensor hold more elements than its tensor has. A nodeMap of kernel.Copy stretches its operand and does
// nothing else. The operands of a nodeMatmul have at least two axes, those before the last two stretch, and their types
// are such that all values are values of its own. The mask of a nodeReduce stretches to the shape of args[0]; the other operands are of args[0]'s shape.
type node struct {
	kind  nodeKind
	op    kernel.Op
	args  []*node
	dtype dtype.Type
	shape []int

	tensor  *view.Tensor // borrowed from the bound program
	after   int          // of a nodeTensor: the statements before this one must have been stored when it is read
	scalar  dtype.Scalar
	gen     *Generator
	layout  view.Layout
	reduce  reduction
	numBins int
	edges   []float64 // of a nodeHistogram whose bins are not of one width
	bulk    bulk.Work

	name string // of a nodeTensor, if it has one
	id   int    // numbers nodes in an order in which operands come first
}

// A reduction is what a nodeReduce or nodeScan does to its operand.
type reduction struct {
	op       reduce.Op
	axes     []int // ascending, from 0; empty for a nodeReduce of a scalar
	keepDims bool
	ddof     float64
	initial  dtype.Scalar // of a product of floats or complex numbers, if it is valid: multiplied in before it is rounded
	numbers  bool         // of a var of numbers that are not NaN, which is NaN where there are no more than ddof
}
