package mmapstore

import (
	"context"
	"fmt"
)

// FileBacked reports whether the bytes are pages of a file that the system reads, writes back and
// drops as it likes: those of a mapping that is not Private, or of the allocator File. Copies on
// the heap are not.
func (s *Storage) FileBacked() bool {
	if err := s.life.pin(); err != nil {
		return false
	}
	defer s.life.unpin()
	return s.sharedFile() != nil
}

// sharedFile returns the file whose pages the bytes are; nil if there is none. The caller holds a
// pin.
func (s *Storage) sharedFile() *dataFile {
	switch b := s.src.backing.(type) {
	case mapping:
		if b.file.mode != Private {
			return b.file
		}
	case *blockBacking:
		return b.block.file
	}
	return nil
}

// Cached tells how many bytes of the pages that the n bytes from off touch are in memory, and how
// many of these are not on the disk yet. It is a snapshot, taken in some microseconds. ok is false
// where the system does not tell, and where FileBacked is false.
func (s *Storage) Cached(off, n int64) (cached, dirty int64, ok bool) {
	if err := s.life.pin(); err != nil {
		return 0, 0, false
	}
	defer s.life.unpin()
	f := s.sharedFile()
	if f == nil || checkRange(off, n, s.Size()) != nil || n == 0 {
		return 0, 0, false
	}
	return cachedBytes(f, f.offset+s.start+off, n)
}

// StartWriteback starts to write what was stored in the n bytes from off to the disk, and does not
// wait for it: so that a long result is not all written at its end. It makes nothing durable; Flush
// does. It does nothing where FileBacked is false and where the platform lacks it. Errors are as
// final as those of Flush.
func (s *Storage) StartWriteback(off, n int64) error {
	return s.writeback("start writing back", off, n, startWriteback)
}

// WaitWriteback writes like StartWriteback, and waits until it is done. The system may then drop
// the bytes from memory.
func (s *Storage) WaitWriteback(off, n int64) error {
	return s.writeback("write back", off, n, waitWriteback)
}

// WriteBack waits for writeBackPiece bytes at a time, while the writeBackAhead bytes after them are
// on their way to the disk.
const (
	writeBackPiece = 8 << 20
	writeBackAhead = 4 * writeBackPiece
)

// WriteBack writes what was stored in the n bytes from off to the disk, piece by piece, until ctx
// ends, whose error it then returns. n < 0 means to the end. It makes nothing durable: Flush does,
// which can't be broken off, and takes little time afterwards. Other errors are as final as those
// of Flush.
func (s *Storage) WriteBack(ctx context.Context, off, n int64) error {
	n, err := s.clip(off, n)
	if err != nil {
		return err
	}

	// Start writing one piece while waiting for the piece writeBackAhead before it: the disk stays
	// busy, and little is left for Flush.
	end := off + n

	for at := off; at < end+writeBackAhead; at += writeBackPiece {
		if err := ctx.Err(); err != nil {
			return err
		}
		if at < end {
			if err := s.StartWriteback(at, min(writeBackPiece, end-at)); err != nil {
				return err
			}
		}

		if old := at - writeBackAhead; old >= off {
			if err := s.WaitWriteback(old, min(writeBackPiece, end-old)); err != nil {
				return err
			}
		}
	}

	return nil
}

// writeback does the work of StartWriteback and WaitWriteback by call. The system reports a failed
// write only once, so the error poisons the storage.
func (s *Storage) writeback(what string, off, n int64, call func(f *dataFile, off, n int64) error) error {
	if err := s.life.pin(); err != nil {
		return err
	}
	defer s.life.unpin()

	n, err := s.clip(off, n)
	f := s.sharedFile()
	if err != nil || f == nil || !s.src.writable || n == 0 {
		return err
	}

	if err := s.src.checkWrite(); err != nil {
		return err
	}

	if err := call(f, f.offset+s.start+off, n); err != nil {
		err = fmt.Errorf("%s %d bytes at %d of %s: %w", what, n, f.offset+s.start+off, s.src.name, err)
		s.src.poison.CompareAndSwap(nil, &err)
		return err
	}
	return nil
}
