//go:build amd64 && !noasm

package kernel

// registerMathAVX2 adds the transcendental functions for AVX2.
func registerMathAVX2(t *table) { t.addKernels(mathKernelsAVX2) }

// registerMathAVX512 adds the transcendental functions for AVX-512.
func registerMathAVX512(t *table) { t.addKernels(mathKernelsAVX512) }
