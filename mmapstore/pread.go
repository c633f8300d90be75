package mmapstore

import "fmt"

// CanReadFile reports whether ReadFile works: the bytes are those of a mapped file.
func (s *Storage) CanReadFile() bool {
	p, ok := s.src.backing.(mapping)
	return ok && p.file.mode != Private && p.file.detached == nil
}

// ReadFile copies bytes out of the file behind the mapping, by system calls: where faults would
// stall the process, as on slow or remote media, or fill its memory. It needs CanReadFile, and all
// of [off, off+len(p)) to be in the storage. A file that ends early, or can't be read, is a
// *FaultError, as through the mapping.
func (s *Storage) ReadFile(p []byte, off int64) error {
	if err := s.life.pin(); err != nil {
		return err
	}
	defer s.life.unpin()

	m, ok := s.src.backing.(mapping)
	if !ok || m.file.mode == Private {
		return fmt.Errorf("read the file of %s: it is no mapped file", s.src.name)
	}
	if err := checkRange(off, int64(len(p)), s.Size()); err != nil {
		return fmt.Errorf("read %s: %w", s.src.name, err)
	}

	at := s.start + off
	n, err := m.file.ReadAt(p, m.file.offset+at)
	if n == len(p) {
		return nil
	}

	return &FaultError{Path: m.file.Name(), Offset: m.file.offset + at + int64(n), Err: fmt.Errorf("%w (%w)", m.file.diagnose(at+int64(n)), err)}
}
