//go:build cuda && fakecuda && linux

package fakedriver

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// table finds things by their handles. What is taken out is never found again.
type table[T any] struct{ things map[uintptr]*T }

// add returns a handle of a thing, which no other has had.
func (t *table[T]) add(thing *T) uintptr {
	if t.things == nil {
		t.things = map[uintptr]*T{}
	}
	h := newHandle()
	t.things[h] = thing
	return h
}

func (t *table[T]) get(h uintptr) (*T, bool) {
	thing, ok := t.things[h]
	return thing, ok
}

func (t *table[T]) remove(h uintptr) { delete(t.things, h) }

func (t *table[T]) len() int { return len(t.things) }

// handles are addresses that nobody can read, because C's types of handles are pointers and Go's
// garbage collector looks at them.
var handles struct {
	sync.Mutex
	reserved []byte
	used     int
}

const (
	handleBytes   = 16
	reservedBytes = 256 << 20 // of addresses, not of memory, at a time
)

func newHandle() uintptr {
	handles.Lock()
	defer handles.Unlock()

	// Addresses that are used up stay reserved, so that none is a handle twice.
	if handles.used == len(handles.reserved) {
		b, err := unix.Mmap(-1, 0, reservedBytes, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err != nil {
			panic("BUG: fakedriver: reserve addresses for handles: " + err.Error()) // they take no memory, and a process has 2⁴⁷ of them
		}
		handles.reserved, handles.used = b, 0
	}

	h := uintptr(unsafe.Pointer(unsafe.SliceData(handles.reserved))) + uintptr(handles.used)
	handles.used += handleBytes
	return h
}
