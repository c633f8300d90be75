package npy

import (
	"fmt"
	"strings"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
)

// Options are for files that do not say everything about themselves. The zero value is for those
// that do.
type Options struct {
	// DType is the type of elements whose code in the file is a void code, such as "<V2" for
	// bfloat16. A file that names another type, or whose elements have another size, is an error.
	DType dtype.Type
	// AllowTrailing accepts bytes behind the elements, which are not read. A stream is left behind
	// its last element.
	AllowTrailing bool
}

// resolve returns the type of the elements behind h.
func (o Options) resolve(h npyheader.Header) (dtype.Type, error) {
	switch {
	case h.DType.Valid() && (!o.DType.Valid() || o.DType == h.DType):
		return h.DType, nil
	case h.DType.Valid():
		return dtype.Invalid, fmt.Errorf("expected elements of %v, the file has %v", o.DType, h.DType)
	case !o.DType.Valid():
		_, _, err := dtype.ParseDescr(h.Descr)
		return dtype.Invalid, fmt.Errorf("%w: say which (--dtype, Options.DType)", err)
	case !strings.HasSuffix(h.Descr, fmt.Sprint("V", o.DType.Size())):
		return dtype.Invalid, fmt.Errorf("elements of %v have %d bytes, those of the file have the code %q", o.DType, o.DType.Size(), h.Descr)
	}
	return o.DType, nil
}
