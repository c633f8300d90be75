//go:build cuda && fakecuda && linux

package fakedriver

// #include <stdint.h>
// #include <stddef.h>
import "C"

import (
	"encoding/binary"
	"unsafe"
)

//export fakecuda_cuMemAlloc_v2
func fakecuda_cuMemAlloc_v2(at *C.uint64_t, n C.size_t) C.int {
	return answer("cuMemAlloc_v2", func() code {
		a, fail := fake.allocate(int64(n))
		if fail == success {
			*at = C.uint64_t(a)
		}
		return fail
	})
}

//export fakecuda_cuMemFree_v2
func fakecuda_cuMemFree_v2(at C.uint64_t) C.int {
	return answer("cuMemFree_v2", func() code { return fake.free(uint64(at)) })
}

//export fakecuda_cuMemGetInfo_v2
func fakecuda_cuMemGetInfo_v2(free, total *C.size_t) C.int {
	return answer("cuMemGetInfo_v2", func() code {
		used, limit, fail := fake.memoryInfo()
		if fail == success {
			*free, *total = C.size_t(max(limit-used, 0)), C.size_t(limit)
		}
		return fail
	})
}

//export fakecuda_cuMemGetAddressRange_v2
func fakecuda_cuMemGetAddressRange_v2(base *C.uint64_t, size *C.size_t, at C.uint64_t) C.int {
	return answer("cuMemGetAddressRange_v2", func() code {
		a, ok := fake.around(uint64(at))
		if !ok {
			return invalidValue
		}
		if base != nil {
			*base = C.uint64_t(a.Address())
		}
		if size != nil {
			*size = C.size_t(a.Size())
		}
		return success
	})
}

//export fakecuda_cuMemHostAlloc
func fakecuda_cuMemHostAlloc(p *unsafe.Pointer, n C.size_t, flags C.uint) C.int {
	return answer("cuMemHostAlloc", func() code {
		b, fail := fake.pin(int64(n), uint32(flags))
		if fail == success {
			*p = b
		}
		return fail
	})
}

//export fakecuda_cuMemFreeHost
func fakecuda_cuMemFreeHost(p unsafe.Pointer) C.int {
	return answer("cuMemFreeHost", func() code { return fake.unpin(p) })
}

//export fakecuda_cuMemcpyHtoD_v2
func fakecuda_cuMemcpyHtoD_v2(to C.uint64_t, from unsafe.Pointer, n C.size_t) C.int {
	return answer("cuMemcpyHtoD_v2", func() code { return fake.upload(uint64(to), from, int64(n), 0) })
}

//export fakecuda_cuMemcpyHtoDAsync_v2
func fakecuda_cuMemcpyHtoDAsync_v2(to C.uint64_t, from unsafe.Pointer, n C.size_t, stream C.uintptr_t) C.int {
	return answer("cuMemcpyHtoDAsync_v2", func() code { return fake.upload(uint64(to), from, int64(n), uintptr(stream)) })
}

//export fakecuda_cuMemcpyDtoH_v2
func fakecuda_cuMemcpyDtoH_v2(to unsafe.Pointer, from C.uint64_t, n C.size_t) C.int {
	return answer("cuMemcpyDtoH_v2", func() code { return fake.download(to, uint64(from), int64(n), 0) })
}

//export fakecuda_cuMemcpyDtoHAsync_v2
func fakecuda_cuMemcpyDtoHAsync_v2(to unsafe.Pointer, from C.uint64_t, n C.size_t, stream C.uintptr_t) C.int {
	return answer("cuMemcpyDtoHAsync_v2", func() code { return fake.download(to, uint64(from), int64(n), uintptr(stream)) })
}

//export fakecuda_cuMemcpyDtoD_v2
func fakecuda_cuMemcpyDtoD_v2(to, from C.uint64_t, n C.size_t) C.int {
	return answer("cuMemcpyDtoD_v2", func() code { return fake.copyDevice(uint64(to), uint64(from), int64(n), 0) })
}

//export fakecuda_cuMemcpyDtoDAsync_v2
func fakecuda_cuMemcpyDtoDAsync_v2(to, from C.uint64_t, n C.size_t, stream C.uintptr_t) C.int {
	return answer("cuMemcpyDtoDAsync_v2", func() code {
		return fake.copyDevice(uint64(to), uint64(from), int64(n), uintptr(stream))
	})
}

//export fakecuda_cuMemsetD8_v2
func fakecuda_cuMemsetD8_v2(at C.uint64_t, v C.uchar, n C.size_t) C.int {
	return answer("cuMemsetD8_v2", func() code { return fake.fill(uint64(at), []byte{byte(v)}, int64(n), 0) })
}

//export fakecuda_cuMemsetD8Async
func fakecuda_cuMemsetD8Async(at C.uint64_t, v C.uchar, n C.size_t, stream C.uintptr_t) C.int {
	return answer("cuMemsetD8Async", func() code { return fake.fill(uint64(at), []byte{byte(v)}, int64(n), uintptr(stream)) })
}

//export fakecuda_cuMemsetD32_v2
func fakecuda_cuMemsetD32_v2(at C.uint64_t, v C.uint, n C.size_t) C.int {
	return answer("cuMemsetD32_v2", func() code { return fake.fill(uint64(at), word(v), int64(n), 0) })
}

//export fakecuda_cuMemsetD32Async
func fakecuda_cuMemsetD32Async(at C.uint64_t, v C.uint, n C.size_t, stream C.uintptr_t) C.int {
	return answer("cuMemsetD32Async", func() code { return fake.fill(uint64(at), word(v), int64(n), uintptr(stream)) })
}

// word returns a number as a device keeps it.
func word(v C.uint) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }
