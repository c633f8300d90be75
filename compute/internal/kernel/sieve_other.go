//go:build !amd64 || noasm

package kernel

var sievesAVX2, sievesAVX512 [numSieves]Func
