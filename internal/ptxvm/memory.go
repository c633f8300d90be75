package ptxvm

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync/atomic"
)

// A memory is bytes, and which of them were written.
type memory struct {
	data    []byte
	written bitmap
}

func newMemory(n int) memory { return memory{make([]byte, n), make(bitmap, (n+63)/64)} }

// outside says that n bytes at a place are not all in m, and "" if they are.
func (m *memory) outside(at, n int) (reason string) {
	if at < 0 || at > len(m.data) || n > len(m.data)-at {
		return fmt.Sprintf("%d bytes at byte %d of a buffer of %d", n, at, len(m.data))
	}
	return ""
}

// set copies data to bytes of m.
func (m *memory) set(at int, data []byte) {
	copy(m.data[at:], data)
	m.written.setRange(at, len(data))
}

// get copies bytes of m, which somebody must have written, to data.
func (m *memory) get(at int, data []byte) error {
	if i := m.written.firstClear(at, len(data)); i >= 0 {
		return fmt.Errorf("byte %d of a buffer of %d was never written", i, len(m.data))
	}
	copy(data, m.data[at:])
	return nil
}

// load returns the value of the n bytes at a place, 1, 2, 4 or 8.
func load(data []byte, at, n int) uint64 {
	switch n {
	case 1:
		return uint64(data[at])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data[at:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data[at:]))
	}
	return binary.LittleEndian.Uint64(data[at:])
}

// store sets n bytes, 1, 2, 4 or 8.
func store(data []byte, at, n int, v uint64) {
	switch n {
	case 1:
		data[at] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(data[at:], uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(data[at:], uint32(v))
	default:
		binary.LittleEndian.PutUint64(data[at:], v)
	}
}

// A bitmap has a bit for each byte of a memory. Threads of several launches may set bits of one
// word, so all its accesses are atomic.
type bitmap []uint64

// set sets the bits of n bytes, which are aligned: they lie in one word.
func (b bitmap) set(at, n int) {
	word, want := &b[at/64], window(at, n)
	if atomic.LoadUint64(word)&want != want {
		atomic.OrUint64(word, want)
	}
}

// has reports whether the bits of n aligned bytes are all set.
func (b bitmap) has(at, n int) bool {
	want := window(at, n)
	return atomic.LoadUint64(&b[at/64])&want == want
}

// setRange sets the bits of any n bytes.
func (b bitmap) setRange(at, n int) {
	for n > 0 {
		m := min(n, 64-at%64)
		b.set(at, m)
		at, n = at+m, n-m
	}
}

// firstClear returns the first of n bytes whose bit is not set, -1 if all are.
func (b bitmap) firstClear(at, n int) int {
	for n > 0 {
		m := min(n, 64-at%64)
		want := window(at, m)
		if missing := want &^ atomic.LoadUint64(&b[at/64]); missing != 0 {
			return at - at%64 + bits.TrailingZeros64(missing)
		}
		at, n = at+m, n-m
	}
	return -1
}

// window has the bits of up to 64 bytes in their word.
func window(at, n int) uint64 { return (1<<(n-1)<<1 - 1) << (at % 64) }
