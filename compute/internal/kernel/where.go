package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setWhere sets Where for elements of W's size. As whole words they are chosen without a branch.
func setWhere[W any](t *table, typ dtype.Type) { t.set3(Where, typ, where[W]) }

func where[W any](dst, a, b, c unsafe.Pointer, n, sb, sc int) {
	each3(dst, a, b, c, n, sb, sc, func(x uint8, y, z W) W {
		if x != 0 {
			return y
		}
		return z
	})
}
