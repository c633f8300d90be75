package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// scanSnapshots reads the files of snapshots. Each snapshot knows the names of those before it. The
// name of the newest may be lost with the catalog.
func (sv *salvage) scanSnapshots(ctx context.Context, store catalog.ID) error {
	ids, err := sv.snapshotIDs()
	if err != nil {
		return err
	}

	known := sv.oldSnapshots(ctx)
	for _, id := range ids {
		snap, err := sv.readSnapshot(ctx, id, store, known)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			sv.report.Skipped[snap.File()] = err.Error()
			continue
		}
		sv.snaps = append(sv.snaps, snap)
	}

	for i := range sv.snaps {
		sv.describe(&sv.snaps[i], known)
	}
	slices.SortFunc(sv.snaps, func(a, b catalog.Snapshot) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), slices.Compare(a.ID[:], b.ID[:]))
	})
	return nil
}

// snapshotIDs returns the ids of the files of snapshots. One that was being made is left to gc.
func (sv *salvage) snapshotIDs() ([]catalog.ID, error) {
	entries, err := sv.fs.ReadDir(filepath.Join(sv.dir, storefile.SnapshotDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []catalog.ID
	for _, e := range entries {
		if id, ok := storefile.ParseSnapshot(e.Name()); ok && e.Name() == path.Base(catalog.Snapshot{ID: id}.File()) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// storeOfSnapshots returns the id of the store that a whole snapshot belongs to, or a new one.
func (sv *salvage) storeOfSnapshots(ctx context.Context) catalog.ID {
	ids, _ := sv.snapshotIDs() // scanSnapshots tells of the error
	for _, id := range ids {
		var store catalog.ID
		_, err := catalog.InspectImage(ctx, sv.snapshotPath(id), func(c *catalog.Tx) error {
			store = c.Meta().Store
			return nil
		})
		if err == nil {
			return store
		}
	}
	return catalog.NewID()
}

func (sv *salvage) snapshotPath(id catalog.ID) string {
	return filepath.Join(sv.dir, filepath.FromSlash(catalog.Snapshot{ID: id}.File()))
}

// oldSnapshots returns the snapshots that the lost catalog still lists, by their ids.
func (sv *salvage) oldSnapshots(ctx context.Context) map[catalog.ID]catalog.Snapshot {
	known := map[catalog.ID]catalog.Snapshot{}
	c, err := catalog.Open(ctx, sv.dir, &catalog.Options{ReadOnly: true, LockTimeout: sv.patience})
	if err != nil {
		return known
	}
	defer c.Close()
	// What can't be read is what salvage is for.
	_ = c.View(ctx, func(tx *catalog.Tx) error { return errors.Join(note(tx, known), sv.numbers(tx)) })
	return known
}

// note takes over a catalog's list of snapshots.
func note(c *catalog.Tx, known map[catalog.ID]catalog.Snapshot) error {
	all, err := c.Snapshots()
	for _, snap := range all {
		known[snap.ID] = snap
	}
	return err
}

// readSnapshot checks the file of a snapshot, and takes over what it knows of the files that were
// found.
func (sv *salvage) readSnapshot(ctx context.Context, id, owner catalog.ID, known map[catalog.ID]catalog.Snapshot) (catalog.Snapshot, error) {
	snap, err := catalog.InspectImage(ctx, sv.snapshotPath(id), func(c *catalog.Tx) error {
		if c.Meta().Store != owner {
			return fmt.Errorf("%w: it belongs to store %v", store.ErrCorrupt, c.Meta().Store)
		}
		if err := note(c, known); err != nil {
			return err
		}
		return sv.compare(c)
	})
	snap.ID = id
	return snap, err
}

// describe gives a snapshot its known record, or a name if there is none.
func (sv *salvage) describe(snap *catalog.Snapshot, known map[catalog.ID]catalog.Snapshot) {
	was, ok := known[snap.ID]
	if ok && was.Bytes == snap.Bytes && was.Sum == snap.Sum {
		*snap = was
		return
	}
	snap.Name = "salvaged-" + snap.ID.String()[:8]
	if fi, err := sv.fs.Stat(sv.snapshotPath(snap.ID)); err == nil {
		snap.Created = fi.ModTime().UTC()
	}
}

// fillSnapshots puts the snapshots into the new catalog. Each gets a number of its own, and a name.
func (sv *salvage) fillSnapshots(c *catalog.Tx) error {
	var last uint64
	for _, snap := range sv.snaps {
		if snap.Seq <= last {
			snap.Seq = last + 1
		}
		last = snap.Seq

		// Two snapshots may claim one name.
		err := c.PutSnapshot(snap)
		for n := 2; errors.Is(err, store.ErrExists); n++ {
			again := snap
			again.Name = fmt.Sprintf("%s.%d", snap.Name, n)
			if err = c.PutSnapshot(again); err == nil {
				snap = again
			}
		}

		if err != nil {
			return err
		}
		sv.report.Snapshots = append(sv.report.Snapshots, snap.Name)
	}
	return nil
}
