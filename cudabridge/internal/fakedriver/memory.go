//go:build cuda && fakecuda && linux

package fakedriver

import (
	"cmp"
	"slices"

	"github.com/tstore/tstore/internal/ptxvm"
)

// grain is what an allocation takes whole ones of.
const grain = 512

// memory is that of all devices, whose addresses differ.
type memory struct {
	vm   *ptxvm.Device
	used map[int]int64 // bytes, by device
	list []*allocation // in the order of addresses
}

// allocation is a piece of memory of a device.
type allocation struct {
	*ptxvm.Buffer
	device int
	owner  *context
}

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

	b, err := m.vm.Alloc(int(n))
	if err != nil {
		return 0, outOfMemory
	}
	m.list = append(m.list, &allocation{Buffer: b, device: c.device, owner: c})
	m.used[c.device] += grains(n)
	return b.Address(), success
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
	a := m.list[i]
	a.Free()
	m.used[a.device] -= grains(int64(a.Size()))
	m.list = slices.Delete(m.list, i, i+1)
}

// search returns the index of the allocation at an address, or else of the first one behind.
func (m *memory) search(at uint64) (int, bool) {
	return slices.BinarySearchFunc(m.list, at, func(a *allocation, at uint64) int { return cmp.Compare(a.Address(), at) })
}

// around returns the allocation that holds an address.
func (m *memory) around(at uint64) (*allocation, bool) {
	i, ok := m.search(at)
	if !ok {
		i--
	}
	if i < 0 || at-m.list[i].Address() >= uint64(m.list[i].Size()) {
		return nil, false
	}
	return m.list[i], true
}

// has reports whether n bytes at an address lie within one allocation. No bytes are anywhere.
func (m *memory) has(at uint64, n int64) bool {
	if n == 0 {
		return true
	}
	a, ok := m.around(at)
	return ok && n > 0 && uint64(n) <= uint64(a.Size())-(at-a.Address())
}
