package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setConverts sets the conversions of all pairs of types.
func setConverts(t *table) {
	for _, from := range dtype.All() {
		for _, to := range dtype.All() {
			t.setConvert(from, to, convertLoop(from, to))
		}
	}
}

// convertLoop returns dtype.Convert for one pair. It reads elements in order, some at a time,
// before it writes theirs, so that a dst of no larger elements may be the operand itself.
func convertLoop(from, to dtype.Type) Func {
	in, out := from.Size(), to.Size()
	return func(dst, a, _, _, _ unsafe.Pointer, n int) {
		dtype.Convert(unsafe.Slice((*byte)(dst), n*out), to, unsafe.Slice((*byte)(a), n*in), from)
	}
}
