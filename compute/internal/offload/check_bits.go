package offload

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// draws reports whether the CPU is to compute a part of a job as well, which the device has
// computed: a chunk of a Loop, a box of a Reduction, or a strip of a tile of a Product.
func (e *Engine) draws() bool {
	if e.CheckShare <= 0 {
		return false
	}
	e.parts.Add(1)
	if rand.Float64() >= e.CheckShare {
		return false
	}
	e.checked.Add(1)
	return true
}

// Checked returns how many parts of its jobs the CPU has computed too, of how many.
func (e *Engine) Checked() (checked, parts int64) { return e.checked.Load(), e.parts.Load() }

// compare returns an error if elements that the device has computed differ from those of the CPU.
// where names element i of them.
func (e *Engine) compare(t dtype.Type, got, want []byte, where func(i int) string) error {
	if bytes.Equal(got, want) {
		return nil
	}
	for at := 0; at < len(got); at += t.Size() {
		if g, w := got[at:][:t.Size()], want[at:][:t.Size()]; !SameElement(t, g, w) {
			return fmt.Errorf("%w: %s is %v on %v and %v on the CPU: the device, its driver or tstore is broken",
				ErrMismatch, where(at/t.Size()), dtype.Load(t, g), e.Place(), dtype.Load(t, w))
		}
	}
	return nil
}

// SameElement reports whether two elements have the same bits, but for those of NaNs.
func SameElement(t dtype.Type, a, b []byte) bool {
	part := t.Part()
	for at := 0; at < t.Size(); at += part.Size() {
		x, y := a[at:][:part.Size()], b[at:][:part.Size()]
		if !bytes.Equal(x, y) && !(math.IsNaN(dtype.Load(part, x).Float64()) && math.IsNaN(dtype.Load(part, y).Float64())) {
			return false
		}
	}
	return true
}

// aligned returns n bytes that are aligned to elements of all types.
func aligned(n int) []byte {
	words := make([]uint64, n/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}
