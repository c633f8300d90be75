package fsx

import (
	"io"
	"math"
)

// Holes tells where a file has holes: bytes that were never written, that read as zeros, and that
// need not be read for that. What the file system says is believed, as cp(1) does. It moves the
// file's position, is for one goroutine, and for a file whose bytes don't change meanwhile.
type Holes struct {
	file io.Seeker
	size int64 // of the file: what lies behind is no hole
	// A hole ends where the data begin that end at end; all of it is known from from on.
	from, begin, end int64
	unknown          bool
}

// HolesOf finds the holes of a file of so many bytes.
func HolesOf(f io.Seeker, size int64) *Holes { return &Holes{file: f, size: size} }

// At tells what the file has from off on: n bytes up to end at most, which are a hole, or are none.
// Where the system does not tell, nothing is a hole.
func (h *Holes) At(off, end int64) (n int64, hole bool) {
	if off >= h.size || h.unknown {
		return end - off, false
	}
	if off < h.from || off >= h.end {
		begin, stop, err := nextData(h.file, off)
		if err != nil {
			h.unknown = true
			return end - off, false
		}
		h.from, h.begin, h.end = off, min(begin, h.size), stop
	}
	if off < h.begin {
		return min(h.begin, end) - off, true
	}
	return min(h.end, end) - off, false
}

// noData is where data begin that are not there.
const noData = math.MaxInt64
