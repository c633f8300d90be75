package blocksum

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// Header describes the sums in a file of their own.
type Header struct {
	Storage ID
	Gen     uint32 // the generation of the storage's file
	Payload int64  // bytes that are summed
}

// HeaderBytes is the size of the encoded header.
const HeaderBytes = 64

const magic = "tstoresums\x00\x01"

// ErrFormat says that a file does not hold the expected sums.
var ErrFormat = errors.New("not the expected file of checksums")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode returns the bytes of a file of sums.
func Encode(h Header, sums []uint64) []byte {
	b := slices.Grow(h.encode(), 8*len(sums))
	for _, sum := range sums {
		b = binary.LittleEndian.AppendUint64(b, sum)
	}
	return b
}

func (h Header) encode() []byte {
	b := make([]byte, HeaderBytes)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[12:], h.Gen)
	copy(b[16:], h.Storage[:])
	binary.LittleEndian.PutUint64(b[32:], uint64(h.Payload))
	binary.LittleEndian.PutUint32(b[40:], BlockBytes)
	binary.LittleEndian.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	return b
}

// Decode reads a file of sums from an untrusted source. It returns ErrFormat unless the file has
// the header h and sums with the given root. It takes memory only as bytes arrive.
func Decode(r io.Reader, h Header, root [16]byte) ([]uint64, error) {
	n := Count(h.Payload)

	var head [HeaderBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, cutShort(err)
	}

	if !bytes.Equal(head[:], h.encode()) {
		return nil, fmt.Errorf("%w: its header is of another storage, generation or length", ErrFormat)
	}

	// One byte more than wanted shows a file that is too long.
	b, err := io.ReadAll(io.LimitReader(r, 8*int64(n)+1))
	if err != nil {
		return nil, err
	}
	if len(b) != 8*n {
		return nil, fmt.Errorf("%w: expected %d bytes of sums, found %d", ErrFormat, 8*n, len(b))
	}

	sums := make([]uint64, n)
	for i := range sums {
		sums[i] = binary.LittleEndian.Uint64(b[8*i:])
	}

	// The root comes from the record that names the file, so that sums of another version are found
	// out too.
	if Root(sums) != root {
		return nil, fmt.Errorf("%w: the sums have changed since they were written", ErrFormat)
	}
	return sums, nil
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it is shorter than its header", ErrFormat)
	}
	return err
}
