//go:build cuda && fakecuda && linux

package fakedriver

import "C"

import (
	"fmt"
	"unsafe"
)

// attributes are what cuDeviceGetAttribute answers, by CUdevice_attribute.
var attributes = map[C.int]C.int{
	1:   1024,      // threads in a block
	2:   1024,      // and by axis
	3:   1024,      //
	4:   64,        //
	5:   1<<31 - 1, // blocks in a grid, by axis
	6:   1<<16 - 1, //
	7:   1<<16 - 1, //
	8:   48 << 10,  // bytes of shared memory a block
	9:   64 << 10,  // bytes of constant memory
	10:  32,        // threads of a warp
	12:  64 << 10,  // registers a block
	16:  4,         // multiprocessors
	31:  1,         // kernels run beside each other
	39:  2048,      // threads a multiprocessor
	40:  2,         // copy engines: one in, one out
	41:  1,         // addresses of the host and of devices are one space
	81:  100 << 10, // bytes of shared memory a multiprocessor
	82:  64 << 10,  // registers a multiprocessor
	97:  99 << 10,  // bytes of shared memory a block that asks for it
	113: 0,         // pages of files can be registered for reading
}

// Attributes that $FAKECUDA gives.
const (
	majorCapability = 75
	minorCapability = 76
)

// hasDevice reports whether there is such a device.
func hasDevice(n C.int) bool { return n >= 0 && int(n) < fake.settings().devices }

//export fakecuda_cuDeviceGetCount
func fakecuda_cuDeviceGetCount(n *C.int) C.int {
	return answer("cuDeviceGetCount", func() code {
		*n = C.int(fake.settings().devices)
		return success
	})
}

//export fakecuda_cuDeviceGet
func fakecuda_cuDeviceGet(device *C.int, n C.int) C.int {
	return answer("cuDeviceGet", func() code {
		if !hasDevice(n) {
			return invalidDevice
		}
		*device = n
		return success
	})
}

//export fakecuda_cuDeviceGetName
func fakecuda_cuDeviceGetName(name *C.char, size, device C.int) C.int {
	return answer("cuDeviceGetName", func() code {
		if !hasDevice(device) || size < 1 {
			return invalidValue
		}
		b := unsafe.Slice((*byte)(unsafe.Pointer(name)), int(size))
		b[copy(b[:size-1], fmt.Sprintf("fake GPU %d", device))] = 0
		return success
	})
}

//export fakecuda_cuDeviceTotalMem_v2
func fakecuda_cuDeviceTotalMem_v2(bytes *C.size_t, device C.int) C.int {
	return answer("cuDeviceTotalMem_v2", func() code {
		if !hasDevice(device) {
			return invalidDevice
		}
		*bytes = C.size_t(fake.settings().memory)
		return success
	})
}

//export fakecuda_cuDeviceGetAttribute
func fakecuda_cuDeviceGetAttribute(value *C.int, attribute, device C.int) C.int {
	return answer("cuDeviceGetAttribute", func() code {
		v, ok := attributes[attribute]
		switch capability := C.int(fake.settings().capability); {
		case attribute == majorCapability:
			v = capability / 10
		case attribute == minorCapability:
			v = capability % 10
		case !ok:
			return invalidValue
		}
		if !hasDevice(device) {
			return invalidDevice
		}
		*value = v
		return success
	})
}
