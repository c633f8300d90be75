package catalog

import (
	"encoding/binary"
	"fmt"

	"github.com/tstore/tstore/catalog/internal/wire"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/sentinel"
)

// MaxInlineSums is the number of sums up to which a Seal holds them itself.
const MaxInlineSums = 64

// Seal says that the committed bytes of a storage never change in place, and what they are: the
// sums of all blocks of the payload. A Seal is shared and not changed once a Storage has it.
type Seal struct {
	PayloadBytes int64    // that are summed: all of the storage's
	Root         [16]byte // blocksum.Root of the sums
	Sums         []uint64 // of the blocks in order, at most MaxInlineSums of them; nil if they are in a file
	File         uint64   // number in the name of the file that has the sums; 0 if they are in Sums
}

// NewSeal returns the seal of a payload of so many bytes. Where the sums are too many to stand in
// it, their file has the number file, which must not be 0.
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

// SumsFile returns the path, relative to the store, of the file with the sums of a sealed storage;
// "" if the storage has none.
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

// OwnFiles returns the paths, relative to the store, of the files that only this storage uses, and
// that go with it.
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

// sealField codes the seal, if there is one.
func (s *Storage) sealField(c *wire.Coder) {
	const num = 15
	if s.Seal == nil && c.Num() != num {
		return
	}

	m := sealMessage{blocksum.BlockBytes, s.Seal}
	if !c.Writing() {
		m = sealMessage{seal: new(Seal)}
	}
	if !wire.Message(c, num, s.Seal != nil, &m, (*sealMessage).fields) {
		return
	}

	if m.blockBytes != blocksum.BlockBytes {
		c.Fail(sentinel.NewerKind("a seal with blocks of bytes:", m.blockBytes, FormatVersion))
	}
	s.Seal = m.seal
}

// sealMessage is a seal with the size of its blocks, which is the same for all.
type sealMessage struct {
	blockBytes uint64
	seal       *Seal
}

func (m *sealMessage) fields(c *wire.Coder) {
	c.Uint(1, &m.blockBytes)
	c.Count(2, &m.seal.PayloadBytes)
	c.Array(3, true, m.seal.Root[:])
	m.seal.sumsField(c)
	c.Uint(5, &m.seal.File)
}

// sumsField codes the sums as eight bytes each.
func (s *Seal) sumsField(c *wire.Coder) {
	var packed []byte
	if c.Writing() {
		for _, sum := range s.Sums {
			packed = binary.LittleEndian.AppendUint64(packed, sum)
		}
	}
	if !c.Raw(4, len(packed) > 0, &packed) {
		return
	}

	if len(packed)%8 != 0 || len(packed) > 8*MaxInlineSums {
		c.Fail(fmt.Errorf("%d bytes of sums", len(packed)))
		return
	}
	s.Sums = nil
	for ; len(packed) > 0; packed = packed[8:] {
		s.Sums = append(s.Sums, binary.LittleEndian.Uint64(packed))
	}
}
