package catalog

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/sentinel"
)

// MaxInlineSums is the number of sums up to which a Seal holds them itself.
const MaxInlineSums = 64

// Seal says that the committed bytes of a storage never change in place, and what they are: the sums of all blocks of
// the payload. A Seal is shared and not changed once a Storage has it.
type Seal struct {
	PayloadBytes int64    // that are summed: all of the storage's
	Root         [16]byte // blocksum.Root of the sums
	Sums         []uint64 // of the blocks in order, at most MaxInlineSums of them; nil if they are in a file
	File         uint64   // number in the name of the file that has the sums; 0 if they are in Sums
}

// NewSeal returns the seal of a payload of so many bytes. Where the sums are too many to stand in it, their file has the
// number file, which must not be 0.
func NewSeal(payload int64, sums []uint64, file uint64) *Seal {
	s := &Seal{PayloadBytes: payload, Root: blocksum.Root(sums)}
	switch {
	case len(sums) > MaxInlineSums:
		s.File = file
	case len(sums) > 0:
		s.Sums = sums
	}
	return s
}

// SumsFile returns the path, relative to the store, of the file with the sums of a sealed storage; "" if the storage
// has none.
func (s Storage) SumsFile() string {
	if s.Seal == nil || s.Seal.File == 0 {
		return ""
	}
	id := s.ID.String()
	if s.Gen == 0 {
		return fmt.Sprintf("storages/%s/%s.%d.sums", id[:2], id, s.Seal.File)
	}
	return fmt.Sprintf("storages/%s/%s.%d.%d.sums", id[:2], id, s.Gen, s.Seal.File)
}

// OwnFiles returns the paths, relative to the store, of the files that only this storage uses, and that go with it.
func (s Storage) OwnFiles() []string {
	var files []string
	if !s.Adopted {
		files = append(files, s.File())
	}
	if sums := s.SumsFile(); sums != "" {
		files = append(files, sums)
	}
	return files
}

// sealFault says why the seal can't be stored, "" if it can.
func (s *Storage) sealFault() string {
	seal := s.Seal
	if seal == nil {
		return ""
	}
	blocks := blocksum.Count(seal.PayloadBytes)
	switch {
	case seal.PayloadBytes != s.PayloadBytes:
		return fmt.Sprintf("its seal is of %d bytes, its payload has %d", seal.PayloadBytes, s.PayloadBytes)
	case seal.File != 0 && len(seal.Sums) > 0:
		return "its seal has sums, and a file of them"
	case seal.File == 0 && (len(seal.Sums) != blocks || blocks > MaxInlineSums):
		return fmt.Sprintf("its seal has %d sums for %d blocks", len(seal.Sums), blocks)
	case s.State == Dirty || s.State == Patching:
		return "it is sealed, and " + s.State.String()
	}
	return ""
}

func encodeSeal(s *Seal) []byte {
	b := appendUint(nil, 1, blocksum.BlockBytes)
	b = appendUint(b, 2, uint64(s.PayloadBytes))
	b = appendBytes(b, 3, s.Root[:])
	if len(s.Sums) > 0 {
		var sums []byte
		for _, sum := range s.Sums {
			sums = binary.LittleEndian.AppendUint64(sums, sum)
		}
		b = appendBytes(b, 4, sums)
	}
	return appendUint(b, 5, s.File)
}

func decodeSeal(message []byte) (*Seal, error) {
	s := new(Seal)
	var blockBytes uint64
	for f, err := range fields(message) {
		if err != nil {
			return nil, err
		}
		switch {
		case f.is(1, protowire.VarintType):
			blockBytes = f.u
		case f.is(2, protowire.VarintType):
			s.PayloadBytes, err = nonNegative(f.u)
		case f.is(3, protowire.BytesType):
			if len(f.b) != len(s.Root) {
				err = fmt.Errorf("root of %d bytes", len(f.b))
			}
			copy(s.Root[:], f.b)
		case f.is(4, protowire.BytesType):
			s.Sums, err = decodeSums(f.b)
		case f.is(5, protowire.VarintType):
			s.File = f.u
		}
		if err != nil {
			return nil, err
		}
	}
	if blockBytes != blocksum.BlockBytes {
		return nil, sentinel.NewerKind("a seal with blocks of bytes:", blockBytes, FormatVersion)
	}
	return s, nil
}

func decodeSums(b []byte) ([]uint64, error) {
	if len(b)%8 != 0 || len(b) > 8*MaxInlineSums {
		return nil, fmt.Errorf("%d bytes of sums", len(b))
	}
	var sums []uint64
	for ; len(b) > 0; b = b[8:] {
		sums = append(sums, binary.LittleEndian.Uint64(b))
	}
	return sums, nil
}
