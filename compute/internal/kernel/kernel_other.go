//go:build !amd64 || noasm

package kernel

// There are no kernels but those in Go.

func hasAVX2() bool   { return false }
func hasAVX512() bool { return false }

func registerAVX2(*table)   {}
func registerAVX512(*table) {}
