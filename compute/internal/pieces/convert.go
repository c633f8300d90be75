package pieces

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// Convert makes n elements of another type.
func Convert(to, from dtype.Type, dst, src unsafe.Pointer, n int) {
	f := kernel.Convert(from, to)
	for done := 0; done < n; {
		count := min(kernel.MaxCallBytes/MaxAlign, n-done)
		kernel.Call(f, unsafe.Add(dst, done*to.Size()), unsafe.Add(src, done*from.Size()), nil, nil, count)
		done += count
	}
}

// MakeBools makes 1 of any byte but 0, as Go expects of bools. dst may be src.
func MakeBools(dst, src []byte) {
	for i, v := range src {
		dst[i] = (v | -v) >> 7
	}
}
