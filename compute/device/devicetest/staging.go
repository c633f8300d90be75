package devicetest

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/device"
)

// garbage is what staging memory holds when it is made, and when it is gone.
const garbage = 0xa5

// stagingAlign divides the address of staging memory.
const stagingAlign = 64

// A staging is staging memory of a queue.
type staging struct {
	bytes []byte
	use   device.Use
}

// Stage implements device.Queue.
func (q *queue) Stage(n int, use device.Use) ([]byte, error) {
	if _, err := q.enter(Stage); err != nil {
		return nil, err
	}
	defer q.leave()
	if n < 0 || use > device.Read {
		return nil, q.fail(q.device.mistake(string(Stage), fmt.Errorf("%d bytes for use %d", n, use)))
	}

	whole := make([]byte, n+stagingAlign)
	at := int(-address(whole) % stagingAlign)
	s := staging{whole[at : at+n : at+n], use}
	s.spoil()
	q.staging = append(q.staging, s)
	q.device.count(func(l *Live) { l.StagingBytes += int64(n) })
	return s.bytes, nil
}

// spoil fills staging memory with garbage.
func (s *staging) spoil() {
	if len(s.bytes) == 0 {
		return
	}
	s.bytes[0] = garbage
	for n := 1; n < len(s.bytes); n *= 2 {
		copy(s.bytes[n:], s.bytes[:n])
	}
}

// isStaged returns an error unless bytes are staging memory of the queue for a use.
func (q *queue) isStaged(p []byte, use device.Use) error {
	for _, s := range q.staging {
		at := address(p) - address(s.bytes)
		if at > uintptr(len(s.bytes)) || uintptr(len(p)) > uintptr(len(s.bytes))-at {
			continue
		}
		if s.use != use {
			return errors.New("the staging memory is for the other use")
		}
		return nil
	}
	return fmt.Errorf("%d bytes that are not within staging memory of the queue", len(p))
}

func address(p []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p))) }
