package tstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
)

// Damage is a run of bytes that are not what was sealed.
type Damage struct {
	// File is relative to the store, or absolute for adopted files. It is the file of the checksums
	// if that one is damaged.
	File string
	// Offset and Bytes are where in the file: whole blocks of 64 KiB. Bytes is
	// -1 where it is about the file as a whole.
	Offset, Bytes int64
	// Parts are the tensors that have elements there, the first hundred.
	Parts []DamagedPart
	// Err says what is wrong: ErrChecksum, ErrTruncated, ErrMissing, ErrChanged or an error of the
	// file system.
	Err error
}

// DamagedPart is the smallest part of a tensor, as ranges of indexes, that holds all damaged
// elements.
type DamagedPart struct {
	Name string
	// Selector is the part: "x[3:5, 0:7]".
	Selector string
}

// badBlocks are the numbers of blocks, and what is wrong with each.
type badBlocks struct {
	mu    sync.Mutex
	found map[int64]error
}

func (b *badBlocks) add(n int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.found[n] = err
}

// runs puts together blocks that follow one another with the same error.
func (b *badBlocks) runs(st catalog.Storage) []Damage {
	var out []Damage
	for _, n := range slices.Sorted(maps.Keys(b.found)) {
		d := Damage{File: st.File(), Offset: st.HeaderBytes + n*blocksum.BlockBytes, Bytes: blocksum.Bytes(n, st.PayloadBytes), Err: b.found[n]}
		if last := len(out) - 1; last >= 0 && out[last].Offset+out[last].Bytes == d.Offset && out[last].Err.Error() == d.Err.Error() {
			out[last].Bytes += d.Bytes
		} else {
			out = append(out, d)
		}
	}
	return out
}

// blame finds the tensors that damage concerns.
func (s *Store) blame(ctx context.Context, t *target, found []Damage) error {
	return s.viewAt(ctx, t.snapshot, func(c *catalog.Tx) error { return blameIn(c, t, found) })
}

// blameIn finds the names that damage concerns, in a catalog that has the target's storage.
func blameIn(c *catalog.Tx, t *target, found []Damage) error {
	for i := range found {
		found[i].Parts = nil
	}

	names, err := c.Sharers(t.storage.ID, 0)
	if err != nil {
		return err
	}
	for _, name := range names {
		rec, err := c.Get(name)
		if err != nil {
			return err
		}
		for i := range found {
			if err := found[i].concerns(rec, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// concerns adds a tensor to the damage if it has elements there. At most ProblemNames tensors are
// named.
func (d *Damage) concerns(rec catalog.Record, t *target) error {
	if len(d.Parts) == engine.ProblemNames {
		return nil
	}

	l, err := record.Layout(rec)
	if err != nil {
		return err
	}

	name := Selector{Name: rec.Name, Snapshot: t.snapshot}.String()
	// Without a length the whole file is bad.
	if d.Bytes < 0 {
		d.Parts = append(d.Parts, DamagedPart{Name: name, Selector: name})
		return nil
	}

	// A byte range covers the elements that it touches, also at its ends.
	size := int64(rec.DType.Size())
	lo := d.Offset - t.storage.HeaderBytes
	ranges, any := check.RangesWithin(l, int(lo/size), int((lo+d.Bytes+size-1)/size))
	if any {
		d.Parts = append(d.Parts, DamagedPart{Name: name, Selector: name + check.RangesText(l, ranges)})
	}
	return nil
}

// Problems returns the damage in the form that Check has.
func (r *VerifyReport) Problems() []Problem {
	var all []Problem
	for _, d := range r.Damage {
		p := Problem{Kind: ProblemChecksum, File: d.File, Detail: d.detail(), Remedy: "restore the file from a copy, or delete the tensors; tstore unseal takes them as they are"}
		for _, part := range d.Parts {
			p.Names = append(p.Names, part.Name)
		}
		all = append(all, p)
	}
	return all
}

// detail describes the damage in one line.
func (d *Damage) detail() string {
	var parts []string
	for _, p := range d.Parts {
		parts = append(parts, p.Selector)
	}
	where := "no element lies there"
	if len(parts) > 0 {
		where = "in " + strings.Join(parts, ", ")
	}
	if d.Bytes < 0 {
		return fmt.Sprintf("%v: %s", d.Err, where)
	}
	return fmt.Sprintf("bytes %d to %d: %v: %s", d.Offset, d.Offset+d.Bytes, d.Err, where)
}
