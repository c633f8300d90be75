package backup

import (
	"context"
	"errors"
	"path"
	"path/filepath"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storefile"
)

// toFolder makes the backup, or the next one, in a folder.
func (b *backup) toFolder(ctx context.Context, dest string) (err error) {
	t, err := b.store.openBackupFolder(ctx, dest)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.lock.Unlock()) }()
	b.scratch = t.path(storefile.TmpDir) + string(filepath.Separator)
	if err := b.intoFolder(ctx, t); err != nil {
		t.undo()
		return err
	}
	return nil
}

func (b *backup) intoFolder(ctx context.Context, t *backupFolder) (err error) {
	// What an interrupted backup left goes first, so that its space is free.
	if t.old != nil {
		b.follow(t.old)
	}
	if err := b.sweep(t, t.old); err != nil {
		return err
	}

	// The files of the held state stay in the store, or are compared with it at the end.
	if b.hold, err = b.store.holdState(ctx, b.scratch, b.follows()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.hold.release(ctx)) }()
	if err := b.copyKept(ctx, func() error { return b.fillFolder(ctx, t) }); err != nil {
		return err
	}

	// The files are durable: name them.
	m, err := b.commitFolder(ctx, t)
	if err != nil {
		return err
	}

	// Headers of files that both backups share change only now, since until the commit they
	// belonged to the backup before.
	for _, it := range b.items {
		if it.there && it.header != nil && !it.skipped {
			if err := t.writeHeader(it); err != nil {
				return err
			}
		}
	}

	// What only the backup before needed goes last.
	return b.sweep(t, m)
}

// fillFolder copies what the folder lacks.
func (b *backup) fillFolder(ctx context.Context, t *backupFolder) error {
	if err := b.prepare(ctx, t); err != nil {
		return err
	}
	for _, it := range b.items {
		if err := b.put(ctx, it, func() error { return t.put(ctx, b, it) }); err != nil {
			return err
		}
	}
	return t.syncFolders()
}

// copyKept runs copy. It returns ErrConflict if copy has read something else than the held state,
// whatever copy returned.
func (b *backup) copyKept(ctx context.Context, copy func() error) error {
	err := copy()
	if changed := b.hold.mustBeUnchanged(context.WithoutCancel(ctx)); changed != nil && ctx.Err() == nil {
		return changed
	}
	return err
}

// prepare plans the backup and finds out what the folder has of it.
func (b *backup) prepare(ctx context.Context, t *backupFolder) error {
	if err := b.plan(ctx); err != nil {
		return err
	}

	b.moved, b.headers, b.edited = map[string]uint32{}, map[catalog.ID]uint32{}, map[catalog.ID]catalog.Snapshot{}
	b.paths = map[string]bool{}
	for _, it := range b.items {
		b.paths[it.Path] = true
	}

	for _, it := range b.items {
		b.compare(it)
		if it.there {
			b.reuse(t, it)
		}

		// The name is taken by a file of the backup before, which stays whole until the commit.
		if _, taken := b.oldPaths[it.Path]; !it.there && taken && it.kind == dataItem {
			if err := b.move(it); err != nil {
				return err
			}
		}
	}

	for _, it := range b.items {
		if it.kind == sumsItem {
			b.moveSums(it)
		}
	}

	if err := b.rewriteImages(ctx, func(it *backupItem) string { return t.tmp(it) }); err != nil {
		return err
	}
	return b.ready(ctx)
}

// reuse takes a file of the folder for an item, unless the file is damaged.
func (b *backup) reuse(t *backupFolder, it *backupItem) {
	old := b.oldFiles[it.Source.Path]
	fi, err := t.fs.Stat(t.path(old.Path))
	if err != nil || fi.Size() < old.Header+old.Size {
		it.there = false
		delete(b.oldPaths, old.Path) // there is nothing to keep
	} else if old.Size > it.Size {
		it.there, err = t.shrink(it, old)
	}

	if err != nil || !it.there {
		it.there, it.have, it.Key, it.Sums = false, 0, "", nil
		return
	}

	if it.Path != old.Path {
		f, _ := storefile.ParseName(path.Base(old.Path))
		it.Path, b.moved[it.Source.Path] = old.Path, f.Gen
	}

	it.stale = old.Grown && t.headerSum(it) != it.Source.Header
}

// ready gives new files their keys, finds the headers that are to be written, and counts.
func (b *backup) ready(ctx context.Context) error {
	for _, it := range b.items {
		if it.Key == "" {
			it.Key = catalog.NewID().String()
		}
		if it.kind == dataItem && (!it.there || b.grew(it)) {
			if err := b.put(ctx, it, func() error { return b.readHeader(ctx, it) }); err != nil {
				return err
			}
		}
		if !it.skipped && !it.made && !it.isKept() {
			b.total += it.Size - it.have
		}
	}
	return nil
}
