package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// RestoreOptions of Restore and Store.RestoreNames.
type RestoreOptions struct {
	Stdin          io.Reader
	Progress       func(done, total int64)
	AllowNetworkFS bool
}

// RestoreReport says what Restore has made.
type RestoreReport struct {
	Created  time.Time
	Files    int
	Bytes    int64
	Problems []check.Problem
}

// Restore makes a new store of a backup in dir, which must be missing or empty. sources are folders
// and tar files that Backup made; the newest of them is restored.
func Restore(ctx context.Context, sources []string, dir string, o *RestoreOptions) (*RestoreReport, error) {
	r, err := RestoreOn(ctx, fsx.OS, sources, dir, o)
	if err != nil {
		return nil, fmt.Errorf("restore to %q: %w", dir, err)
	}
	return r, nil
}

// RestoreOn is Restore by file operations of fsys.
func RestoreOn(ctx context.Context, fsys fsx.FS, sources []string, dir string, o *RestoreOptions) (report *RestoreReport, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}

	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real // the link stays, and says on which disk
	}
	if o == nil || !o.AllowNetworkFS {
		if err := engine.MustBeLocal(abs); err != nil {
			return nil, err
		}
	}

	if err := mustBeEmpty(fsys, abs); err != nil {
		return nil, err
	}

	// Plan before anything is made: a missing archive must not leave a folder behind.
	x, err := openExtraction(ctx, fsys, sources, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	if err := x.plan(); err != nil {
		return nil, err
	}

	// The store is made in a folder beside its own and renamed when it is whole, so nobody opens
	// half of one.
	x.dir = abs + ".restoring"
	lock, err := x.begin()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	report, err = x.makeStore(ctx)
	if err == nil {
		err = replaceFolder(fsys, x.dir, abs)
	}
	if err != nil {
		return nil, errors.Join(err, removeFolder(x.fs, x.dir))
	}
	return report, nil
}

// mustBeEmpty returns ErrExists if dir has entries or is a mount point.
func mustBeEmpty(fsys fsx.FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%w: the folder is not empty: choose a new one", store.ErrExists)
	}
	if err != nil {
		return err
	}

	// Another device than the parent's: the folder can't be replaced by a rename.
	own, err := fsys.Stat(dir)
	if err != nil {
		return err
	}
	above, err := fsys.Stat(filepath.Dir(dir))
	if err == nil && fsx.IdentityOf(own).Dev != fsx.IdentityOf(above).Dev {
		err = fmt.Errorf("%w: a file system is mounted on the folder: choose a new folder in it, such as %q", store.ErrExists, filepath.Join(dir, "store"))
	}
	return err
}

// replaceFolder gives a finished folder its name, which an empty one may have.
func replaceFolder(fsys fsx.FS, tmp, dir string) error {
	if err := fsys.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	// The folder is whole and synced, so it may get its name.
	if err := fsys.Rename(tmp, dir); err != nil {
		return err
	}

	// Where the mark can't be removed, gc does it.
	_ = fsys.Remove(filepath.Join(dir, storefile.RestoringFile))
	return fsys.SyncDir(filepath.Dir(dir))
}

// removeFolder deletes a half-made restore. The file that marks it as one goes last, so that an
// interrupted delete can still be recognised.
func removeFolder(fsys fsx.FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	last := []string{storefile.RestoringFile, storefile.LockFile}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Compare(slices.Index(last, a.Name()), slices.Index(last, b.Name()))
	})

	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = errors.Join(err, removeFolder(fsys, name))
		} else {
			err = errors.Join(err, fsys.Remove(name))
		}
	}
	return errors.Join(err, fsys.Remove(dir))
}

// begin makes the folder, or takes over what a dead restore left.
func (x *extraction) begin() (*filelock.Held, error) {
	x.fs = fsx.Within(x.fs, x.dir)

	err := x.fs.Mkdir(x.dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		err = x.mustBeLeft()
	}
	if err != nil {
		return nil, err
	}

	// The lock tells a dead restore from one at work. Remove the dead one's files only under it.
	lock, err := filelock.TryLock(filepath.Join(x.dir, storefile.LockFile), engine.RestoreLock, filelock.Exclusive)
	if errors.Is(err, filelock.ErrHeld) {
		err = fmt.Errorf("%w: another restore is at work in %q: wait until it has finished", store.ErrBusy, x.dir)
	}
	if err != nil {
		return nil, err
	}
	if err := x.empty(); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// empty makes the folder one of a restore, with nothing in it.
func (x *extraction) empty() error {
	if err := storefile.MarkRestoring(x.fs, x.dir); err != nil {
		return err
	}
	for _, sub := range []string{storefile.StorageDir, storefile.SnapshotDir, storefile.TmpDir} {
		if err := errors.Join(removeFolder(x.fs, filepath.Join(x.dir, sub)), engine.Mkdir(x.fs, filepath.Join(x.dir, sub))); err != nil {
			return err
		}
	}
	if err := x.fs.Remove(filepath.Join(x.dir, storefile.MarkFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
