//go:build !race

package mmapstore

// heapStandsIn reports whether heap memory takes the place of a mapping, as in race builds.
func heapStandsIn(int64) bool { return false }
