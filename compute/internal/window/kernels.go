package window

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A function is a kernel of two operands, and one that stores past the caches, if there is one.
type function struct{ plain, past kernel.Func }

func newFunction(op kernel.Op, t dtype.Type, form kernel.Form) function {
	return function{kernel.Lookup(op, t, form), kernel.LookupNT(op, t, form)}
}

const (
	lineBytes = 64      // what stores past the caches are aligned to
	pastBytes = 4 << 10 // that one call stores past the caches at least
)

// A sink is where results go: dst, past the caches if that is asked for.
type sink[T float] struct {
	dst  []T
	past bool
}

// call sets the elements of out to f of those of a and b.
func call[T float](f function, out sink[T], a, b []T) {
	apply(f, out, a, b, int(unsafe.Sizeof(*new(T))))
}

// callScalar is call with one b for all elements.
func callScalar[T float](f function, out sink[T], a []T, b T) { apply(f, out, a, []T{b}, 0) }

// apply calls a kernel with pieces of vectors; those of b are stepB bytes apart.
func apply[T float](f function, out sink[T], a, b []T, stepB int) {
	size := int(unsafe.Sizeof(out.dst[0]))
	dst, x, y := unsafe.Pointer(&out.dst[0]), unsafe.Pointer(&a[:len(out.dst)][0]), unsafe.Pointer(&b[0])
	done, best := 0, f.plain
	piece := func(f kernel.Func, n int) {
		kernel.Call(f, unsafe.Add(dst, done*size), unsafe.Add(x, done*size), unsafe.Add(y, done*stepB), nil, nil, n)
		done += n
	}
	if out.past && f.past != nil && len(out.dst)*size >= pastBytes {
		piece(f.plain, int(-uintptr(dst)%lineBytes)/size)
		best = f.past
	}
	for done < len(out.dst) {
		piece(best, min(kernel.MaxCallBytes/size, len(out.dst)-done))
	}
}
