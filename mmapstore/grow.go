package mmapstore

import (
	"errors"
	"fmt"
)

// Grow makes the storage newSize bytes long; the new bytes are zero, except where a file had bytes
// after the storage's end, which are kept. Space on the disk is reserved first, as when a file is
// created. The memory may move: Grow returns ErrBusy, and changes nothing, if a pin or a range is
// in use. New pins wait until it is done. A storage can't shrink, and borrowed memory, ranges, and
// ReadOnly and Private mappings can't grow.
func (s *Storage) Grow(newSize int64) error {
	if s.parent != nil {
		return fmt.Errorf("grow %s: a range can't grow", s.src.name)
	}
	if err := s.life.beginGrowth(); err != nil {
		return fmt.Errorf("grow %s: %w", s.src.name, err)
	}
	defer s.life.endGrowth()
	if err := s.growAlone(newSize); err != nil {
		return fmt.Errorf("grow %s from %d to %d bytes: %w", s.src.name, s.Size(), newSize, err)
	}
	return nil
}

// growAlone does the work of Grow while nobody else uses s.
func (s *Storage) growAlone(newSize int64) error {
	m := s.mem.Load()
	switch n := s.ranges.Load(); {
	case n > 0:
		return fmt.Errorf("%w: %d ranges are open", ErrBusy, n)
	case newSize < m.size:
		return errors.New("a storage can't shrink")
	case newSize > maxSize-s.src.fileOffset:
		return fmt.Errorf("want at most %d bytes", maxSize-s.src.fileOffset)
	}

	if err := s.src.checkWrite(); err != nil || newSize == m.size {
		return err
	}

	// The larger memory may be there although freeing the smaller one failed: it counts even then.
	return s.Guard(func() error {
		grown, err := s.src.grow(m, newSize)
		if grown != nil {
			s.mem.Store(grown)
		}
		return err
	})
}
