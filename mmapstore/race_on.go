//go:build race

package mmapstore

// raceHeapBytes bounds the storages that are kept on the heap.
const raceHeapBytes = 256 << 20

// heapStandsIn reports whether heap memory takes the place of a mapping of size bytes: the race
// detector sees the heap only. Large mappings stay mappings, since the heap has no room for them.
func heapStandsIn(size int64) bool { return size <= raceHeapBytes }
