//go:build cuda && linux

package driver

/*
#cgo LDFLAGS: -ldl
#include "slots.h"
*/
import "C"

import (
	"fmt"
	"sync"
)

// Load loads the driver and initialises it, once a process. Its error is ErrMissing, or an *Error.
var Load = sync.OnceValue(load)

func load() error {
	var why [512]C.char
	code := C.tstore_driver_load(&why[0], C.size_t(len(why)))
	words := C.GoString(&why[0])
	switch code {
	case 0:
		return nil
	case C.LIBRARY_MISSING:
		return fmt.Errorf("%w: %s", ErrMissing, words)
	}
	return &Error{Code: int(code), Words: words}
}
