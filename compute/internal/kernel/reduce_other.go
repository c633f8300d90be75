//go:build !amd64 || noasm

package kernel

var foldsAVX2, foldsAVX512 []assembledFold
