//go:build amd64 && !noasm

package kernel

import "github.com/tstore/tstore/dtype"

var slidesAVX2 = slides{
	width: 32, vectors: 1,
	along: [numSlideOps][numTypes]Slide{
		SlideSum: {dtype.Float32: slideSumAlongFloat32AVX2, dtype.Float64: slideSumAlongFloat64AVX2},
		SlideMin: {dtype.Float32: slideMinAlongFloat32AVX2, dtype.Float64: slideMinAlongFloat64AVX2},
		SlideMax: {dtype.Float32: slideMaxAlongFloat32AVX2, dtype.Float64: slideMaxAlongFloat64AVX2},
	},
	across: [numSlideOps][numTypes]Slide{
		SlideSum: {dtype.Float32: slideSumAcrossFloat32AVX2, dtype.Float64: slideSumAcrossFloat64AVX2},
		SlideMin: {dtype.Float32: slideMinAcrossFloat32AVX2, dtype.Float64: slideMinAcrossFloat64AVX2},
		SlideMax: {dtype.Float32: slideMaxAcrossFloat32AVX2, dtype.Float64: slideMaxAcrossFloat64AVX2},
	},
}

var slidesAVX512 = slides{
	width: 64, vectors: 2,
	along: [numSlideOps][numTypes]Slide{
		SlideSum: {dtype.Float32: slideSumAlongFloat32AVX512, dtype.Float64: slideSumAlongFloat64AVX512},
		SlideMin: {dtype.Float32: slideMinAlongFloat32AVX512, dtype.Float64: slideMinAlongFloat64AVX512},
		SlideMax: {dtype.Float32: slideMaxAlongFloat32AVX512, dtype.Float64: slideMaxAlongFloat64AVX512},
	},
	across: [numSlideOps][numTypes]Slide{
		SlideSum: {dtype.Float32: slideSumAcrossFloat32AVX512, dtype.Float64: slideSumAcrossFloat64AVX512},
		SlideMin: {dtype.Float32: slideMinAcrossFloat32AVX512, dtype.Float64: slideMinAcrossFloat64AVX512},
		SlideMax: {dtype.Float32: slideMaxAcrossFloat32AVX512, dtype.Float64: slideMaxAcrossFloat64AVX512},
	},
}
