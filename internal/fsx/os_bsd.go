//go:build !linux && !darwin && !windows

package fsx

import "syscall"

// searchFolder opens a folder to look for names in it.
const searchFolder = syscall.O_RDONLY

func fallocate(int, int64, int64) error { return ErrFallocateUnsupported }
