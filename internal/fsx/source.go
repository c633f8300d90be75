package fsx

import (
	"io"
	"syscall"
)

// source is a reader at offsets with hints to the page cache, if there is a descriptor below it.
type source struct {
	io.ReaderAt
	conn syscall.RawConn // nil if there is none
	base int64           // offset in the descriptor of the reader's byte 0
}

func newSource(r io.ReaderAt) *source {
	s := &source{ReaderAt: r}
	if section, ok := r.(*io.SectionReader); ok {
		r, s.base, _ = section.Outer()
	}
	if f, ok := r.(File); ok && OSFile(f) != nil {
		r = OSFile(f)
	}
	if c, ok := r.(syscall.Conn); ok {
		s.conn, _ = c.SyscallConn() // without it there are no hints
	}
	return s
}

func (s *source) adviseSequential() {
	s.advise(adviseSequential)
}

func (s *source) drop(off, n int64) {
	s.advise(func(fd int) { _ = dropCache(fd, s.base+off, n) })
}

func (s *source) advise(hint func(fd int)) {
	if s.conn != nil {
		_ = s.conn.Control(func(fd uintptr) { hint(int(fd)) }) // only hints
	}
}
