package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/store"
)

// Damage is a run of bytes that are not what was sealed.
type Damage struct {
	File          string
	Offset, Bytes int64
	Parts         []DamagedPart
	Err           error
}

// DamagedPart is the smallest part of a tensor, as ranges of indexes, that holds all damaged
// elements.
type DamagedPart struct {
	Name     string
	Selector string
}

// BadBlocks collects the blocks of a storage that are damaged, by their numbers, and what is wrong
// with each. Add may be called by several goroutines.
type BadBlocks struct {
	mu    sync.Mutex
	Found map[int64]error
}

// Add notes that a block is bad, and why.
func (b *BadBlocks) Add(n int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Found[n] = err
}

// Runs returns the damage in the order of the blocks. Neighbours with the same error are one
// damage.
func (b *BadBlocks) Runs(st catalog.Storage) []Damage {
	var out []Damage
	for _, n := range slices.Sorted(maps.Keys(b.Found)) {
		d := Damage{File: st.File(), Offset: st.HeaderBytes + n*blocksum.BlockBytes, Bytes: blocksum.Bytes(n, st.PayloadBytes), Err: b.Found[n]}
		if last := len(out) - 1; last >= 0 && out[last].Offset+out[last].Bytes == d.Offset && out[last].Err.Error() == d.Err.Error() {
			out[last].Bytes += d.Bytes
		} else {
			out = append(out, d)
		}
	}
	return out
}

// blame finds the tensors that damage concerns.
func (s *Store) blame(ctx context.Context, t *Target, found []Damage) error {
	return s.ViewAt(ctx, t.Snapshot, func(c *catalog.Tx) error { return BlameIn(c, t, found) })
}

// BlameIn adds to each damage the parts of tensors that it concerns, by the names in c, a catalog
// that has the storage of t.
func BlameIn(c *catalog.Tx, t *Target, found []Damage) error {
	for i := range found {
		found[i].Parts = nil
	}

	names, err := c.Sharers(t.Storage.ID, 0)
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
func (d *Damage) concerns(rec catalog.Record, t *Target) error {
	if len(d.Parts) == engine.ProblemNames {
		return nil
	}

	l, err := record.Layout(rec)
	if err != nil {
		return err
	}

	name := store.Selector{Name: rec.Name, Snapshot: t.Snapshot}.String()
	// Without a length the whole file is bad.
	if d.Bytes < 0 {
		d.Parts = append(d.Parts, DamagedPart{Name: name, Selector: name})
		return nil
	}

	// A byte range covers the elements that it touches, also at its ends.
	size := int64(rec.DType.Size())
	lo := d.Offset - t.Storage.HeaderBytes
	ranges, any := rangesWithin(l, int(lo/size), int((lo+d.Bytes+size-1)/size))
	if any {
		d.Parts = append(d.Parts, DamagedPart{Name: name, Selector: name + rangesText(l, ranges)})
	}
	return nil
}

// Problems returns the damage in the form that Check has.
func Problems(damage []Damage) []Problem {
	var all []Problem
	for _, d := range damage {
		p := Problem{Kind: ProblemChecksum, File: d.File, Detail: d.Detail(), Remedy: "restore the file from a copy, or delete the tensors; tstore unseal takes them as they are"}
		for _, part := range d.Parts {
			p.Names = append(p.Names, part.Name)
		}
		all = append(all, p)
	}
	return all
}

// Detail describes the damage in one line.
func (d *Damage) Detail() string {
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
