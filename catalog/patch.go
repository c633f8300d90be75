package catalog

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// MaxPatchBytes is the size of the largest redo entry.
const MaxPatchBytes = 1 << 20

// Patch is the redo entry of one storage: bytes that are about to be, or have been, written at an offset of its
// payload. Whoever finds one writes it again and clears it.
type Patch struct {
	Offset int64 // byte of the payload
	Bytes  []byte
}

func encodePatch(p Patch) []byte {
	return appendBytes(appendUint(nil, 1, uint64(p.Offset)), 2, p.Bytes)
}

func decodePatch(message []byte) (Patch, error) {
	var p Patch
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return Patch{}, err
		case f.is(1, protowire.VarintType):
			if p.Offset, err = nonNegative(f.u); err != nil {
				return Patch{}, err
			}
		case f.is(2, protowire.BytesType):
			p.Bytes = bytes.Clone(f.b)
		}
	}
	return p, p.check()
}

func (p *Patch) check() error {
	switch {
	case len(p.Bytes) == 0:
		return fmt.Errorf("%w patch: it holds no bytes", ErrInvalid)
	case len(p.Bytes) > MaxPatchBytes:
		return fmt.Errorf("%w patch of %d bytes: at most %d are allowed", ErrInvalid, len(p.Bytes), MaxPatchBytes)
	case p.Offset < 0:
		return fmt.Errorf("%w patch at offset %d", ErrInvalid, p.Offset)
	}
	return nil
}

// Patch returns the redo entry of a storage, or ErrNotFound.
func (tx *Tx) Patch(id ID) (Patch, error) {
	message, err := tx.patches.get(id[:])
	if err != nil {
		return Patch{}, err
	}
	if message == nil {
		return Patch{}, fmt.Errorf("patch of storage %s %w", id, ErrNotFound)
	}
	p, err := decodePatch(message)
	return p, tx.patches.bad(id[:], err)
}

// PutPatch sets the redo entry of a storage, which must exist. A storage has at most one.
func (tx *Tx) PutPatch(id ID, p Patch) error {
	if err := tx.writing(); err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	if _, err := tx.Storage(id); err != nil {
		return err
	}
	return tx.patches.put(id[:], encodePatch(p))
}

// ClearPatch removes the redo entry of a storage, if there is one.
func (tx *Tx) ClearPatch(id ID) error {
	if err := tx.writing(); err != nil {
		return err
	}
	return tx.patches.del(id[:])
}
