package backup

import (
	"bytes"

	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
)

// backupPiece is a part of a payload: bytes, or zeros that nobody has to read since they are a
// hole.
type backupPiece struct {
	off   int64 // in the payload
	b     []byte
	zeros int64 // 0 where there are bytes
}

// maxZeros bounds a piece of zeros: they are summed before one looks at the context again.
const maxZeros = 1 << 30

// nextBackupPiece finds how much of a payload, which begins at start of a file, is read at once
// from off on, up to end: whole blocks, counted from the payload's beginning. Zeros are not read.
func nextBackupPiece(holes *fsx.Holes, start, off, end int64) (n int64, zeros bool) {
	n, hole := holes.At(start+off, start+min(end, off+maxZeros))
	if hole && off+n < end {
		n -= (off + n) % blocksum.BlockBytes
	}
	if hole && n > 0 {
		return n, true
	}
	n = max(n, 0) + blocksum.BlockBytes
	n -= (off + n) % blocksum.BlockBytes
	return min(n, manifest.ChunkBytes-off%manifest.ChunkBytes, end-off), false
}

func (p backupPiece) len() int64 { return int64(len(p.b)) + p.zeros }

// after returns what lies at off or behind.
func (p backupPiece) after(off int64) backupPiece {
	n := min(max(off-p.off, 0), p.len())
	p.off += n
	if p.zeros > 0 {
		p.zeros -= n
	} else {
		p.b = p.b[n:]
	}
	return p
}

// sum adds the piece to checksums.
func (p backupPiece) sum(s *manifest.Summer) {
	_, _ = s.Write(p.b) // never fails
	s.Zeros(p.zeros)
}

// zeroBlock is what a hole reads as.
var zeroBlock [blocksum.BlockBytes]byte

// eachBlock calls check with bytes, or with each block of a hole.
func (p backupPiece) eachBlock(check func(b []byte, off int64)) {
	if len(p.b) > 0 {
		check(p.b, p.off)
	}
	for n := int64(0); n < p.zeros; n += blocksum.BlockBytes {
		check(zeroBlock[:min(p.zeros-n, blocksum.BlockBytes)], p.off+n)
	}
}

// write writes the piece to a file that has nothing but zeros there; where it is to be sparse,
// blocks of zeros are left out.
func (p backupPiece) write(w *fsx.StreamWriter, f *manifest.File) error {
	if len(p.b) > 0 && !f.Sparse {
		return w.WriteChunk(p.b, f.Header+p.off)
	}
	for off := 0; off < len(p.b); off += blocksum.BlockBytes {
		block := p.b[off:min(len(p.b), off+blocksum.BlockBytes)]
		if bytes.Equal(block, zeroBlock[:len(block)]) {
			continue
		}
		if err := w.WriteChunk(block, f.Header+p.off+int64(off)); err != nil {
			return err
		}
	}
	return nil
}
