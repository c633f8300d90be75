package backup

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/storefile"
)

// commitFolder commits the backup in a folder. It replaces the catalog last. In a new folder the
// mark comes after it, and without a mark the folder is no store.
func (b *backup) commitFolder(ctx context.Context, t *backupFolder) (*manifest.Manifest, error) {
	mark := catalog.Backup{ID: catalog.NewID(), Seq: t.mark.Seq + 1, Created: b.hold.snap.Created, From: b.store.Engine.Dir}
	tmp := t.path(path.Join(storefile.TmpDir, storefile.CatalogFile))
	cat := manifest.File{Path: storefile.CatalogFile, Key: mark.ID.String()}

	var err error
	if cat.Size, err = b.rewriteCatalog(ctx, tmp, mark); err != nil {
		return nil, err
	}

	var sums manifest.Summer
	if err := sumFile(tmp, &sums); err != nil {
		return nil, err
	}
	cat.Sums = sums.Sums()

	b.report.Files++
	b.report.Bytes += cat.Size
	b.copied(nil, cat.Size)

	// The manifest is durable under its own id before the catalog with that id is there. Until then
	// it is garbage for the next backup.
	m, err := b.manifest(mark, cat)
	if err != nil {
		return nil, err
	}
	if err := t.writeManifest(m); err != nil {
		return nil, err
	}

	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}

	// This is the moment of the commit. After a failure either catalog may be there.
	if err := catalog.Install(ctx, t.dir, tmp, b.store.Engine.Options.Catalog(storefile.DurabilityPower)); err != nil {
		t.doubt = true
		return nil, err
	}

	b.report.ID, b.report.Created = mark.ID, mark.Created
	first := t.old == nil
	t.old = m
	if !first {
		return m, nil
	}
	return m, t.publishText(storefile.MarkFile, m.Mark)
}

// manifest lists what is in the backup.
func (b *backup) manifest(mark catalog.Backup, cat manifest.File) (*manifest.Manifest, error) {
	own, err := storefile.ReadMark(b.store.Engine.FS, b.store.Engine.Dir)
	if err != nil {
		return nil, err
	}
	meta := b.store.Engine.Catalog.Meta()

	m := &manifest.Manifest{Head: manifest.Head{
		Format: manifest.Format, ID: mark.ID.String(), Store: meta.Store.String(), Lineage: meta.Lineage.String(),
		Seq: mark.Seq, Created: mark.Created, Mark: own.String(), Synced: b.store.Engine.Level == storefile.DurabilityPower, State: b.hold.state,
	}}
	m.Files = append(m.Files, cat)

	for _, it := range b.items {
		if !it.skipped {
			m.Files = append(m.Files, it.File)
		}
	}
	return m, nil
}

func (t *backupFolder) writeManifest(m *manifest.Manifest) error {
	tmp := t.path(path.Join(storefile.TmpDir, manifestDir))
	f, err := t.fs.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}

	// The manifest is written under another name first: whoever reads it finds all of it or none.
	w := bufio.NewWriterSize(f, 1<<20)
	err = errors.Join(m.Encode(w), w.Flush())
	if err == nil {
		err = t.syncFile(f)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}

	if err := t.fs.Rename(tmp, t.path(path.Join(manifestDir, m.ID))); err != nil {
		return err
	}

	// Only its folder has to be synced: those of the files were synced before.
	t.folders = map[string]bool{t.path(manifestDir): true}
	return t.syncFolders()
}

// sumFile sums a small file.
func sumFile(name string, sums *manifest.Summer) error {
	f, err := fsx.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(sums, f)
	return errors.Join(err, f.Close())
}

// sweep removes the files of the folder that a manifest does not name: what an interrupted backup
// has left, and what only the one before needed.
func (b *backup) sweep(t *backupFolder, m *manifest.Manifest) error {
	n, err := t.sweep(m)
	b.report.Removed = n
	return err
}

func (t *backupFolder) sweep(m *manifest.Manifest) (removed int, err error) {
	keep := map[string]bool{}
	if m != nil {
		keep[path.Join(manifestDir, m.ID)] = true
		for i := range m.Files {
			keep[m.Files[i].Path] = true
		}
	}

	dirs := []string{storefile.TmpDir, storefile.SnapshotDir, manifestDir}
	entries, err := t.fs.ReadDir(t.path(storefile.StorageDir))
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, path.Join(storefile.StorageDir, e.Name()))
		}
	}

	// The caller does this after the commit: a crash leaves files too many, never too few.
	for _, dir := range dirs {
		entries, err := t.fs.ReadDir(t.path(dir))
		if err != nil {
			return removed, err
		}
		for _, e := range entries {
			if file := path.Join(dir, e.Name()); !keep[file] && !e.IsDir() {
				if err := t.fs.Remove(t.path(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return removed, err
				}
				if dir != storefile.TmpDir && dir != manifestDir {
					removed++
				}
			}
		}
	}
	return removed, nil
}

// undo removes, as far as it can, what a failed backup made. The next backup removes the rest.
func (t *backupFolder) undo() {
	if t.doubt {
		return
	}
	_, _ = t.sweep(t.old)
	if t.old == nil {
		t.removeAll()
		return
	}
	for i := range t.old.Files {
		f := &t.old.Files[i]
		if fi, err := t.fs.Stat(t.path(f.Path)); err == nil && f.Header > 0 && fi.Size() > f.Header+f.Size {
			t.cut(f)
		}
	}
}

// cut truncates a file that was made longer. If that fails the bytes stay, and nothing reads them.
func (t *backupFolder) cut(f *manifest.File) {
	if file, err := t.fs.OpenFile(t.path(f.Path), os.O_RDWR, 0); err == nil {
		_ = errors.Join(file.Truncate(f.Header+f.Size), file.Close())
	}
}

// removeAll removes a folder in which no backup has been finished.
func (t *backupFolder) removeAll() {
	entries, _ := t.fs.ReadDir(t.path(storefile.StorageDir))
	for _, e := range entries {
		_ = t.fs.Remove(t.path(path.Join(storefile.StorageDir, e.Name())))
	}
	for _, name := range []string{storefile.StorageDir, storefile.TmpDir, storefile.SnapshotDir, manifestDir, storefile.CatalogFile, storefile.CatalogFile + ".tmp", storefile.LockFile, storefile.BackupFile, storefile.BackupFile + ".tmp", storefile.MarkFile + ".tmp"} {
		_ = t.fs.Remove(t.path(name))
	}
	if t.made {
		_ = t.fs.Remove(t.dir)
	}
}
