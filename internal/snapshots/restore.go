package snapshots

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
)

// Restored says what RestoreSnapshot has done.
type Restored struct {
	Changed, Deleted int
	Copied           int64
}

// RestoreSnapshot brings back what a snapshot has, in one transaction: the tensors, blobs and
// groups of those names, or without names everything, so that names made since are deleted.
func (s *Store) RestoreSnapshot(ctx context.Context, name string, names ...string) (Restored, error) {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return Restored{}, err
	}
	defer end()
	r, err := s.newRestoring(ctx, name, names)
	if err == nil {
		err = r.run(ctx)
	}
	if err != nil {
		return Restored{}, fmt.Errorf("restore snapshot %q: %w", name, err)
	}
	return Restored{Changed: len(r.plan.Created) + len(r.plan.Changed), Deleted: len(r.plan.Deleted), Copied: r.plan.Copied}, nil
}

// RestorePlan says what RestoreSnapshot would do.
type RestorePlan struct {
	Created, Changed, Deleted []string
	Copied                    int64
}

// PlanRestore returns what RestoreSnapshot would do now, and does nothing.
func (s *Store) PlanRestore(ctx context.Context, name string, names ...string) (RestorePlan, error) {
	end, err := s.Engine.BeginWork()
	if err != nil {
		return RestorePlan{}, err
	}
	defer end()
	r, err := s.newRestoring(ctx, name, names)
	if err == nil {
		err = r.rehearse(ctx)
	}
	if err != nil {
		return RestorePlan{}, fmt.Errorf("restore snapshot %q: %w", name, err)
	}
	return r.plan, nil
}

// restoring is a RestoreSnapshot at work.
type restoring struct {
	store   *Store
	snap    catalog.Snapshot
	all     bool
	records []catalog.Record // to be there, in order
	wanted  map[string]bool  // their names
	// files are the storages that they use, as the last of the snapshots that have the same file
	// knows it.
	files map[catalog.ID]*heldFile
	// copies are new storages with elements of the snapshot, by its own. copied are those of them
	// that the last run of commit had to take.
	copies map[catalog.ID]*engine.Staged
	copied map[catalog.ID]catalog.ID
	// plan is what the last run of commit has done. resealed are the storages that it has sealed or
	// unsealed, touched those whose records it has put.
	plan              RestorePlan
	resealed, touched map[catalog.ID]bool
}

// newRestoring reads the records that are to be restored.
func (s *Store) newRestoring(ctx context.Context, name string, names []string) (*restoring, error) {
	snap, err := s.Engine.SnapshotNamed(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &restoring{store: s, snap: snap, all: len(names) == 0}
	return r, s.Engine.WithImage(snap, func(m *catalog.Image) error { return errors.Join(m.Verify(ctx), r.load(ctx, m, names)) })
}

// run commits, after copying what can't be had otherwise.
func (r *restoring) run(ctx context.Context) error {
	for try := 1; ; try++ {
		if err := r.compare(ctx); err != nil {
			return err
		}

		// Copy first, without the lock of the catalog: copying takes long.
		files, err := r.copyShared(ctx)
		if err == nil {
			err = r.store.Engine.Publish(ctx, files, r.commit)
		}
		if err == nil {
			r.freshenHeaders(ctx)
		}

		// The commit may find shared what was not when it was copied: copy that, too.
		if !errors.Is(err, errNotCopied) || try == engine.Attempts {
			return err
		}
	}
}

// freshenHeaders writes the headers of the files whose tensors were restored. Repair writes those
// that fail here: the catalog is right.
func (r *restoring) freshenHeaders(ctx context.Context) {
	for id := range r.touched {
		if lock, err := r.store.Engine.LockStorageSoon(ctx, id, ""); err == nil {
			_ = errors.Join(r.store.Engine.FreshenHeader(ctx, id), lock.Unlock())
		}
	}
}

// rehearse runs commit without copies and without its effect.
func (r *restoring) rehearse(ctx context.Context) error {
	if err := r.compare(ctx); err != nil {
		return err
	}

	// Commit needs a record for each copy that it would make; no file is written.
	return r.store.Engine.Catalog.Rehearse(ctx, func(c *catalog.Tx) error {
		shared, err := r.shared(c)
		if err != nil {
			return err
		}
		r.copies = map[catalog.ID]*engine.Staged{}
		for _, old := range shared {
			r.copies[old.ID] = &engine.Staged{Storage: copyRecord(old, catalog.NewID())}
		}
		return errors.Join(r.store.Engine.MustBeMine(c), r.commit(c))
	})
}
