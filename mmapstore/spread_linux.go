package mmapstore

import (
	"sync"
	"unsafe"

	mmap "github.com/edsrzf/mmap-go"
	"golang.org/x/sys/unix"
)

const (
	// spreadBytes is the size from which mappings are spread: smaller ones are in the caches when
	// it would matter.
	spreadBytes = 16 << 20
	// aliasBytes is the distance at which processors confuse addresses: reading two arrays in step
	// that are a multiple of it apart takes up to twice as long (measured on AMD's EPYC of the
	// fourth generation).
	aliasBytes = 256 << 20
	// slotBytes is the size of a huge page: mappings that move by it stay aligned for those.
	slotBytes = 2 << 20
	numSlots  = aliasBytes / slotBytes
	// spreadTries bounds the places that are tried.
	spreadTries = 4
)

// slots counts the large mappings that start in each slot of aliasBytes.
var slots struct {
	sync.Mutex
	used [numSlots]int
}

func slotOf(address uintptr) int { return int(address % aliasBytes / slotBytes) }

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// mapSpread calls mapRegion. If the region is large, it moves it to where no other large mapping is
// a multiple of aliasBytes away: by itself the system puts files of one size at such distances. If
// there is no such place, any will do.
func mapSpread(mapRegion func() (mmap.MMap, error)) (mmap.MMap, error) {
	b, err := mapRegion()
	if err != nil || len(b) < spreadBytes {
		return b, err
	}

	slots.Lock()
	defer slots.Unlock()

	// Unmap a badly placed region, reserve the gap above the next good address, and map again: the
	// system fills its address space from the top down. The reservations are dropped at the end.
	for range spreadTries {
		gap := freeGap(slotOf(addressOf(b)))
		if gap == 0 {
			break
		}
		top := addressOf(b) + uintptr(len(b)+slotBytes-1)/slotBytes*slotBytes
		if err := b.Unmap(); err != nil {
			return nil, err
		}
		defer reserveAt(top-uintptr(gap), gap)()
		if b, err = mapRegion(); err != nil { // below what is reserved, or in another gap between mappings
			return nil, err
		}
	}

	slots.used[slotOf(addressOf(b))]++
	return b, nil
}

// freeGap returns the distance in bytes from a slot down to the next free one: 0 if the slot itself
// is free, or if no slot is.
func freeGap(slot int) int {
	for k := range numSlots {
		if slots.used[(slot-k+numSlots)%numSlots] == 0 {
			return k * slotBytes
		}
	}
	return 0
}

// reserveAt reserves n bytes of addresses from at on, if they are free, until release is called.
func reserveAt(address uintptr, n int) (release func()) {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_FIXED_NOREPLACE | unix.MAP_NORESERVE
	at, err := unix.MmapPtr(-1, 0, unsafe.Add(nil, address), uintptr(n), unix.PROT_NONE, flags)
	if err != nil {
		return func() {}
	}
	return func() { _ = unix.MunmapPtr(at, uintptr(n)) } // of a reservation of ours: it can't fail
}

// leaveSlot frees the slot of a mapping that mapSpread has made.
func leaveSlot(b mmap.MMap) {
	if len(b) >= spreadBytes {
		slots.Lock()
		slots.used[slotOf(addressOf(b))]--
		slots.Unlock()
	}
}
