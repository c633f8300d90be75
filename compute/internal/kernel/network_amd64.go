//go:build amd64 && !noasm

package kernel

var (
	networksAVX2   = networks{32, [2]Func{network32AVX2, nil}}
	networksAVX512 = networks{64, [2]Func{network32AVX512, network64AVX512}}
)
