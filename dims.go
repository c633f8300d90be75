package tstore

import (
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// keptDims returns the axis names that a tensor still has after a chain of operations.
func keptDims(dims []string, shape []int, t dtype.Type, chain view.Chain) []string {
	if len(dims) == 0 || len(chain) == 0 {
		return dims
	}
	axes, ok := chain.Axes(shape, t)
	if !ok {
		return nil
	}
	return compute.KeptDims(dims, axes)
}
