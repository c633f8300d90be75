package backup

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"

	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/storefile"
)

func (t *backupFolder) tmp(it *backupItem) string {
	return t.path(path.Join(storefile.TmpDir, path.Base(it.Path)))
}

// put brings one file of the folder up to date.
func (t *backupFolder) put(ctx context.Context, b *backup, it *backupItem) error {
	b.report.Files++
	b.report.Bytes += it.Header + it.Size

	switch {
	case it.skipped:
		return nil
	case it.there && it.have == it.Size:
		old := b.oldFiles[it.Source.Path]
		it.Grown = it.header != nil
		if it.Sums == nil {
			it.Sums = old.Sums
		}
		if !it.Grown {
			it.HeaderSum = old.HeaderSum
		}

		// The backup before was of a store that does not sync, so the file may not be durable yet.
		if t.level == storefile.DurabilityPower && !t.old.Synced {
			return t.sync(t.path(it.Path))
		}
		return nil
	case it.there:
		return t.grow(ctx, b, it)
	}
	return t.copy(ctx, b, it)
}

// grow appends to a file of the backup before. That backup stays whole: nobody reads beyond the
// size that its manifest has.
func (t *backupFolder) grow(ctx context.Context, b *backup, it *backupItem) (err error) {
	f, err := t.fs.OpenFile(t.path(it.Path), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	if err := storefile.MustBeLong(f, it.Header+it.have); err != nil {
		return err
	}
	// An interrupted backup may have left bytes there.
	if err := f.Truncate(it.Header + it.have); err != nil {
		return err
	}

	if !it.Sparse {
		if err := fsx.Reserve(f, it.Header+it.have, it.Size-it.have); err != nil {
			return err
		}
	} else if err := f.Truncate(it.Header + it.Size); err != nil {
		return err
	}

	// Checksums are of whole chunks: the sum begins with the chunk in which the old bytes end. Only
	// the bytes after these are written.
	from := it.have - it.have%manifest.ChunkBytes
	var sums manifest.Summer
	w := fsx.NewStreamWriter(f, 0, nil)
	err = b.eachPiece(ctx, it, from, func(p backupPiece) error {
		p.sum(&sums)
		return p.after(it.have).write(w, &it.File)
	})
	if err != nil {
		return err
	}

	// The new backup gets a list of its own: the sums of the one before must stay as they are.
	old := b.oldFiles[it.Source.Path].Sums
	it.Sums = append(old[:from/manifest.ChunkBytes:from/manifest.ChunkBytes], sums.Sums()...)
	it.Grown = true
	b.copied(it, it.Size-it.have)
	return t.syncFile(f)
}

// shrink finds the checksums of a file of which only the beginning is needed. It reads the last
// piece in full and compares it with the checksum that it has. It returns false if the piece is not
// what was backed up.
func (t *backupFolder) shrink(it *backupItem, old *manifest.File) (whole bool, err error) {
	n := it.Size / manifest.ChunkBytes
	at := n * manifest.ChunkBytes
	it.Sums = old.Sums[:n:n]
	if at == it.Size {
		return true, nil
	}

	f, err := t.fs.OpenFile(t.path(old.Path), os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	piece := make([]byte, min(old.Size-at, manifest.ChunkBytes))
	_, err = f.ReadAt(piece, old.Header+at)
	if err := errors.Join(err, f.Close()); err != nil {
		return false, err
	}

	it.Sums = append(it.Sums, manifest.Sum(piece[:it.Size-at]))
	return manifest.Sum(piece) == old.Sums[n], nil
}

// copy makes a file anew.
func (t *backupFolder) copy(ctx context.Context, b *backup, it *backupItem) error {
	tmp := t.tmp(it)
	if it.made {
		var sums manifest.Summer
		if err := sumFile(tmp, &sums); err != nil {
			return err
		}
		it.Sums = sums.Sums()
	} else if err := t.write(ctx, b, it, tmp); err != nil {
		return err
	}
	if err := mkdirOnce(t.fs, t.path(path.Dir(it.Path)), t.folders); err != nil {
		return err
	}
	b.copied(it, it.Header+it.Size)
	return t.fs.Rename(tmp, t.path(it.Path))
}

// write writes a file under the temporary name tmp.
func (t *backupFolder) write(ctx context.Context, b *backup, it *backupItem, tmp string) (err error) {
	f, err := t.fs.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	shared, err := t.share(b, it, f)
	if err != nil {
		return err
	}

	// The bytes are read and summed even if they were cloned: the checksums are of what was read
	// from the store.
	var sums manifest.Summer
	w := fsx.NewStreamWriter(f, 0, nil)
	err = b.eachPiece(ctx, it, 0, func(p backupPiece) error {
		p.sum(&sums)
		if shared {
			return nil
		}
		return p.write(w, &it.File)
	})
	if err != nil {
		return err
	}

	// The header of the backup replaces the one that was cloned.
	if it.header != nil {
		if _, err := f.WriteAt(it.header, 0); err != nil {
			return err
		}
	}
	it.Sums = sums.Sums()
	return t.syncFile(f)
}

// share makes a new file share the blocks of the store's file if the file system can do that.
// Otherwise it reserves the space.
func (t *backupFolder) share(b *backup, it *backupItem, f fsx.File) (bool, error) {
	size := it.Header + it.Size
	if it.kind == dataItem && size > it.Header {
		src, err := b.openSource(b.store.Engine.Path(it.Source.Path))
		if err != nil {
			return false, err
		}
		err = errors.Join(f.CloneFrom(src), src.Close())
		if err == nil {
			return true, f.Truncate(size)
		}
		if !errors.Is(err, fsx.ErrCloneUnsupported) {
			return false, err
		}
	}

	if it.Sparse {
		return false, f.Truncate(size)
	}
	return false, fsx.Reserve(f, 0, size)
}

func (b *backup) copied(it *backupItem, n int64) {
	b.report.Copied++
	b.report.CopiedBytes += n
}

// mkdirOnce makes a folder that is not there yet, and notes that its names are to be synced.
func mkdirOnce(fsys fsx.FS, dir string, done map[string]bool) error {
	if done[dir] {
		return nil
	}
	done[dir] = true
	return engine.Mkdir(fsys, dir)
}

func (t *backupFolder) syncFile(f fsx.File) error {
	if t.level != storefile.DurabilityPower {
		return nil
	}
	return f.Sync()
}

func (t *backupFolder) sync(name string) error {
	f, err := t.fs.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	t.folders[filepath.Dir(name)] = true
	return errors.Join(f.Sync(), f.Close())
}

func (t *backupFolder) syncFolders() error {
	if t.level != storefile.DurabilityPower {
		return nil
	}
	for dir := range t.folders {
		if err := t.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// headerSum returns the sum of the header that a file in the folder has, 0 if it can't be read.
func (t *backupFolder) headerSum(it *backupItem) uint32 {
	f, err := t.fs.OpenFile(t.path(it.Path), os.O_RDONLY, 0)
	if err != nil {
		return 0
	}
	defer f.Close()
	head := make([]byte, it.Header)
	if _, err := f.ReadAt(head, 0); err != nil {
		return 0
	}
	return storefile.HeaderSum(head)
}

// writeHeader gives a file that has grown the header that describes it. The backup is right
// without.
func (t *backupFolder) writeHeader(it *backupItem) error {
	f, err := t.fs.OpenFile(t.path(it.Path), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(it.header, 0)
	if err == nil {
		err = t.syncFile(f)
	}
	return errors.Join(err, f.Close())
}
