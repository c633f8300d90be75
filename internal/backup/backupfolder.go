package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// manifestDir has the manifest of the backup, named after its id.
const manifestDir = "manifests"

// backupFolder is a folder that has a backup, or is to get one. Its owner holds the lock that keeps
// others from making a backup there.
type backupFolder struct {
	fs    fsx.FS
	dir   string
	level storefile.Durability
	lock  *filelock.Held
	// made is true if openBackupFolder made the folder.
	made bool
	// old is the backup that the folder has, or nil; mark describes it.
	old  *manifest.Manifest
	mark catalog.Backup
	// doubt is true after a commit that failed half way: the folder may have either backup.
	doubt bool
	// folders are the folders whose entries are not synced yet.
	folders map[string]bool
}

// openBackupFolder makes or opens the folder of a backup, locks it, and reads the backup that it
// has. It returns ErrNotBackup if the folder is anything else than one for backups of s.
func (s *Store) openBackupFolder(ctx context.Context, dest string) (*backupFolder, error) {
	dir, err := s.destination(dest)
	if err != nil {
		return nil, err
	}
	t := &backupFolder{fs: fsx.Within(s.Engine.FS, dir), dir: dir, level: s.Engine.Level, folders: map[string]bool{}}
	if err := t.take(ctx, s); err != nil {
		return nil, err
	}
	if err := t.load(ctx, s); err != nil {
		return nil, errors.Join(err, t.lock.Unlock())
	}
	return t, nil
}

// take makes the folder, locks it, and claims it for backups of the store. A first backup that
// fails removes what it made, and with it the lock file that others wait for: they begin again.
func (t *backupFolder) take(ctx context.Context, s *Store) error {
	text := backupText(s.Engine.Catalog.Meta())
	for try := 1; ; try++ {
		if err := t.make(); err != nil {
			return err
		}

		if _, err := t.isBegun(text); err != nil {
			return err
		}

		lock, err := engine.LockGC(ctx, t.dir, filelock.Exclusive, s.Engine.Options.Patience())
		if errors.Is(err, store.ErrGone) && try < engine.Attempts {
			continue
		}
		if err != nil {
			return err
		}

		// The lock counts only if its file still has its name.
		locked, err := lock.IsOn(t.path(storefile.LockFile))
		if err == nil && locked {
			err = t.claim(text)
		}

		if err == nil && locked {
			t.lock = lock
			return nil
		}

		if err == nil && try == engine.Attempts {
			err = fmt.Errorf("%w: other backups are made in %q: try again when they have finished", store.ErrBusy, t.dir)
		}
		if err := errors.Join(err, lock.Unlock()); err != nil {
			return err
		}
	}
}

// destination returns the absolute path of the folder or tar file that a backup goes to. It returns
// ErrNotBackup if that is inside the store.
func (s *Store) destination(dest string) (string, error) {
	dir, err := filepath.Abs(dest)
	if err != nil {
		return "", err
	}
	if s.Holds(dir) {
		return "", fmt.Errorf("%w: it is inside the store %q: choose one outside, on another disk", ErrNotBackup, s.Engine.Dir)
	}
	return dir, nil
}

// make makes the folder if it is missing.
func (t *backupFolder) make() error {
	err := t.fs.Mkdir(t.dir, 0o755)
	t.made = err == nil
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return err
}

// isBegun reports whether the folder is one for backups of the store. If not, it is empty but for
// what a backup that was interrupted at once left.
func (t *backupFolder) isBegun(text string) (bool, error) {
	f, err := t.fs.OpenFile(t.path(storefile.BackupFile), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, t.mustBeEmpty()
	}
	if err != nil {
		return false, err
	}
	found, err := io.ReadAll(io.LimitReader(f, 4096))
	if err := errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	if string(found) != text {
		return false, fmt.Errorf("%w: the folder is for backups of another store, or of this one before it was restored or salvaged (%s file: %q, expected %q): choose a new folder", ErrNotBackup, storefile.BackupFile, found, text)
	}
	return true, nil
}

// mustBeEmpty returns ErrNotBackup if the folder has entries other than those of a backup that was
// interrupted at once.
func (t *backupFolder) mustBeEmpty() error {
	entries, err := t.fs.ReadDir(t.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case storefile.LockFile, storefile.BackupFile + ".tmp":
		case storefile.MarkFile:
			return fmt.Errorf("%w: it is a store that is in use, or was: choose a new folder", ErrNotBackup)
		case storefile.BackupFile: // made since
		default:
			return fmt.Errorf("%w: it is not empty: choose a new folder", ErrNotBackup)
		}
	}
	return nil
}

// claim makes the locked folder one for backups, by the BACKUP file, unless it is one.
func (t *backupFolder) claim(text string) error {
	begun, err := t.isBegun(text)
	if err != nil || begun {
		return err
	}
	if err := t.publishText(storefile.BackupFile, text); err != nil {
		t.removeAll()
		return err
	}
	if t.level != storefile.DurabilityPower || !t.made {
		return nil
	}
	return t.fs.SyncDir(filepath.Dir(t.dir))
}

// backupText returns the content of the BACKUP file. It names the store, and its lineage, which
// stores that were restored from its backups don't have.
func backupText(m catalog.Meta) string { return textOfBackup(m.Store.String(), m.Lineage.String()) }

func textOfBackup(store, lineage string) string {
	return fmt.Sprintf("tstore backup\nstore %s\nlineage %s\n", store, lineage)
}

// publishText makes a small file, durably and in one step.
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

// load makes the folders in the folder, and reads the backup that it has, if there is one.
func (t *backupFolder) load(ctx context.Context, s *Store) error {
	for _, dir := range []string{storefile.StorageDir, storefile.TmpDir, storefile.SnapshotDir, manifestDir} {
		if err := engine.Mkdir(t.fs, t.path(dir)); err != nil {
			return err
		}
	}

	// The mark is written last, so without one there is no backup yet.
	if _, err := t.fs.Stat(t.path(storefile.MarkFile)); err != nil {
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

// readBackupFolder reads the manifest of the backup in a folder, and what the catalog there says of
// the backup.
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

	// The catalog names its manifest by the id of the backup.
	f, err := fsx.OpenWithin(dir, filepath.Join(dir, manifestDir, meta.Backup.ID.String()), os.O_RDONLY, 0)
	if err != nil {
		return nil, meta.Backup, err
	}

	m, err := manifest.Decode(f)
	if err == nil && (m.ID != meta.Backup.ID.String() || m.Store != meta.Store.String()) {
		err = fmt.Errorf("%w: the manifest is that of backup %s of store %s", ErrNotBackup, m.ID, m.Store)
	}
	if err == nil {
		err = mustBeOfFolder(m)
	}

	if err := errors.Join(err, f.Close()); err != nil {
		return nil, meta.Backup, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return m, meta.Backup, nil
}

// mustBeOfFolder returns ErrCorrupt unless a manifest lists files of a store, each whole and with
// its checksums.
func mustBeOfFolder(m *manifest.Manifest) error {
	for i := range m.Files {
		f := &m.Files[i]
		if err := ownPath(f.Path); err != nil {
			return err
		}
		if f.From > 0 || len(f.Sums) != manifest.Chunks(f.Size) {
			return fmt.Errorf("%w: %q from byte %d on, with %d checksums: expected all of it, with %d", store.ErrCorrupt, f.Path, f.From, len(f.Sums), manifest.Chunks(f.Size))
		}
	}
	return nil
}
