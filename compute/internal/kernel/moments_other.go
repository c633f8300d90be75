//go:build !amd64 || noasm

package kernel

var joinsAVX2, joinsAVX512 [2]Join
