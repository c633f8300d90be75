//go:build cuda && fakecuda && linux

package fakedriver

// #include <stdint.h>
import "C"

import (
	"unsafe"

	"github.com/tstore/tstore/internal/ptxvm"
)

// Options of a compilation that this driver knows, of CUjit_option.
const (
	errorLog      = 5
	errorLogBytes = 6
)

//export fakecuda_cuModuleLoadData
func fakecuda_cuModuleLoadData(module *C.uintptr_t, text *C.char) C.int {
	return answer("cuModuleLoadData", func() code {
		fail, _ := load(module, text)
		return fail
	})
}

//export fakecuda_cuModuleLoadDataEx
func fakecuda_cuModuleLoadDataEx(module *C.uintptr_t, text *C.char, n C.uint, options *C.int, values *C.uintptr_t) C.int {
	return answer("cuModuleLoadDataEx", func() code {
		var log unsafe.Pointer
		var logBytes int
		for i, option := range unsafe.Slice(options, n) {
			switch value := &unsafe.Slice(values, n)[i]; option {
			case errorLog:
				log = *(*unsafe.Pointer)(unsafe.Pointer(value))
			case errorLogBytes:
				logBytes = int(*value)
			default:
				return invalidValue
			}
		}

		fail, why := load(module, text)
		if log != nil && logBytes > 0 {
			b := unsafe.Slice((*byte)(log), logBytes)
			b[copy(b[:logBytes-1], why)] = 0
		}
		return fail
	})
}

func load(module *C.uintptr_t, text *C.char) (fail code, why string) {
	h, fail, why := fake.loadModule(C.GoString(text))
	if fail == success {
		*module = C.uintptr_t(h)
	}
	return fail, why
}

//export fakecuda_cuModuleUnload
func fakecuda_cuModuleUnload(module C.uintptr_t) C.int {
	return answer("cuModuleUnload", func() code { return fake.unloadModule(uintptr(module)) })
}

//export fakecuda_cuModuleGetFunction
func fakecuda_cuModuleGetFunction(function *C.uintptr_t, module C.uintptr_t, entry *C.char) C.int {
	return answer("cuModuleGetFunction", func() code {
		h, fail := fake.findFunction(uintptr(module), C.GoString(entry))
		if fail == success {
			*function = C.uintptr_t(h)
		}
		return fail
	})
}

//export fakecuda_cuLaunchKernel
func fakecuda_cuLaunchKernel(function C.uintptr_t, gx, gy, gz, bx, by, bz, shared C.uint, stream C.uintptr_t, params, extra *unsafe.Pointer) C.int {
	return answer("cuLaunchKernel", func() code {
		if extra != nil {
			return invalidValue
		}
		l := &ptxvm.Launch{
			Grid: [3]int{int(gx), int(gy), int(gz)}, Block: [3]int{int(bx), int(by), int(bz)},
			Shared: int(shared),
		}
		return fake.launch(uintptr(function), l, params, uintptr(stream))
	})
}
