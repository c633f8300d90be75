package window

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
)

const (
	lineBytes = 64      // what stores past the caches are aligned to
	pastBytes = 4 << 10 // that one call stores past the caches at least
)

// A sink is where the results of a Slider go: dst, past the caches if that is asked for.
type sink[T float] struct {
	dst  []T
	past bool
}

// call sets the elements of dst to f of those of a and b.
func call[T float](f kernel.Func, dst, a, b []T) { apply(f, dst, a, b, int(unsafe.Sizeof(*new(T)))) }

// callScalar is call with one b for all elements.
func callScalar[T float](f kernel.Func, dst, a []T, b T) { apply(f, dst, a, []T{b}, 0) }

// apply calls a kernel with pieces of vectors; those of b are stepB bytes apart.
func apply[T float](f kernel.Func, dst, a, b []T, stepB int) {
	size := int(unsafe.Sizeof(dst[0]))
	z, x, y := unsafe.Pointer(&dst[0]), unsafe.Pointer(&a[:len(dst)][0]), unsafe.Pointer(&b[0])
	for done := 0; done < len(dst); {
		n := min(kernel.MaxCallBytes/size, len(dst)-done)
		kernel.Call(f, unsafe.Add(z, done*size), unsafe.Add(x, done*size), unsafe.Add(y, done*stepB), nil, n)
		done += n
	}
}
