package compute

import (
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// A reduction is what a nodeReduce or nodeScan does to its operand.
type reduction struct {
	op       reduce.Op
	axes     []int // ascending, from 0; empty for a nodeReduce of a scalar
	keepDims bool
	ddof     float64
	initial  dtype.Scalar // of a product of floats or complex numbers, if it is valid: multiplied in before it is rounded
	numbers  bool         // of a var of numbers that are not NaN, which is NaN where there are no more than ddof
}
