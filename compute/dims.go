package compute

import "github.com/tstore/tstore/compute/internal/bind"

// KeptDims returns the axis names that remain of those of an array after a chain of views. axes is
// what view.Chain.Axes returns for the chain. An axis that is a part of one axis keeps its name.
// All others have no name, which is "". If an axis was cut in two, its name could belong to either
// part, and all names are dropped.
func KeptDims(dims []string, axes []int) []string { return bind.KeptDims(dims, axes) }
