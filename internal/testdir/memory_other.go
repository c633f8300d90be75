//go:build !linux

package testdir

func freeInMemory() int64 { return 0 }
