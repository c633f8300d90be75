//go:build cuda && fakecuda && linux

package fakedriver

import (
	"cmp"
	"slices"
)

// Device addresses begin at firstAddress, which is no address of the process. An allocation takes
// whole grains, and at least a grain behind it belongs to nobody.
const (
	firstAddress = 0x7_0000_0000_0000
	grain        = 512
	garbage      = 0xa5
)

// memory is that of all devices, whose addresses differ.
type memory struct {
	next uint64
	used map[int]int64 // bytes, by device
	list []*allocation // in the order of addresses
}

// allocation is a piece of memory of a device.
type allocation struct {
	at     uint64
	bytes  []byte
	device int
	owner  *context
}

func newMemory() memory { return memory{next: firstAddress, used: map[int]int64{}} }

// grains returns how many bytes an allocation takes of its device.
func grains(n int64) int64 { return (n + grain - 1) / grain * grain }

// allocate takes n bytes of the context's device, of which limit are there.
func (m *memory) allocate(c *context, n, limit int64) (uint64, code) {
	if n <= 0 {
		return 0, invalidValue
	}
	if n > limit-m.used[c.device] || grains(n) > limit-m.used[c.device] {
		return 0, outOfMemory
	}

	a := &allocation{at: m.next, bytes: make([]byte, n), device: c.device, owner: c}
	for i := range a.bytes {
		a.bytes[i] = garbage
	}
	m.list = append(m.list, a)
	m.used[c.device] += grains(n)
	m.next += uint64(grains(n)) + grain
	return a.at, success
}

// free gives an allocation back by its first address.
func (m *memory) free(at uint64) code {
	i, ok := m.search(at)
	if !ok {
		return invalidValue
	}
	m.removeAt(i)
	return success
}

// freeOf frees all that belongs to a context.
func (m *memory) freeOf(c *context) {
	for i := len(m.list) - 1; i >= 0; i-- {
		if m.list[i].owner == c {
			m.removeAt(i)
		}
	}
}

func (m *memory) removeAt(i int) {
	m.used[m.list[i].device] -= grains(int64(len(m.list[i].bytes)))
	m.list = slices.Delete(m.list, i, i+1)
}

// search returns the index of the allocation at an address, or else of the first one behind.
func (m *memory) search(at uint64) (int, bool) {
	return slices.BinarySearchFunc(m.list, at, func(a *allocation, at uint64) int { return cmp.Compare(a.at, at) })
}

// around returns the allocation that holds an address.
func (m *memory) around(at uint64) (*allocation, bool) {
	i, ok := m.search(at)
	if !ok {
		i--
	}
	if i < 0 || at-m.list[i].at >= uint64(len(m.list[i].bytes)) {
		return nil, false
	}
	return m.list[i], true
}

// bytesAt returns n bytes of the device, if they lie within one allocation. No bytes are anywhere.
func (m *memory) bytesAt(at uint64, n int64) ([]byte, bool) {
	if n == 0 {
		return nil, true
	}
	a, ok := m.around(at)
	if !ok || n < 0 || uint64(n) > uint64(len(a.bytes))-(at-a.at) {
		return nil, false
	}
	return a.bytes[at-a.at:][:n], true
}
