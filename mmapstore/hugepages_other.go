//go:build !linux

package mmapstore

// preferHugePages has nobody to ask here.
func preferHugePages([]byte) {}
