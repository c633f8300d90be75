//go:build !amd64 || noasm

package transpose

// kernels holds the machine code for each element size (1, 2, 4, 8, 16), which this build has none
// of.
var kernels [5][]kernel
