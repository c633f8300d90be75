package store

import (
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/record"
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

// Dims returns the axis names of the selected part, or nil.
func (i *Info) Dims() []string {
	if i.Copied {
		return i.AxisNames
	}
	shape, err := record.Ints(i.Record.Shape)
	if err != nil {
		return nil
	}
	return keptDims(i.Record.Dims, shape, i.Record.DType, i.Selector.Chain)
}
