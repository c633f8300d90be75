package realdisk_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// spoilings are what is left out of, or comes too late or too early in, the durable order.
var spoilings = []string{
	"no sync of data", "no sync of folders", "no sync of the catalog", "no sync before the meta page",
	"commit before sync of data", "commit before sync of folders", "commit before rename", "removal before commit",
}

// spoiltFS leaves out, or does after the next commit of the catalog, what the name of a spoiling
// says.
type spoiltFS struct {
	fsx.FS
	spoiling string
	store    *tstore.Store
	// late is what waits for a commit later than txid.
	late []func() error
	txid uint64
}

// openSpoilt opens a store that does not keep the durable order.
func openSpoilt(ctx context.Context, dir, spoiling string) (*tstore.Store, *spoiltFS, error) {
	fsys := &spoiltFS{FS: fsx.OS, spoiling: spoiling}
	s, err := storetest.OpenOn(ctx, dir, fsys, nil)
	if err != nil {
		return nil, nil, err
	}
	if spoiling == "no sync of the catalog" {
		err = storetest.UnsyncedCatalog(ctx, s)
	}
	fsys.store = s
	return s, fsys, err
}

// later does something after the next commit.
func (f *spoiltFS) later(do func() error) (err error) {
	if len(f.late) == 0 {
		f.txid, err = storetest.TxID(f.store)
	}
	f.late = append(f.late, do)
	return err
}

// catchUp does what waited for a commit, if there was one.
func (f *spoiltFS) catchUp() error {
	if len(f.late) == 0 {
		return nil
	}
	txid, err := storetest.TxID(f.store)
	if err != nil || txid == f.txid {
		return err
	}
	return f.finish()
}

func (f *spoiltFS) finish() error {
	late := f.late
	f.late = nil
	var err error
	for _, do := range late {
		err = errors.Join(err, do())
	}
	return err
}

// OpenFile implements fsx.FS.
func (f *spoiltFS) OpenFile(name string, flag int, perm fs.FileMode) (fsx.File, error) {
	if err := f.catchUp(); err != nil {
		return nil, err
	}
	file, err := f.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return spoiltFile{file, f}, nil
}

// Rename implements fsx.FS.
func (f *spoiltFS) Rename(oldName, newName string) error {
	if err := f.catchUp(); err != nil {
		return err
	}
	if f.spoiling == "commit before rename" {
		return f.later(func() error { return f.FS.Rename(oldName, newName) })
	}
	return f.FS.Rename(oldName, newName)
}

// Remove implements fsx.FS.
func (f *spoiltFS) Remove(name string) error {
	return errors.Join(f.catchUp(), f.FS.Remove(name))
}

// Stat implements fsx.FS.
func (f *spoiltFS) Stat(name string) (fs.FileInfo, error) {
	if err := f.catchUp(); err != nil {
		return nil, err
	}
	return f.FS.Stat(name)
}

// SyncDir implements fsx.FS.
func (f *spoiltFS) SyncDir(name string) error {
	if err := f.catchUp(); err != nil {
		return err
	}
	switch f.spoiling {
	case "no sync of folders":
		return nil
	case "commit before sync of folders", "commit before rename":
		return f.later(func() error { return f.FS.SyncDir(name) })
	}
	return f.FS.SyncDir(name)
}

type spoiltFile struct {
	fsx.File
	fsys *spoiltFS
}

// Unwrap is for fsx.OSFile.
func (f spoiltFile) Unwrap() fsx.File { return f.File }

// Sync implements fsx.File.
func (f spoiltFile) Sync() error {
	switch f.fsys.spoiling {
	case "no sync of data":
		return nil
	case "commit before sync of data":
		twin, err := f.fsys.FS.OpenFile(f.Name(), 0, 0) // its name may change, and it be closed
		if err != nil {
			return err
		}
		return f.fsys.later(func() error { return errors.Join(twin.Sync(), twin.Close()) })
	}
	return f.File.Sync()
}

// do runs a step, with what comes late after it.
func (f *spoiltFS) do(ctx context.Context, before, after storetest.State, step storetest.PowerStep) error {
	if f.spoiling == "removal before commit" {
		if err := f.removeEarly(ctx, before, after); err != nil {
			return err
		}
	}
	return errors.Join(step.Do(ctx, f.store), f.finish())
}

// removeEarly removes, for good, the files of what a step will delete and nothing else has.
func (f *spoiltFS) removeEarly(ctx context.Context, before, after storetest.State) error {
	paths := map[string]string{}
	shared := map[string]int{}
	for name := range before {
		x, err := f.store.Get(ctx, name)
		if err != nil {
			return err
		}
		paths[name] = x.Storage().Path()
		shared[paths[name]]++
		if err := x.Close(); err != nil {
			return err
		}
	}
	for name, path := range paths {
		if _, stays := after[name]; stays || shared[path] > 1 {
			continue
		}
		if err := errors.Join(f.FS.Remove(path), f.FS.SyncDir(filepath.Dir(path))); err != nil {
			return err
		}
	}
	return nil
}
