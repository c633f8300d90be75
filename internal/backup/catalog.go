package backup

import (
	"context"
	"errors"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
)

// rewriteCatalog makes the catalog of the backup, in the file dst.
func (b *backup) rewriteCatalog(ctx context.Context, dst string, mark catalog.Backup) (bytes int64, err error) {
	bytes, _, err = catalog.Rewrite(ctx, b.hold.file, dst, func(c *catalog.Tx) error {
		return errors.Join(b.dropSnapshots(c), dropJobs(c), b.putStorages(c, true), clearTrash(c), c.MarkBackup(mark))
	})
	return bytes, err
}

// rewriteImages rewrites the snapshots that have files with other names in the backup. file returns
// where an item is made.
func (b *backup) rewriteImages(ctx context.Context, file func(it *backupItem) string) error {
	if len(b.moved) == 0 {
		return nil
	}

	for _, it := range b.items {
		if it.kind != imageItem {
			continue
		}

		moves := false
		err := b.store.Engine.WithImage(it.snapshot, func(m *catalog.Image) error {
			return m.View(ctx, func(c *catalog.Tx) error {
				for st, err := range c.Storages() {
					if err != nil {
						return err
					}
					_, moved := b.moved[st.File()]
					moves = moves || moved
				}
				return nil
			})
		})
		if err != nil {
			return err
		}

		if !moves {
			continue
		}

		// The image has other bytes than the store's, so it gets an id of its own.
		snap := it.snapshot
		snap.ID = catalog.NewID()
		it.Path = snap.File()

		snap.Bytes, snap.Sum, err = catalog.Rewrite(ctx, b.store.Engine.Path(it.snapshot.File()), file(it), func(c *catalog.Tx) error {
			return errors.Join(b.putStorages(c, false), clearTrash(c))
		})
		if err != nil {
			return err
		}

		// The item is complete: there is nothing left to copy.
		it.Size, it.Source.Path = snap.Bytes, ""
		it.Key, it.have, it.there, it.made = "", 0, false, true
		b.edited[it.snapshot.ID] = snap
	}
	return nil
}

// dropSnapshots removes the snapshots that are not in the backup, and describes those that were
// rewritten.
func (b *backup) dropSnapshots(c *catalog.Tx) error {
	all, err := c.Snapshots()
	if err != nil {
		return err
	}

	for _, snap := range all {
		now, edited := b.edited[snap.ID]
		if !edited && !b.opts.NoSnapshots && !engine.IsHold(snap.Name) {
			continue
		}

		if err := c.DropSnapshot(snap.Name); err != nil {
			return err
		}

		// A rewritten snapshot has another size and checksum: it goes and comes back.
		if edited && !b.opts.NoSnapshots {
			if err := c.PutSnapshot(now); err != nil {
				return err
			}
		}
	}
	return nil
}

func dropJobs(c *catalog.Tx) error {
	jobs, err := c.Jobs()
	for _, j := range jobs {
		err = errors.Join(err, c.DropJob(j.ID()))
	}
	return err
}

// putStorages describes the files as they are in the backup. present is set for the catalog of the
// backup, and not for those of its snapshots.
func (b *backup) putStorages(c *catalog.Tx, present bool) error {
	stamp := b.store.Engine.Stamp()
	var changed []catalog.Storage
	for st, err := range c.Storages() {
		if err != nil {
			return err
		}

		was := st
		if gen, ok := b.moved[st.File()]; ok {
			st.Gen = gen
			st.NextGen = max(st.NextGen, gen+1)
		}
		if sum, ok := b.headers[st.ID]; ok && present {
			st.HeaderSum = sum
		}
		if !st.Adopted {
			st.Boot = stamp
		}

		if st.Gen != was.Gen || st.HeaderSum != was.HeaderSum || st.Boot != was.Boot {
			changed = append(changed, st)
		}
	}

	// The records change after the walk, which a change would disturb.
	for _, st := range changed {
		if err := c.RestoreStorage(st); err != nil {
			return err
		}
	}
	return nil
}

// clearTrash forgets the files that are to be removed: they are not in a backup.
func clearTrash(c *catalog.Tx) error {
	all, err := c.Trash()
	for _, t := range all {
		err = errors.Join(err, c.ClearTrash(t.File))
	}
	return err
}
