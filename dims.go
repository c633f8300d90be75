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

// dims returns the axis names of a name in an evaluation.
func (ev *evaluation) dims(name string) []string {
	if m := ev.made[name]; m != nil && (m.spec.Dims != nil || m.old == nil) {
		return m.spec.Dims
	}
	if e := ev.old(name); e != nil {
		return e.Record.Dims
	}
	return nil
}
