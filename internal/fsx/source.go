package fsx

import (
	"io"
	"syscall"
)

// sequential is a copySource that can only be read in order, by one worker.
type sequential struct{ io.Reader }

func (s sequential) readFull(p []byte, _ int64) (int, error) { return io.ReadFull(s.Reader, p) }
func (s sequential) copied(span)                             {}

// randomAccess is a copySource for several workers. If there is a descriptor below the reader, the
// page cache hears what happens to the file.
type randomAccess struct {
	io.ReaderAt
	start int64           // offset in the reader of the copy
	conn  syscall.RawConn // nil if there is none
	base  int64           // offset in the descriptor of the reader's byte 0
	drop  bool
}

func newRandomAccess(r io.ReaderAt, start int64, drop bool) *randomAccess {
	s := &randomAccess{ReaderAt: r, start: start, drop: drop}
	if section, ok := r.(*io.SectionReader); ok {
		r, s.base, _ = section.Outer()
	}
	if f, ok := r.(File); ok && OSFile(f) != nil {
		r = OSFile(f)
	}
	if c, ok := r.(syscall.Conn); ok {
		s.conn, _ = c.SyscallConn() // without it there are no hints
	}
	s.advise(adviseSequential)
	return s
}

// readFull returns an error, unlike ReadAt, only if p is not full.
func (s *randomAccess) readFull(p []byte, off int64) (int, error) {
	n, err := s.ReadAt(p, s.start+off)
	if n == len(p) {
		err = nil
	}
	return n, err
}

func (s *randomAccess) copied(c span) {
	if s.drop {
		s.advise(func(fd int) { dropCache(fd, s.base+s.start+c.off, c.n) })
	}
}

func (s *randomAccess) advise(hint func(fd int)) {
	if s.conn != nil {
		_ = s.conn.Control(func(fd uintptr) { hint(int(fd)) })
	}
}
