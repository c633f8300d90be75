package snapshots

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
)

// SnapshotChange is a name that stands for something else in one state than in another.
type SnapshotChange struct {
	Name string
	A, B *catalog.Entry
	What []string
}

// DiffSnapshots compares two snapshots, or one with the store as it is when b is empty, and yields
// the names that differ, in their order.
func (s *Store) DiffSnapshots(ctx context.Context, a, b string) iter.Seq2[SnapshotChange, error] {
	return func(yield func(SnapshotChange, error) bool) {
		d := &snapshotDiff{a: s.walk(ctx, a), b: s.walk(ctx, b)}
		for {
			change, more, err := d.next()
			if err != nil {
				yield(change, err)
				return
			}
			if !more || change.differs() && !yield(change, nil) {
				return
			}
		}
	}
}

// differs reports whether there is something to tell.
func (c *SnapshotChange) differs() bool { return c.A == nil || c.B == nil || len(c.What) > 0 }

// snapshotDiff walks through two states at once.
type snapshotDiff struct{ a, b *entryWalk }

// next returns the change of the next name that either state has.
func (d *snapshotDiff) next() (c SnapshotChange, more bool, err error) {
	if err := errors.Join(d.a.fill(), d.b.fill()); err != nil {
		return c, false, err
	}

	a, b := d.a.entry, d.b.entry
	switch {
	case a == nil && b == nil:
		return c, false, nil
	case b == nil || a != nil && compareNames(a.Record.Name, b.Record.Name) < 0:
		c = SnapshotChange{Name: a.Record.Name, A: a}
	case a == nil || compareNames(a.Record.Name, b.Record.Name) > 0:
		c = SnapshotChange{Name: b.Record.Name, B: b}
	default:
		c = SnapshotChange{Name: a.Record.Name, A: a, B: b, What: whatDiffers(a, b)}
	}

	// A state whose entry was used moves on with the next fill.
	if c.A != nil {
		d.a.entry = nil
	}
	if c.B != nil {
		d.b.entry = nil
	}
	return c, true, nil
}

// compareNames compares names in the order of listings.
func compareNames(a, b string) int {
	key := func(name string) string { return strings.ReplaceAll(name, "/", "\x00") }
	return strings.Compare(key(a), key(b))
}

// entryWalk yields the entries of a state, one page at a time.
type entryWalk struct {
	page  func(after string) ([]*catalog.Entry, error)
	queue []*catalog.Entry
	after string
	ended bool
	entry *catalog.Entry // the next one; nil when it has been used, or at the end
}

// walk begins with the first name of a snapshot, or of the store as it is.
func (s *Store) walk(ctx context.Context, snapshot string) *entryWalk {
	view := func(fn func(*catalog.Tx) error) error { return s.Engine.Catalog.View(ctx, fn) }
	if snapshot != "" {
		view = func(fn func(*catalog.Tx) error) error { return s.Engine.ViewSnapshot(ctx, snapshot, fn) }
	}
	return &entryWalk{page: func(after string) (page []*catalog.Entry, err error) {
		if err := s.Engine.CheckOpen(); err != nil {
			return nil, err
		}
		err = view(func(c *catalog.Tx) error {
			page, err = entriesAfter(c, after)
			return err
		})
		return page, err
	}}
}

// entriesAfter returns a page of records with their storages.
func entriesAfter(c *catalog.Tx, after string) ([]*catalog.Entry, error) {
	items, err := c.List("", after, true, engine.ListPage)
	if err != nil {
		return nil, err
	}
	page := make([]*catalog.Entry, len(items))
	for i, item := range items {
		page[i] = &catalog.Entry{Record: item.Record}
		if item.Record.Kind != catalog.KindTensor {
			continue
		}
		if page[i].Storage, err = c.Storage(item.Record.Storage); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// fill makes sure that there is a next entry, unless the walk is at its end.
func (w *entryWalk) fill() error {
	if w.entry != nil || w.ended {
		return nil
	}
	if len(w.queue) == 0 {
		page, err := w.page(w.after)
		if err != nil {
			return err
		}
		if w.ended = len(page) == 0; w.ended {
			return nil
		}
		w.queue, w.after = page, page[len(page)-1].Record.Name
	}
	w.entry, w.queue = w.queue[0], w.queue[1:]
	return nil
}

// whatDiffers returns what differs between the two states of a name.
func whatDiffers(a, b *catalog.Entry) (what []string) {
	ra, rb := &a.Record, &b.Record
	if ra.Kind != rb.Kind {
		return []string{"kind"}
	}

	for _, part := range []struct {
		what string
		same bool
	}{
		{"dtype", ra.DType == rb.DType},
		{"shape", slices.Equal(ra.Shape, rb.Shape)},
		{"elements", ra.Kind != catalog.KindTensor || sameElements(a, b)},
		{"seal", (a.Storage.Seal == nil) == (b.Storage.Seal == nil)},
		{"value", ra.Blob == rb.Blob},
		{"formula", ra.Formula.Text == rb.Formula.Text},
		{"dims", slices.Equal(ra.Dims, rb.Dims)},
		{"attributes", maps.Equal(ra.Attrs, rb.Attrs)},
	} {
		if !part.same {
			what = append(what, part.what)
		}
	}
	return what
}

// sameElements reports whether two states of a tensor, at least one of them in a snapshot, have the
// same elements for certain: those of the same file, which does not change while a snapshot has it,
// or of a copy that was not changed.
func sameElements(a, b *catalog.Entry) bool {
	ra, rb := &a.Record, &b.Record
	return ra.Storage == rb.Storage && ra.DType == rb.DType && ra.Offset == rb.Offset &&
		slices.Equal(ra.Shape, rb.Shape) && slices.Equal(ra.Strides, rb.Strides) &&
		(a.Storage.Gen == b.Storage.Gen || record.Changes(ra, &a.Storage) == record.Changes(rb, &b.Storage))
}
