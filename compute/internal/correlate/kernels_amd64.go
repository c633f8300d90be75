//go:build amd64 && !noasm

package correlate

import (
	"golang.org/x/sys/cpu"

	"github.com/tstore/tstore/dtype"
)

// variants holds the sets of kernels that this CPU has, by the type that they compute in, the
// fastest first.
var variants = variantsFor(cpu.X86.HasAVX2 && cpu.X86.HasFMA, cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ)

var avx2 = map[dtype.Type]sumsFunc{
	dtype.Float64: sumsFloat64AVX2,
	dtype.Int32:   sumsInt32AVX2,
}

var avx512 = map[dtype.Type]sumsFunc{
	dtype.Float64: sumsFloat64AVX512,
	dtype.Int32:   sumsInt32AVX512,
	dtype.Int64:   sumsInt64AVX512,
}

// variantsFor returns the sets of a CPU that has some instruction sets.
func variantsFor(hasAVX2, hasAVX512 bool) []map[dtype.Type]sumsFunc {
	all := []map[dtype.Type]sumsFunc{portable}
	if hasAVX2 {
		all = append([]map[dtype.Type]sumsFunc{avx2}, all...)
	}
	if hasAVX2 && hasAVX512 {
		all = append([]map[dtype.Type]sumsFunc{avx512}, all...)
	}
	return all
}
