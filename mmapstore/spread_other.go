//go:build !linux

package mmapstore

import mmap "github.com/edsrzf/mmap-go"

// mapSpread leaves it to the system where to map.
func mapSpread(mapRegion func() (mmap.MMap, error)) (mmap.MMap, error) { return mapRegion() }

func leaveSlot(mmap.MMap) {}
