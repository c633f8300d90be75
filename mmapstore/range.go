package mmapstore

import "fmt"

// Range returns the n bytes from off as a storage of their own. It shares the memory, has its own
// reference count and keeps the memory alive: s may be released before it. Flush, Advise and the
// fault rules work on it as on the whole; it can't grow, and s can't while it lives.
func (s *Storage) Range(off, n int64) (*Storage, error) {
	if err := s.life.pin(); err != nil {
		return nil, err
	}
	defer s.life.unpin()
	if err := checkRange(off, n, s.Size()); err != nil {
		return nil, err
	}

	// A pin on s keeps the owner's reference, and so its memory, in place until the new range holds
	// a reference of its own.
	owner := s.owner()
	owner.ranges.Add(1)
	if err := owner.life.retain(); err != nil {
		owner.ranges.Add(-1)
		return nil, fmt.Errorf("range of a storage: %w", err)
	}

	part := &Storage{src: s.src, parent: owner, start: s.start + off}
	part.mem.Store(s.mem.Load().cut(off, n))
	part.life.begin()
	part.leak = trackStorage(part)
	return part, nil
}

// owner returns the storage whose last Release frees the memory.
func (s *Storage) owner() *Storage {
	if s.parent != nil {
		return s.parent
	}
	return s
}
