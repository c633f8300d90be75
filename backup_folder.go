package tstore

import (
	"context"
	"errors"
	"path"

	"github.com/tstore/tstore/catalog"
)

// toFolder makes the backup, or the next one, in a folder.
func (b *backup) toFolder(ctx context.Context, dest string) (err error) {
	t, err := b.store.openBackupFolder(ctx, dest)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.lock.Unlock()) }()
	if err := b.intoFolder(ctx, t); err != nil {
		t.undo()
		return err
	}
	return nil
}

func (b *backup) intoFolder(ctx context.Context, t *backupFolder) (err error) {
	if b.hold, err = b.store.hold(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.hold.release(ctx)) }()
	if t.old != nil {
		b.follow(t.old)
	}
	if err := b.sweep(t, t.old); err != nil {
		return err
	}
	if err := b.prepare(ctx, t); err != nil {
		return err
	}
	for _, it := range b.items {
		if err := b.put(ctx, it, func() error { return t.put(ctx, b, it) }); err != nil {
			return err
		}
	}
	if err := t.syncFolders(); err != nil {
		return err
	}
	m, err := b.commitFolder(ctx, t)
	if err != nil {
		return err
	}
	for _, it := range b.items {
		if it.there && it.header != nil && !it.skipped {
			if err := t.writeHeader(it); err != nil {
				return err
			}
		}
	}
	return b.sweep(t, m)
}

// prepare plans the backup and finds out what the folder has of it.
func (b *backup) prepare(ctx context.Context, t *backupFolder) error {
	if err := b.plan(ctx); err != nil {
		return err
	}
	b.moved, b.headers, b.edited = map[string]uint32{}, map[catalog.ID]uint32{}, map[catalog.ID]catalog.Snapshot{}
	for _, it := range b.items {
		b.compare(it)
		if it.there {
			old := b.oldFiles[it.Source.Path]
			if fi, err := t.fs.Stat(t.path(old.Path)); err != nil || fi.Size() < old.Header+old.Size {
				it.there, it.have, it.Key = false, 0, ""
				delete(b.oldPaths, old.Path) // damaged
			} else if it.Path != old.Path {
				f, _ := parseStoreFile(path.Base(old.Path))
				it.Path, b.moved[it.Source.Path] = old.Path, f.gen
			}
			it.stale = it.there && old.Grown && t.headerSum(it) != it.Source.Header
		}
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

// ready gives new files their keys, finds the headers that are to be written, and
// counts.
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
