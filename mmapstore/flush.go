package mmapstore

import "fmt"

// Flush makes what was stored in the n bytes from off durable: when it returns nil, they are on the
// disk, and so is the length of the file. n < 0 means to the end. Memory, ReadOnly and Private
// storages have nothing to flush.
//
// The first error is final, because the system forgets failed writes: the storage, with all its
// ranges, is poisoned, and every later Flush, WriteAt and Grow returns ErrPoisoned.
func (s *Storage) Flush(off, n int64) error {
	if err := s.life.pin(); err != nil {
		return err
	}
	defer s.life.unpin()

	n, err := s.clip(off, n)
	if err != nil || !s.src.writable {
		return err
	}
	if err := s.src.checkWrite(); err != nil {
		return err
	}

	if err := s.src.flush(s.mem.Load(), s.start+off, n); err != nil {
		err = fmt.Errorf("flush %d bytes at %d of %s: %w", n, s.src.fileOffset+s.start+off, s.src.name, err)
		s.src.poison.CompareAndSwap(nil, &err)
		return err
	}

	return nil
}

// CheckLength returns an error that wraps ErrTruncated if the file has lost bytes of the storage. A
// cut inside the last page gives zeros instead of a fault: call CheckLength after reading to find
// it. Bytes that were cut off and added again are zeros too, which only checksums find.
func (s *Storage) CheckLength() error {
	if err := s.life.pin(); err != nil {
		return err
	}
	defer s.life.unpin()
	if err := s.src.check(); err != nil {
		return fmt.Errorf("%s: %w", s.src.name, err)
	}
	return nil
}

// clip checks a part of the storage and resolves n < 0 to the rest of it.
func (s *Storage) clip(off, n int64) (int64, error) {
	size := s.Size()
	if n < 0 && off >= 0 && off <= size {
		n = size - off
	}
	return n, checkRange(off, n, size)
}
