//go:build invariants && !linux

package mmapstore

// forbid can't replace a mapping here; it is unmapped.
func forbid([]byte) bool { return false }
