package manifest

import (
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/zeebo/xxh3"
)

// ChunkBytes is the size of the pieces of a payload that have a checksum each; the last one may be
// shorter.
const ChunkBytes = 8 << 20

// Chunks returns the number of pieces of so many bytes.
func Chunks(n int64) int { return int((n + ChunkBytes - 1) / ChunkBytes) }

// Sum returns the checksum of a piece.
func Sum(p []byte) string {
	sum := xxh3.Hash128(p).Bytes()
	return hex.EncodeToString(sum[:])
}

// Summer makes the checksums of bytes that come in order. The zero value is ready.
type Summer struct {
	sums []string
	h    *xxh3.Hasher
	n    int64 // in the piece
}

// Write implements io.Writer, and never fails.
func (s *Summer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if s.h == nil {
			s.h = xxh3.New()
		}
		part := p[:min(int64(len(p)), ChunkBytes-s.n)]
		_, _ = s.h.Write(part)
		p = p[len(part):]
		if s.n += int64(len(part)); s.n == ChunkBytes {
			s.end()
		}
	}
	return n, nil
}

// Zeros adds n bytes of zeros. Whole pieces of them take no time.
func (s *Summer) Zeros(n int64) {
	for n > 0 {
		if s.n == 0 && n >= ChunkBytes {
			s.sums = append(s.sums, sumOfZeros())
			n -= ChunkBytes
			continue
		}
		part := zeros[:min(n, int64(len(zeros)), ChunkBytes-s.n)]
		_, _ = s.Write(part)
		n -= int64(len(part))
	}
}

var zeros [64 << 10]byte

// sumOfZeros is the checksum of a whole piece of zeros.
var sumOfZeros = sync.OnceValue(func() string {
	var s Summer
	for range ChunkBytes / len(zeros) {
		_, _ = s.Write(zeros[:])
	}
	return s.Sums()[0]
})

func (s *Summer) end() {
	s.sums = append(s.sums, fmt.Sprintf("%x", s.h.Sum128().Bytes()))
	s.h.Reset()
	s.n = 0
}

// Sums ends the summing, and returns the checksums.
func (s *Summer) Sums() []string {
	if s.n > 0 {
		s.end()
	}
	return s.sums
}
