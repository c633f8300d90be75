//go:build amd64 && !noasm

package kernel

import "github.com/tstore/tstore/dtype"

// slidesAVX512 holds the Slides, which are written for AVX-512 alone.
var slidesAVX512 = [numSlideOps][numTypes]Slide{
	SlideSum: {dtype.Float32: slideSumFloat32AVX512, dtype.Float64: slideSumFloat64AVX512},
	SlideMin: {dtype.Float32: slideMinFloat32AVX512, dtype.Float64: slideMinFloat64AVX512},
	SlideMax: {dtype.Float32: slideMaxFloat32AVX512, dtype.Float64: slideMaxFloat64AVX512},
}
