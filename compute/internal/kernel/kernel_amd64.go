//go:build amd64 && !noasm

package kernel

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether the CPU and the system have what the kernels called AVX2 use.
func hasAVX2() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 }

// hasAVX512 reports whether the CPU and the system have what the kernels called AVX-512 use.
func hasAVX512() bool {
	x := &cpu.X86
	return hasAVX2() && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512CD
}

// registerAVX2 adds the kernels for AVX2.
func registerAVX2(t *table) {
	registerMathAVX2(t)
}

// registerAVX512 adds the kernels for AVX-512.
func registerAVX512(t *table) {
	registerMathAVX512(t)
}
