//go:build cuda && fakecuda && linux

package fakedriver

// #include <stdint.h>
import "C"

import "time"

//export fakecuda_cuStreamCreate
func fakecuda_cuStreamCreate(stream *C.uintptr_t, flags C.uint) C.int {
	return answer("cuStreamCreate", func() code { return makeStream(stream, flags, 0) })
}

//export fakecuda_cuStreamCreateWithPriority
func fakecuda_cuStreamCreateWithPriority(stream *C.uintptr_t, flags C.uint, priority C.int) C.int {
	return answer("cuStreamCreateWithPriority", func() code { return makeStream(stream, flags, int(priority)) })
}

func makeStream(stream *C.uintptr_t, flags C.uint, priority int) code {
	h, fail := fake.newStream(uint32(flags), priority)
	if fail == success {
		*stream = C.uintptr_t(h)
	}
	return fail
}

//export fakecuda_cuStreamDestroy_v2
func fakecuda_cuStreamDestroy_v2(stream C.uintptr_t) C.int {
	return answer("cuStreamDestroy_v2", func() code { return fake.destroyStream(uintptr(stream)) })
}

//export fakecuda_cuStreamSynchronize
func fakecuda_cuStreamSynchronize(stream C.uintptr_t) C.int {
	return answer("cuStreamSynchronize", func() code {
		done, fail := fake.lastOf(uintptr(stream))
		if fail == success {
			return fake.wait(done)
		}
		return fail
	})
}

//export fakecuda_cuStreamQuery
func fakecuda_cuStreamQuery(stream C.uintptr_t) C.int {
	return answer("cuStreamQuery", func() code {
		done, fail := fake.lastOf(uintptr(stream))
		if fail == success && !isDone(done) {
			return notReady
		}
		return fail
	})
}

//export fakecuda_cuStreamGetFlags
func fakecuda_cuStreamGetFlags(stream C.uintptr_t, flags *C.uint) C.int {
	return answer("cuStreamGetFlags", func() code {
		s, ok := fake.stream(uintptr(stream))
		if !ok {
			return invalidHandle
		}
		*flags = C.uint(s.flags)
		return success
	})
}

//export fakecuda_cuStreamGetPriority
func fakecuda_cuStreamGetPriority(stream C.uintptr_t, priority *C.int) C.int {
	return answer("cuStreamGetPriority", func() code {
		s, ok := fake.stream(uintptr(stream))
		if !ok {
			return invalidHandle
		}
		*priority = C.int(s.priority)
		return success
	})
}

//export fakecuda_cuStreamWaitEvent
func fakecuda_cuStreamWaitEvent(stream, event C.uintptr_t, _ C.uint) C.int {
	return answer("cuStreamWaitEvent", func() code {
		add, fail := fake.queue(uintptr(stream))
		if fail != success {
			return fail
		}
		_, r, fail := fake.recordOf(uintptr(event))
		if fail == success && r != nil {
			_, fail = add(func() error { <-r.done; return nil })
		}
		return fail
	})
}

//export fakecuda_cuEventCreate
func fakecuda_cuEventCreate(event *C.uintptr_t, flags C.uint) C.int {
	return answer("cuEventCreate", func() code {
		h, fail := fake.newEvent(uint32(flags))
		if fail == success {
			*event = C.uintptr_t(h)
		}
		return fail
	})
}

//export fakecuda_cuEventDestroy_v2
func fakecuda_cuEventDestroy_v2(event C.uintptr_t) C.int {
	return answer("cuEventDestroy_v2", func() code { return fake.destroyEvent(uintptr(event)) })
}

//export fakecuda_cuEventRecord
func fakecuda_cuEventRecord(event, stream C.uintptr_t) C.int {
	return answer("cuEventRecord", func() code { return fake.recordEvent(uintptr(event), uintptr(stream)) })
}

//export fakecuda_cuEventSynchronize
func fakecuda_cuEventSynchronize(event C.uintptr_t) C.int {
	return answer("cuEventSynchronize", func() code {
		_, r, fail := fake.recordOf(uintptr(event))
		if fail == success && r != nil {
			return fake.wait(r.done)
		}
		return fail
	})
}

//export fakecuda_cuEventQuery
func fakecuda_cuEventQuery(event C.uintptr_t) C.int {
	return answer("cuEventQuery", func() code {
		_, r, fail := fake.recordOf(uintptr(event))
		if fail == success && r != nil && !isDone(r.done) {
			return notReady
		}
		return fail
	})
}

//export fakecuda_cuEventElapsedTime
func fakecuda_cuEventElapsedTime(milliseconds *C.float, from, to C.uintptr_t) C.int {
	return answer("cuEventElapsedTime", func() code {
		took, fail := fake.elapsed(uintptr(from), uintptr(to))
		if fail == success {
			*milliseconds = C.float(float64(took) / float64(time.Millisecond))
		}
		return fail
	})
}
