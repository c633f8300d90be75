//go:build cuda && fakecuda && linux

package fakedriver

/*
#include <stdlib.h>
#include "thread.h"
*/
import "C"

import (
	"strings"
	"unsafe"
)

// prefix begins the names of what this package exports.
const prefix = "fakecuda_"

// exported reports whether this driver has a function.
func exported(function string) bool {
	name := C.CString(prefix + function)
	defer C.free(unsafe.Pointer(name))
	return C.fakecuda_exported(name) != 0
}

// answer counts a call of a function, which f does unless it is to fail. In a context that has failed
// all do, but for those that leave it.
func answer(function string, f func() code) C.int {
	if fail := fake.fault(function); fail != success {
		return C.int(fail)
	}
	leaves := strings.HasPrefix(function, "cuCtx") || strings.HasPrefix(function, "cuDevice")
	if fail := fake.failure(); fail != success && !leaves {
		return C.int(fail)
	}
	return C.int(f())
}

// words are what cuGetErrorString answers for the error of cuInit. They stay, as the driver's do.
var words *C.char

//export fakecuda_cuInit
func fakecuda_cuInit(C.uint) C.int {
	fail, err := fake.init()
	if err != nil {
		words = C.CString("$FAKECUDA: " + err.Error())
	}
	if fail == success {
		fail = fake.fault("cuInit")
	}
	return C.int(fail)
}

//export fakecuda_cuGetErrorString
func fakecuda_cuGetErrorString(_ C.int, text **C.char) C.int {
	*text = words
	return C.int(success)
}

//export fakecuda_cuDriverGetVersion
func fakecuda_cuDriverGetVersion(version *C.int) C.int {
	return answer("cuDriverGetVersion", func() code {
		*version = C.int(fake.settings().version)
		return success
	})
}
