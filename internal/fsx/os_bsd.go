//go:build !linux && !darwin && !windows

package fsx

func fallocate(int, int64, int64) error { return ErrFallocateUnsupported }
