package snapshots

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
)

// heldFile is a storage of the snapshot with what all snapshots know of it.
type heldFile struct {
	storage catalog.Storage
	seal    *catalog.Seal // of the snapshot that is restored
	maxGen  uint32
	changes uint64 // the most
}

// load reads the records that are to be restored.
func (r *restoring) load(ctx context.Context, m *catalog.Image, names []string) error {
	r.wanted, r.files = map[string]bool{}, map[catalog.ID]*heldFile{}
	return m.View(ctx, func(c *catalog.Tx) error {
		if r.all {
			for rec, err := range c.Records() {
				if err := errors.Join(err, r.want(c, rec)); err != nil {
					return err
				}
			}
			return nil
		}

		for _, name := range names {
			if err := r.wantNamed(ctx, c, m, strings.TrimSuffix(name, "/")); err != nil {
				return err
			}
		}
		return nil
	})
}

// wantNamed adds the record of a name, or those of all names in a group, to what is restored.
func (r *restoring) wantNamed(ctx context.Context, c *catalog.Tx, m *catalog.Image, name string) error {
	rec, err := c.Get(name)
	if err == nil {
		return r.want(c, rec)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}

	// The name is no record: list it as a group, page by page.
	after, n := "", 0
	for {
		page, err := c.List(name, after, true, engine.ListPage)
		if err != nil {
			return err
		}
		for _, item := range page {
			if err := r.want(c, item.Record); err != nil {
				return err
			}
			after = item.Name
		}

		if n += len(page); n == 0 {
			return engine.NotInSnapshot(ctx, m, name)
		}
		if len(page) < engine.ListPage {
			return nil
		}
	}
}

// want adds a record, and its storage, to what is restored.
func (r *restoring) want(c *catalog.Tx, rec catalog.Record) error {
	if r.wanted[rec.Name] {
		return nil
	}
	r.wanted[rec.Name] = true
	r.records = append(r.records, rec)
	if rec.Kind != catalog.KindTensor || r.files[rec.Storage] != nil {
		return nil
	}
	st, err := c.Storage(rec.Storage)
	r.files[rec.Storage] = &heldFile{storage: st, seal: st.Seal, maxGen: st.Gen, changes: st.Changes}
	return err
}

// compare looks at what the other snapshots know of the files, as often as one is removed
// meanwhile: what that knew stays.
func (r *restoring) compare(ctx context.Context) error {
	for try := 1; ; try++ {
		if err := r.compareOnce(ctx); !errors.Is(err, store.ErrConflict) || try == engine.Attempts {
			return err
		}
	}
}

func (r *restoring) compareOnce(ctx context.Context) error {
	snaps, err := r.store.Engine.AllSnapshots(ctx)
	if err != nil {
		return err
	}

	// Other snapshots may know of more rows in a file, and of numbers that must not be used again.
	for _, snap := range snaps {
		if snap.ID == r.snap.ID {
			continue
		}
		err := r.store.Engine.WithImage(snap, func(m *catalog.Image) error {
			return m.View(ctx, func(c *catalog.Tx) error {
				for id, f := range r.files {
					if err := f.compare(c, id); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if err != nil {
			return r.store.unlessRemoved(ctx, snap, err)
		}
	}
	return nil
}

// unlessRemoved returns ErrConflict in the place of err, an error of reading a snapshot, if the
// snapshot has been removed meanwhile.
func (s *Store) unlessRemoved(ctx context.Context, snap catalog.Snapshot, err error) error {
	now, look := s.Engine.SnapshotNamed(ctx, snap.Name)
	if errors.Is(look, store.ErrNotFound) || look == nil && now.ID != snap.ID {
		return fmt.Errorf("%w: snapshot %q was removed meanwhile: try again", store.ErrConflict, snap.Name)
	}
	return err
}

// compare takes over what is newer in another snapshot: rows that were appended to the file, and
// numbers that must not be used again.
func (f *heldFile) compare(c *catalog.Tx, id catalog.ID) error {
	st, err := c.Storage(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	f.maxGen, f.changes = max(f.maxGen, st.Next()-1), max(f.changes, st.Changes)
	if st.Gen == f.storage.Gen && st.PayloadBytes > f.storage.PayloadBytes {
		born := f.storage.Born
		f.storage = st
		f.storage.Born = born
	}
	return nil
}
