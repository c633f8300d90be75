package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/store"
)

// sourceError wraps an error of reading the store, to tell it from those of writing the backup.
type sourceError struct{ error }

func (e *sourceError) Unwrap() error { return e.error }

func inSource(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", store.ErrMissing, err)
	}
	return &sourceError{err}
}

// isDamage reports whether an error means that a file of the store is not what it was.
func isDamage(err error) bool {
	var in *sourceError
	if !errors.As(err, &in) {
		return false
	}
	for _, kind := range []error{store.ErrChecksum, store.ErrTruncated, store.ErrMissing, syscall.EIO} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// damaged reports damage if it is to be skipped, and returns it as an error otherwise.
func (b *backup) damaged(ctx context.Context, it *backupItem, found []check.Damage) error {
	// Name the tensors as the state does that the file is copied for.
	err := b.store.Engine.WithImage(it.snapshot, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) error {
			t := &check.Target{Storage: it.storage}
			if it.snapshot.ID != b.hold.snap.ID {
				t.Snapshot = it.snapshot.Name
			}
			return check.BlameIn(c, t, found)
		})
	})
	if err != nil {
		return err
	}

	if b.opts.SkipDamaged {
		b.report.Damage = append(b.report.Damage, found...)
		return nil
	}
	return fmt.Errorf("%w: %s is damaged, %s: get it back, or go on without with: tstore backup --skip-damaged", found[0].Err, found[0].File, found[0].Detail())
}

// put runs copy for an item. If the file in the store is damaged and Options.SkipDamaged is set,
// put notes that and skips the item.
func (b *backup) put(ctx context.Context, it *backupItem, copy func() error) error {
	err := copy()
	if !isDamage(err) {
		return err
	}
	it.skipped = true
	return b.damaged(ctx, it, []check.Damage{{File: it.Source.Path, Bytes: -1, Err: err}})
}
