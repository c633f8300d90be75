//go:build !amd64 || noasm

package kernel

var slidesAVX2, slidesAVX512 slides
