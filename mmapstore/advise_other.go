//go:build !linux

package mmapstore

// adviseFile has no advice to give here.
func adviseFile(*dataFile, *memory, int64, int64, Advice) error { return nil }

// adviseMemory has no advice to give here.
func adviseMemory(*memory, int64, int64, Advice) error { return nil }
