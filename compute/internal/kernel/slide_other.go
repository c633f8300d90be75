//go:build !amd64 || noasm

package kernel

var slidesAVX512 [numSlideOps][numTypes]Slide
