//go:build cuda && linux

package driver

/*
#include <stdlib.h>
#include "module.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"gorgonia.org/cu"
)

// logBytes is how much of what the compiler says is kept.
const logBytes = 16 << 10

// LoadModule compiles the text of PTX. A context must be current. The error is an *Error, whose words
// are those of the compiler, if it has any. cu.LoadDataEx hides pointers to Go's memory in integers.
func LoadModule(text string) (cu.Module, error) {
	if at := strings.IndexByte(text, 0); at >= 0 {
		return cu.Module{}, fmt.Errorf("byte %d of the text is 0, which ends it for the driver", at)
	}
	source := C.CString(text)
	defer C.free(unsafe.Pointer(source))
	log := (*C.char)(C.malloc(logBytes))
	defer C.free(unsafe.Pointer(log))

	// A cu.Module is the driver's handle, and nothing else.
	var m cu.Module
	code := C.tstore_driver_load_module((*C.CUmodule)(unsafe.Pointer(&m)), source, log, logBytes)
	if code != 0 {
		err := newError(cu.Success, int(code))
		if words := strings.TrimSpace(C.GoString(log)); words != "" {
			err.Words = words
		}
		return cu.Module{}, err
	}
	return m, nil
}
