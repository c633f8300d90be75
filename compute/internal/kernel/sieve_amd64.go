//go:build amd64 && !noasm

package kernel

// sievesAVX2 holds the sieves written for AVX2.
var sievesAVX2 = [numSieves]Func{
	SieveInteger32: sieveInteger32AVX2,
	SieveInteger64: sieveInteger64AVX2,
	SieveFloat32:   sieveFloat32AVX2,
	SieveFloat64:   sieveFloat64AVX2,
}

// sievesAVX512 holds the sieves written for AVX-512.
var sievesAVX512 = [numSieves]Func{
	SieveInteger32: sieveInteger32AVX512,
	SieveInteger64: sieveInteger64AVX512,
	SieveFloat32:   sieveFloat32AVX512,
	SieveFloat64:   sieveFloat64AVX512,
}
