//go:build !linux

package mmapstore

// preferHugePages does nothing: only Linux takes such a request.
func preferHugePages([]byte) {}
