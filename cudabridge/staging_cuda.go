//go:build cuda && linux

package cudabridge

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/cudabridge/internal/driver"
	"github.com/tstore/tstore/mmapstore"
)

// writeCombined is the flag of cuMemHostAlloc for memory that goes past the caches, which the bus
// reads faster and the processor hardly.
const writeCombined = 4

// staging is staging memory of a queue.
type staging struct {
	bytes []byte
	use   device.Use
}

// Stage implements device.Queue.
func (q *queue) Stage(n int, use device.Use) ([]byte, error) {
	const doing = "allocate staging memory"
	if n < 0 || use > device.Read {
		return nil, q.fail(q.gpu.wrap(doing, fmt.Errorf("%d bytes for use %d", n, use)))
	}
	var p unsafe.Pointer
	err := q.do(doing, func() (err error) {
		if n == 0 {
			return nil
		}
		flags := uint(0)
		if use == device.Written {
			flags = writeCombined
		}
		if p, err = driver.AllocHost(int64(n), flags); isOutOfMemory(err) {
			err = q.shortOfStaging(n)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s := staging{unsafe.Slice((*byte)(p), n), use}
	if n > 0 {
		q.staging = append(q.staging, s)
	}
	return s.bytes, nil
}

// shortOfStaging returns the error of memory of the host that can't be pinned.
func (q *queue) shortOfStaging(n int) error {
	var used int64
	for _, s := range q.staging {
		used += int64(len(s.bytes))
	}
	return &device.MemoryError{Place: mmapstore.CPU, Asked: int64(n), Used: used, Limit: used}
}

// unstage frees staging memory.
func (g *gpu) unstage(s staging) error {
	return g.undo("free staging memory", func() error {
		return driver.FreeHost(unsafe.Pointer(unsafe.SliceData(s.bytes)))
	})
}

// Upload implements device.Queue.
func (q *queue) Upload(to uint64, from []byte) error {
	if err := q.isStaged("upload", from, device.Written); err != nil {
		return err
	}
	return q.upload(cu.DevicePtr(to), from)
}

// upload copies staging memory to the device.
func (q *queue) upload(to cu.DevicePtr, from []byte) error {
	return q.do("upload", func() error {
		if len(from) == 0 {
			return nil
		}
		return cu.MemcpyHtoDAsync(to, unsafe.Pointer(unsafe.SliceData(from)), int64(len(from)), q.stream)
	})
}

// Download implements device.Queue.
func (q *queue) Download(to []byte, from uint64) error {
	if err := q.isStaged("download", to, device.Read); err != nil {
		return err
	}
	return q.download(to, cu.DevicePtr(from))
}

// download copies memory of the device to staging memory.
func (q *queue) download(to []byte, from cu.DevicePtr) error {
	return q.do("download", func() error {
		if len(to) == 0 {
			return nil
		}
		return cu.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(to)), from, int64(len(to)), q.stream)
	})
}

// isStaged returns an error unless bytes are staging memory of the queue for a use. The driver would
// copy from and to Go's memory as well, at a time when that may be something else.
func (q *queue) isStaged(doing string, p []byte, use device.Use) error {
	if err := q.usable(doing); err != nil || len(p) == 0 {
		return err
	}
	reason := fmt.Errorf("%d bytes that are not within staging memory of the queue", len(p))
	for _, s := range q.staging {
		at := address(p) - address(s.bytes)
		if at > uintptr(len(s.bytes)) || uintptr(len(p)) > uintptr(len(s.bytes))-at {
			continue
		}
		if s.use == use {
			return nil
		}
		reason = errors.New("the staging memory is for the other use")
	}
	return q.fail(q.gpu.wrap(doing, reason))
}

func address(p []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p))) }
