package gemm

import "flag"

// Long runs the sweeps of these tests whole, as make sweeps does. Without it they take steps.
var Long = flag.Bool("long", false, "run the sweeps whole, not in steps")

// NumVariants is the number of sets of kernels that this machine has; the last one is in Go.
func NumVariants() int { return len(variants) }

// NewVariant is New with one of the sets of kernels.
func NewVariant(variant int, s Spec) Job { return newJob(s, variants[variant]) }

// TiledVariant is NewVariant for large matrices, whatever their size.
func TiledVariant(variant int, s Spec) Job { return newTiled(newProduct(s, variants[variant])) }

// FMA32 is fma32.
func FMA32(x, y, z float64) float64 { return fma32(x, y, z) }
