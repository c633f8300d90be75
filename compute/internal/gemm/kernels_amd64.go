//go:build amd64 && !noasm

package gemm

import (
	"golang.org/x/sys/cpu"

	"github.com/tstore/tstore/dtype"
)

// variants holds the sets of kernels that this CPU has, by the type that they compute with, the
// fastest first.
var variants = variantsFor(cpu.X86.HasAVX2 && cpu.X86.HasFMA, cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ)

var avx2 = map[dtype.Type]micro{
	dtype.Float32: {microFloat32AVX2, 6, 16, 30_000_000},
	dtype.Float64: {microFloat64AVX2, 6, 8, 15_000_000},
	dtype.Int32:   {microInt32AVX2, 6, 16, 12_000_000},
}

var avx512 = map[dtype.Type]micro{
	dtype.Float32: {microFloat32AVX512, 12, 32, 50_000_000},
	dtype.Float64: {microFloat64AVX512, 12, 16, 25_000_000},
	dtype.Int32:   {microInt32AVX512, 12, 32, 20_000_000},
	dtype.Int64:   {microInt64AVX512, 12, 16, 8_000_000},
}

// variantsFor returns the sets of a CPU that has some instruction sets.
func variantsFor(hasAVX2, hasAVX512 bool) []map[dtype.Type]micro {
	all := []map[dtype.Type]micro{portable}
	if hasAVX2 {
		all = append([]map[dtype.Type]micro{avx2}, all...)
	}
	if hasAVX2 && hasAVX512 {
		all = append([]map[dtype.Type]micro{avx512}, all...)
	}
	return all
}
