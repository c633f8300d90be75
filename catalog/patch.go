package catalog

import (
	"fmt"
	"math"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// The limits of a redo entry.
const (
	MaxPatchBytes = 1 << 20 // of all runs together
	MaxPatchRuns  = 4096
)

// Run is bytes at an offset of a payload.
type Run struct {
	Offset int64 // byte of the payload
	Bytes  []byte
}

// End returns the byte of the payload behind the run.
func (r Run) End() int64 { return r.Offset + int64(len(r.Bytes)) }

// Patch is the redo entry of one storage: bytes that are about to be, or have been, written to its
// payload. Whoever finds one writes all of it again and clears it.
type Patch struct {
	Offset int64 // byte of the payload
	Bytes  []byte
	More   []Run // each behind the one before, the first behind Bytes
}

// Runs returns all that is written, in the order of the offsets.
func (p *Patch) Runs() []Run { return append([]Run{{p.Offset, p.Bytes}}, p.More...) }

// runsVersion is the version byte of a patch of several runs. Programs that know the first one only
// refuse it.
const runsVersion = wire.Version + 1

// version returns the version byte of the patch.
func (p *Patch) version() byte {
	if len(p.More) > 0 {
		return runsVersion
	}
	return wire.Version
}

func encodePatch(p Patch) []byte { return wire.Encode(&p, (*Patch).fields) }

func decodePatch(message []byte) (Patch, error) {
	var p Patch
	if err := wire.Decode(message, &p, (*Patch).fields); err != nil {
		return Patch{}, err
	}
	return p, p.check()
}

func (p *Patch) fields(c *wire.Coder) {
	c.Count(1, &p.Offset)
	c.Bytes(2, &p.Bytes)
	wire.List(c, 3, MaxPatchRuns-1, &p.More, (*Run).fields)
}

func (r *Run) fields(c *wire.Coder) {
	c.Count(1, &r.Offset)
	c.Bytes(2, &r.Bytes)
}

func (p *Patch) check() error {
	if len(p.More) >= MaxPatchRuns {
		return fmt.Errorf("%w patch of %d runs: at most %d are allowed", ErrInvalid, 1+len(p.More), MaxPatchRuns)
	}

	var total, end int64
	for _, r := range p.Runs() {
		switch {
		case len(r.Bytes) == 0:
			return fmt.Errorf("%w patch: it holds no bytes at offset %d", ErrInvalid, r.Offset)
		case r.Offset < 0 || r.Offset > math.MaxInt64-int64(len(r.Bytes)):
			return fmt.Errorf("%w patch of %d bytes at offset %d", ErrInvalid, len(r.Bytes), r.Offset)
		case r.Offset < end:
			return fmt.Errorf("%w patch: its bytes at offset %d are not behind those to %d", ErrInvalid, r.Offset, end)
		}
		end = r.End()
		total += int64(len(r.Bytes))
	}

	if total > MaxPatchBytes {
		return fmt.Errorf("%w patch of %d bytes: at most %d are allowed", ErrInvalid, total, MaxPatchBytes)
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
	return tx.patches.putAs(p.version(), id[:], encodePatch(p))
}

// ClearPatch removes the redo entry of a storage, if there is one.
func (tx *Tx) ClearPatch(id ID) error {
	if err := tx.writing(); err != nil {
		return err
	}
	return tx.patches.del(id[:])
}
