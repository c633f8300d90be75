package compute

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// convert makes n elements of another type.
func convert(to, from dtype.Type, dst, src unsafe.Pointer, n int) {
	convertTo(to, from, unsafe.Slice((*byte)(dst), n*to.Size()), src, false)
}

const (
	lineBytes = 64      // what stores past the caches are aligned to
	pastBytes = 4 << 10 // that one call stores past the caches at least
)

// convertTo makes elements of another type out of those at src, past the caches where that is asked for and there is a way.
func convertTo(to, from dtype.Type, dst []byte, src unsafe.Pointer, past bool) {
	f, n := kernel.Convert(from, to), len(dst)/to.Size()
	at := unsafe.Pointer(unsafe.SliceData(dst))
	done := 0
	call := func(f kernel.Func, n int) {
		kernel.Call(f, unsafe.Add(at, done*to.Size()), unsafe.Add(src, done*from.Size()), nil, nil, nil, n)
		done += n
	}
	if g := kernel.ConvertNT(from, to); past && g != nil && len(dst) >= pastBytes {
		call(f, int(-uintptr(at)%lineBytes)/to.Size())
		f = g
	}
	for done < n {
		call(f, min(kernel.MaxCallBytes/maxAlign, n-done))
	}
}
