package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/store"
)

// takesNoSnapshot reports whether the disk of the store is full, or takes no writes.
func takesNoSnapshot(err error) bool {
	unable := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
	return unable && !errors.Is(err, store.ErrInDoubt)
}

// holdByCopy copies the catalog to a file outside of the store. It is for a store whose disk is
// full, or that is read-only. Nobody is kept from changing and removing files of that state, so
// mustBeUnchanged checks at the end whether anybody has.
func (s *Store) holdByCopy(ctx context.Context, scratch string) (h *hold, err error) {
	id := catalog.NewID()
	h = &hold{store: s, snap: catalog.Snapshot{Name: engine.HoldName(id), ID: id, Created: time.Now().UTC()}, scratch: scratch}

	if scratch == "" {
		if h.dir, err = os.MkdirTemp("", "tstore-backup-"); err != nil {
			return nil, err
		}
		h.scratch = h.dir + string(filepath.Separator)
	}

	h.file = h.scratch + scratchState
	if err := h.copyState(ctx); err != nil {
		return nil, errors.Join(err, h.removeCopy())
	}

	// From here on the copy is read like a snapshot of the store.
	m, err := s.Engine.Catalog.OpenImageAt(h.file, h.snap)
	if err == nil {
		h.copied, err = s.Engine.Images.Add(h.snap.ID, m)
	}
	if err == nil {
		h.state, err = sumOfState(h.file)
	}
	if err != nil {
		return nil, errors.Join(err, h.removeCopy())
	}
	return h, nil
}

// Files beside a backup while it is made, by the ends of their names.
const (
	scratchState   = "state.db"
	scratchCatalog = "catalog.db"
)

// removeScratch removes the files that begin so, which a dead backup may have left.
func removeScratch(fsys fsx.FS, scratch string) (err error) {
	for _, end := range []string{scratchState, scratchCatalog} {
		if failed := fsys.Remove(scratch + end); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// copyState copies the catalog to h.file. It returns an error if elements are being changed.
func (h *hold) copyState(ctx context.Context) error {
	f, err := h.store.Engine.FS.OpenFile(h.file, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}

	var unclean []catalog.Storage
	// Rehearse commits nothing. The copy is made in one transaction, so it is of one state.
	err = h.store.Engine.Catalog.Rehearse(ctx, func(c *catalog.Tx) (err error) {
		if err := h.store.Engine.MustBeMine(c); err != nil {
			return err
		}
		if unclean, err = uncleanOf(c); err != nil || unclean != nil {
			return err
		}
		h.snap.Bytes, h.snap.Sum, err = c.Copy(f)
		return err
	})

	// The names are looked up after the transaction, for the message alone.
	if err == nil && unclean != nil {
		err = h.store.uncleanNow(ctx, unclean)
	}
	return errors.Join(err, f.Close())
}

// uncleanOf returns the storages whose elements are being changed in place, or can't be read as
// they are.
func uncleanOf(c *catalog.Tx) (unclean []catalog.Storage, err error) {
	for st, err := range c.Storages() {
		if err != nil {
			return nil, err
		}
		if st.State == catalog.Dirty || st.State == catalog.Patching || engine.IsUnwritten(st) {
			unclean = append(unclean, st)
		}
	}
	return unclean, nil
}

// uncleanNow returns the error for storages that would have to be completed or synced first.
func (s *Store) uncleanNow(ctx context.Context, unclean []catalog.Storage) error {
	for _, st := range unclean {
		names, err := s.Engine.SharersOf(ctx, st.ID)
		if err != nil {
			return err
		}

		if engine.IsUnwritten(st) {
			return engine.UnsyncedError(names)
		}

		switch st.State {
		case catalog.Dirty:
			err = s.Engine.DirtyError(ctx, st, names)
		case catalog.Patching:
			err = s.patchError(st, names)
		}

		if err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: elements are being changed: try again when that has finished", store.ErrBusy)
}

// patchError returns the error of an interrupted small change, and nil while its writer is at work.
func (s *Store) patchError(st catalog.Storage, names []string) error {
	busy, err := s.Engine.StorageBusy(st.ID)
	if busy || err != nil {
		return err
	}
	return fmt.Errorf("%w: a small change of %s was interrupted, and can't be completed where nothing can be written: open the store for writing once, or a copy of its folder on another disk", store.ErrDirty, engine.QuoteNames(names))
}

// mustBeUnchanged returns ErrConflict if files of the copied state may have been changed or removed
// meanwhile.
func (h *hold) mustBeUnchanged(ctx context.Context) error {
	if h.copied == nil {
		return nil
	}

	var storages []catalog.Storage
	var snaps []catalog.Snapshot

	// First list what was copied, then compare it with the catalog as it is at the end.
	err := h.store.Engine.WithImage(h.snap, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) (err error) {
			for st, err := range c.Storages() {
				if err != nil {
					return err
				}
				storages = append(storages, st)
			}
			snaps, err = c.Snapshots()
			return err
		})
	})
	if err != nil {
		return err
	}

	return h.store.Engine.Catalog.View(ctx, func(c *catalog.Tx) error {
		for _, st := range storages {
			if same, err := isUnchanged(c, st); err != nil || !same {
				return errors.Join(err, h.changed(same, "storage "+st.ID.String()))
			}
		}
		now, err := c.Snapshots()
		for _, snap := range snaps {
			there := slices.ContainsFunc(now, func(other catalog.Snapshot) bool { return other.ID == snap.ID })
			if err == nil && !there && !engine.IsHold(snap.Name) {
				err = h.changed(false, fmt.Sprintf("snapshot %q", snap.Name))
			}
		}
		return err
	})
}

// changed returns ErrConflict unless same is true.
func (h *hold) changed(same bool, what string) error {
	if same {
		return nil
	}
	return fmt.Errorf("%w: %s was changed or removed while it was copied, which no snapshot prevents of a store that is read only, or on a full disk: try again, or make room first", store.ErrConflict, what)
}

// isUnchanged reports whether the files of a storage have all the bytes that they had.
func isUnchanged(c *catalog.Tx, was catalog.Storage) (bool, error) {
	now, err := c.Storage(was.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	files := now.OwnFiles()
	for _, file := range was.OwnFiles() {
		if !slices.Contains(files, file) {
			return false, nil
		}
	}
	return now.State == was.State && now.Changes == was.Changes && now.PayloadBytes >= was.PayloadBytes, nil
}

// unlinkCopy removes the names of the files that holdByCopy made in a folder of its own. The files
// stay mapped, and a process that is killed from then on leaves nothing there. If the system can't
// remove files in use, removeCopy does it later.
func (h *hold) unlinkCopy() {
	if h.dir != "" && removeScratch(h.store.Engine.FS, h.scratch) == nil && h.store.Engine.FS.Remove(h.dir) == nil {
		h.dir = ""
	}
}

// removeCopy closes and removes the files that holdByCopy made.
func (h *hold) removeCopy() error {
	var errs []error
	if h.copied != nil {
		errs = append(errs, h.store.Engine.Images.Release(h.copied), h.store.Engine.Images.Forget(h.snap.ID))
	}
	errs = append(errs, removeScratch(h.store.Engine.FS, h.scratch))
	if h.dir != "" {
		errs = append(errs, h.store.Engine.FS.Remove(h.dir))
	}
	return errors.Join(errs...)
}
