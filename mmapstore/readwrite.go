package mmapstore

import (
	"fmt"
	"io"
)

// chunkBytes is the most that is copied in one go: a longer copy can't be interrupted, and would
// keep the garbage collector waiting.
const chunkBytes = 1 << 20

// ReadAt copies bytes out of the storage, as io.ReaderAt: fewer than len(p) only with an error,
// io.EOF at the end. A fault is a *FaultError. It also reads from devices.
func (s *Storage) ReadAt(p []byte, off int64) (n int, err error) {
	if err := s.life.pin(); err != nil {
		return 0, err
	}
	defer s.life.unpin()

	size := s.Size()
	if off < 0 {
		return 0, fmt.Errorf("read at offset %d: it is negative", off)
	}
	if off >= size {
		return 0, io.EOF
	}

	short := int64(len(p)) > size-off
	if short {
		p = p[:size-off]
	}

	if dev := s.Device(); dev != nil {
		n, err = dev.ReadAt(p, s.start+off)
	} else {
		n, err = s.copyOut(p, off)
	}

	if err == nil && short {
		err = io.EOF
	}
	return n, err
}

func (s *Storage) copyOut(p []byte, off int64) (n int, err error) {
	b := s.mem.Load().bytes[off:]
	err = s.Guard(func() error {
		for n < len(p) {
			end := min(n+chunkBytes, len(p))
			n += copy(p[n:end], b[n:])
		}
		return nil
	})
	return n, err
}

// WriteAt copies p into the storage, as io.WriterAt. Bytes that do not fit are an error, and then
// nothing is written; p must not be part of the storage. WriteAt returns ErrReadOnly if stores are
// not allowed, ErrPoisoned after a failed Flush, and a *FaultError for a fault. It also writes to
// devices. The bytes are durable after Flush only.
func (s *Storage) WriteAt(p []byte, off int64) (n int, err error) {
	if err := s.life.pin(); err != nil {
		return 0, err
	}
	defer s.life.unpin()
	if err := s.src.checkWrite(); err != nil {
		return 0, fmt.Errorf("write %s: %w", s.src.name, err)
	}
	if err := checkRange(off, int64(len(p)), s.Size()); err != nil {
		return 0, fmt.Errorf("write %s: %w", s.src.name, err)
	}
	if dev := s.Device(); dev != nil {
		return dev.WriteAt(p, s.start+off)
	}
	return s.copyIn(p, off)
}

func (s *Storage) copyIn(p []byte, off int64) (n int, err error) {
	b := s.mem.Load().bytes[off:]
	err = s.Guard(func() error {
		for n < len(p) {
			end := min(n+chunkBytes, len(p))
			n += copy(b[n:end], p[n:end])
		}
		return nil
	})
	return n, err
}

// copyChunks copies src to the start of dst.
func copyChunks(dst, src []byte) {
	for len(src) > 0 {
		n := copy(dst[:min(chunkBytes, len(dst))], src)
		dst, src = dst[n:], src[n:]
	}
}
