//go:build !linux

package fsx

func startWriteback(int, int64, int64) error { return nil }
func waitWriteback(int, int64, int64) error  { return nil }
func dropCache(int, int64, int64)            {}
func adviseSequential(int)                   {}
func cloneFile(int, uintptr) error           { return ErrCloneUnsupported }

func copyFileRange(int, int64, uintptr, int64, int64) (int64, error) { return 0, ErrCloneUnsupported }
