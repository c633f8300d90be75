package tstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
)

// Files and folders of a backup beside those of a store.
const (
	backupFile  = "BACKUP"    // says that the folder is a backup; there from the first moment on
	manifestDir = "manifests" // has the manifest of the backup, named after its id
)

// backupFolder is a folder with a backup, or that is to have one. Its owner keeps
// others from making a backup there.
type backupFolder struct {
	fs    fsx.FS
	dir   string
	level Durability
	lock  *filelock.Held
	// made says that the folder was not there.
	made bool
	// old is the backup that it has; nil if it has none yet.
	old  *manifest.Manifest
	mark catalog.Backup
	// doubt says that nobody knows which backup the folder has.
	doubt bool
	// folders are those whose names are to be synced.
	folders map[string]bool
}

// openBackupFolder takes a folder for a backup of a store.
func (s *Store) openBackupFolder(ctx context.Context, dest string) (*backupFolder, error) {
	dir, err := s.backupPlace(dest)
	if err != nil {
		return nil, err
	}
	t := &backupFolder{fs: s.fs, dir: dir, level: s.level, folders: map[string]bool{}}
	if err := t.claim(s); err != nil {
		return nil, err
	}
	if t.lock, err = lockGC(ctx, dir, filelock.Exclusive, s.opts.patience()); err != nil {
		return nil, err
	}
	if err := t.load(ctx, s); err != nil {
		return nil, errors.Join(err, t.lock.Unlock())
	}
	return t, nil
}

// backupPlace is the absolute path of a folder for a backup, which is not inside
// the store.
func (s *Store) backupPlace(dest string) (string, error) {
	dir, err := filepath.Abs(dest)
	if err != nil {
		return "", err
	}
	real := realPath(dir)
	if rel, err := filepath.Rel(realPath(s.dir), real); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%w: it is inside the store %q: choose a place outside, on another disk", ErrNotBackup, s.dir)
	}
	return dir, nil
}

// realPath follows the links of a path, as far as that is there.
func realPath(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	if parent := filepath.Dir(p); parent != p {
		return filepath.Join(realPath(parent), filepath.Base(p))
	}
	return p
}

// claim makes the folder, or sees that it is one for backups of the store.
func (t *backupFolder) claim(s *Store) error {
	err := t.fs.Mkdir(t.dir, 0o755)
	t.made = err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	entries, err := t.fs.ReadDir(t.dir)
	if err != nil {
		return err
	}
	text := backupText(s.cat.Meta())
	if len(entries) == 0 {
		return t.begin(text)
	}
	f, err := t.fs.OpenFile(t.path(backupFile), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		what := "it is not empty"
		if _, err := t.fs.Stat(t.path(markFile)); err == nil {
			what = "it is a store that is in use, or was"
		} else if len(entries) == 1 && strings.HasPrefix(entries[0].Name(), backupFile) {
			return t.begin(text) // interrupted at once
		}
		return fmt.Errorf("%w: %s: choose a new folder", ErrNotBackup, what)
	}
	if err != nil {
		return err
	}
	found, err := io.ReadAll(io.LimitReader(f, 4096))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if string(found) != text {
		return fmt.Errorf("%w: the folder is for backups of another store, or of this one before it was restored or salvaged (%s file: %q, expected %q): choose a new folder", ErrNotBackup, backupFile, found, text)
	}
	return nil
}

// backupText is the content of the BACKUP file: the store, and which of those
// that were restored from its backups.
func backupText(m catalog.Meta) string {
	return fmt.Sprintf("tstore backup\nstore %v\nlineage %v\n", m.Store, m.Lineage)
}

// begin makes an empty folder one for backups. Of those who do that at once, all
// but the last to begin may find that it has been done.
func (t *backupFolder) begin(text string) error {
	err := t.publishText(backupFile, text)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = t.fs.Stat(t.path(backupFile))
	}
	if err != nil {
		return err
	}
	if t.level != DurabilityPower || !t.made {
		return nil
	}
	return t.fs.SyncDir(filepath.Dir(t.dir))
}

// publishText makes a small file durably.
func (t *backupFolder) publishText(name, text string) error {
	tmp := t.path(name + ".tmp")
	f, err := t.fs.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, text); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(fsx.Publish(t.fs, f, tmp, t.path(name)), f.Close())
}

func (t *backupFolder) path(rel string) string { return filepath.Join(t.dir, filepath.FromSlash(rel)) }

// load reads the backup that the folder has, and makes its folders.
func (t *backupFolder) load(ctx context.Context, s *Store) error {
	for _, dir := range []string{storageDir, tmpDir, snapshotDir, manifestDir} {
		if err := mkdir(t.fs, t.path(dir)); err != nil {
			return err
		}
	}
	if _, err := t.fs.Stat(t.path(markFile)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // the first backup was interrupted
		}
		return err
	}
	m, mark, err := readBackupFolder(ctx, t.dir)
	if err != nil {
		return err
	}
	if m.Store != s.ID().String() {
		return fmt.Errorf("%w: it is of store %s: choose a new folder", ErrNotBackup, m.Store)
	}
	t.old, t.mark = m, mark
	return nil
}

// readBackupFolder reads the manifest of the backup in a folder.
func readBackupFolder(ctx context.Context, dir string) (*manifest.Manifest, catalog.Backup, error) {
	cat, err := catalog.Open(ctx, dir, &catalog.Options{ReadOnly: true})
	if err != nil {
		return nil, catalog.Backup{}, err
	}
	meta := cat.Meta()
	if err := cat.Close(); err != nil {
		return nil, meta.Backup, err
	}
	if meta.Backup.ID.IsZero() {
		return nil, meta.Backup, fmt.Errorf("%w: %q is a store that can be changed, and no backup", ErrNotBackup, dir)
	}
	f, err := os.Open(filepath.Join(dir, manifestDir, meta.Backup.ID.String()))
	if err != nil {
		return nil, meta.Backup, err
	}
	m, err := manifest.Decode(f)
	if err == nil && (m.ID != meta.Backup.ID.String() || m.Store != meta.Store.String()) {
		err = fmt.Errorf("%w: the manifest is that of backup %s of store %s", ErrNotBackup, m.ID, m.Store)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, meta.Backup, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return m, meta.Backup, nil
}

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

func (t *backupFolder) tmp(it *backupItem) string {
	return t.path(path.Join(tmpDir, path.Base(it.Path)))
}

// put brings one file up to date.
func (t *backupFolder) put(ctx context.Context, b *backup, it *backupItem) error {
	b.report.Files++
	b.report.Bytes += it.Header + it.Size
	switch {
	case it.skipped:
		return nil
	case it.there && it.have == it.Size:
		old := b.oldFiles[it.Source.Path]
		it.Sums, it.Grown = old.Sums, it.header != nil
		if old.Size > it.Size {
			if err := t.shrink(it); err != nil {
				return err
			}
		}
		if !it.Grown {
			it.HeaderSum = old.HeaderSum
		}
		if t.level == DurabilityPower && !t.old.Synced {
			return t.sync(t.path(it.Path))
		}
		return nil
	case it.there:
		return t.grow(ctx, b, it)
	}
	return t.copy(ctx, b, it)
}

// grow adds the end of a file that is there. Nobody reads beyond what the backup
// that names it has.
func (t *backupFolder) grow(ctx context.Context, b *backup, it *backupItem) (err error) {
	f, err := t.fs.OpenFile(t.path(it.Path), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if !it.Sparse {
		if err := fsx.Reserve(f, it.Header+it.have, it.Size-it.have); err != nil {
			return err
		}
	} else if err := f.Truncate(it.Header + it.Size); err != nil {
		return err
	}
	from := it.have - it.have%manifest.ChunkBytes
	var sums manifest.Summer
	w := fsx.NewStreamWriter(f, 0, nil)
	err = b.eachPiece(ctx, it, from, func(p []byte, off int64) error {
		_, _ = sums.Write(p)
		if old := it.have - off; old > 0 {
			p, off = p[min(old, int64(len(p))):], off+old
		}
		if len(p) == 0 {
			return nil
		}
		return writePiece(w, &it.File, p, off)
	})
	if err != nil {
		return err
	}
	old := b.oldFiles[it.Source.Path].Sums
	it.Sums = append(old[:from/manifest.ChunkBytes:from/manifest.ChunkBytes], sums.Sums()...)
	it.Grown = true
	b.copied(it, it.Size-it.have)
	return t.syncFile(f)
}

// shrink sums the last piece of a file of which only the beginning is needed.
func (t *backupFolder) shrink(it *backupItem) error {
	f, err := t.fs.OpenFile(t.path(it.Path), os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	whole := it.Size / manifest.ChunkBytes
	var sums manifest.Summer
	_, err = io.Copy(&sums, io.NewSectionReader(f, it.Header+whole*manifest.ChunkBytes, it.Size-whole*manifest.ChunkBytes))
	it.Sums = append(it.Sums[:whole:whole], sums.Sums()...)
	return errors.Join(err, f.Close())
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

// write writes a file under another name.
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
	var sums manifest.Summer
	w := fsx.NewStreamWriter(f, 0, nil)
	err = b.eachPiece(ctx, it, 0, func(p []byte, off int64) error {
		_, _ = sums.Write(p)
		if shared {
			return nil
		}
		return writePiece(w, &it.File, p, off)
	})
	if err != nil {
		return err
	}
	if it.header != nil {
		if _, err := f.WriteAt(it.header, 0); err != nil {
			return err
		}
	}
	it.Sums = sums.Sums()
	return t.syncFile(f)
}

// share makes a new file share the blocks of the store's, where the file system
// can do that, and else makes room for it.
func (t *backupFolder) share(b *backup, it *backupItem, f fsx.File) (bool, error) {
	size := it.Header + it.Size
	if it.kind == dataItem && size > it.Header {
		src, err := t.fs.OpenFile(b.store.path(it.Source.Path), os.O_RDONLY, 0)
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

// mkdirOnce makes a folder that is not there yet, and notes that its names are to
// be synced.
func mkdirOnce(fsys fsx.FS, dir string, done map[string]bool) error {
	if done[dir] {
		return nil
	}
	done[dir] = true
	return mkdir(fsys, dir)
}

func (t *backupFolder) syncFile(f fsx.File) error {
	if t.level != DurabilityPower {
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
	if t.level != DurabilityPower {
		return nil
	}
	for dir := range t.folders {
		if err := t.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// headerSum is the sum of the header that a file in the folder has, 0 if it can't
// be read.
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
	return headerSum(head)
}

// writeHeader gives a file that has grown the header that describes it. The
// backup is right without.
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
