package graph

import (
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// A Reduction describes what a nodeReduce or nodeScan does to its operand.
type Reduction struct {
	Op       reduce.Op
	Axes     []int // ascending, from 0; empty for a nodeReduce of a scalar
	KeepDims bool
	DDof     float64
	Initial  dtype.Scalar // of a product of floats or complex numbers, if it is valid: multiplied in before it is rounded
	Numbers  bool         // of a var of numbers that are not NaN, which is NaN where there are no more than ddof
}
