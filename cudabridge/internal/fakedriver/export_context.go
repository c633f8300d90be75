//go:build cuda && fakecuda && linux

package fakedriver

// #include <stdint.h>
import "C"

//export fakecuda_cuCtxCreate_v2
func fakecuda_cuCtxCreate_v2(context *C.uintptr_t, flags C.uint, device C.int) C.int {
	return answer("cuCtxCreate_v2", func() code {
		if !hasDevice(device) {
			return invalidDevice
		}
		h := fake.newContext(int(device), uint32(flags))
		*context = C.uintptr_t(h)
		return push(h)
	})
}

//export fakecuda_cuCtxDestroy_v2
func fakecuda_cuCtxDestroy_v2(context C.uintptr_t) C.int {
	return answer("cuCtxDestroy_v2", func() code {
		fail := fake.destroyContext(uintptr(context))
		if fail == success && top() == uintptr(context) {
			pop()
		}
		return fail
	})
}

//export fakecuda_cuCtxPushCurrent_v2
func fakecuda_cuCtxPushCurrent_v2(context C.uintptr_t) C.int {
	return answer("cuCtxPushCurrent_v2", func() code {
		if _, ok := fake.context(uintptr(context)); !ok {
			return invalidContext
		}
		return push(uintptr(context))
	})
}

//export fakecuda_cuCtxPopCurrent_v2
func fakecuda_cuCtxPopCurrent_v2(context *C.uintptr_t) C.int {
	return answer("cuCtxPopCurrent_v2", func() code {
		h, fail := pop()
		if fail == success && context != nil {
			*context = C.uintptr_t(h)
		}
		return fail
	})
}

//export fakecuda_cuCtxSetCurrent
func fakecuda_cuCtxSetCurrent(context C.uintptr_t) C.int {
	return answer("cuCtxSetCurrent", func() code {
		_, ok := fake.context(uintptr(context))
		if context != 0 && !ok {
			return invalidContext
		}
		pop() // of an empty stack, this does nothing
		if context == 0 {
			return success
		}
		return push(uintptr(context))
	})
}

//export fakecuda_cuCtxGetCurrent
func fakecuda_cuCtxGetCurrent(context *C.uintptr_t) C.int {
	return answer("cuCtxGetCurrent", func() code {
		*context = C.uintptr_t(top())
		return success
	})
}

//export fakecuda_cuCtxGetDevice
func fakecuda_cuCtxGetDevice(device *C.int) C.int {
	return answer("cuCtxGetDevice", func() code {
		c, fail := fake.current()
		if fail == success {
			*device = C.int(c.device)
		}
		return fail
	})
}

//export fakecuda_cuCtxGetFlags
func fakecuda_cuCtxGetFlags(flags *C.uint) C.int {
	return answer("cuCtxGetFlags", func() code {
		c, fail := fake.current()
		if fail == success {
			*flags = C.uint(c.flags)
		}
		return fail
	})
}

//export fakecuda_cuCtxGetStreamPriorityRange
func fakecuda_cuCtxGetStreamPriorityRange(least, greatest *C.int) C.int {
	return answer("cuCtxGetStreamPriorityRange", func() code {
		_, fail := fake.current()
		if fail == success {
			*least, *greatest = 0, -5
		}
		return fail
	})
}

//export fakecuda_cuCtxSynchronize
func fakecuda_cuCtxSynchronize() C.int {
	return answer("cuCtxSynchronize", func() code {
		c, fail := fake.current()
		if fail == success {
			fake.drain(c, true)
			return c.state()
		}
		return fail
	})
}

//export fakecuda_cuDevicePrimaryCtxRetain
func fakecuda_cuDevicePrimaryCtxRetain(context *C.uintptr_t, device C.int) C.int {
	return answer("cuDevicePrimaryCtxRetain", func() code {
		if !hasDevice(device) {
			return invalidDevice
		}
		*context = C.uintptr_t(fake.retainPrimary(int(device)))
		return success
	})
}

//export fakecuda_cuDevicePrimaryCtxRelease_v2
func fakecuda_cuDevicePrimaryCtxRelease_v2(device C.int) C.int {
	return answer("cuDevicePrimaryCtxRelease_v2", func() code { return fake.releasePrimary(int(device)) })
}

//export fakecuda_cuDevicePrimaryCtxGetState
func fakecuda_cuDevicePrimaryCtxGetState(device C.int, flags *C.uint, active *C.int) C.int {
	return answer("cuDevicePrimaryCtxGetState", func() code {
		if !hasDevice(device) {
			return invalidDevice
		}
		*flags, *active = 0, 0
		if fake.primaryIsActive(int(device)) {
			*active = 1
		}
		return success
	})
}
