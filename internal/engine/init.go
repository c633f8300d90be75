package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
)

// Init makes the folder a store. The STORE file comes last: without it the folder is no store, and
// a later Init goes on from what is there.
func Init(ctx context.Context, fsys fsx.FS, dir string, opts Options) error {
	// A new store can have any level that is asked for.
	most := storefile.DurabilityNone
	if opts.Durability == storefile.DurabilityOfStore {
		most = storefile.DurabilityPower
	}
	level, err := opts.Durability.Level(most)
	if err != nil {
		return err
	}

	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}

	// A network file system may not keep locks between machines, so refuse before anything is made.
	if !opts.AllowNetworkFS {
		if err := MustBeLocal(abs); err != nil {
			return err
		}
	}
	fsys = fsx.Within(fsys, abs)

	// The lock file lies in the folder, so the folder comes first.
	for _, d := range []string{abs, filepath.Join(abs, storefile.StorageDir), filepath.Join(abs, storefile.TmpDir)} {
		if err := Mkdir(fsys, d); err != nil {
			return err
		}
	}
	lock, err := LockGC(ctx, abs, filelock.Exclusive, opts.Patience())
	if err != nil {
		return err
	}
	defer lock.Unlock()

	// Under the lock nobody else can finish an Init in between.
	if _, err := fsys.Stat(filepath.Join(abs, storefile.MarkFile)); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return err
		}
		return fmt.Errorf("%w: it has a %s file", catalog.ErrExists, storefile.MarkFile)
	}

	if err := mustHoldNoOrphans(fsys, abs); err != nil {
		return err
	}

	id, err := initCatalog(ctx, abs, opts)
	if err != nil {
		return err
	}
	if err := KeepReserve(fsys, filepath.Join(abs, ReserveFile)); err != nil {
		return err
	}

	// From here on the folder is a store.
	return storefile.WriteMark(fsys, abs, storefile.Mark{Format: storefile.FormatVersion, ID: id, Durability: level})
}

// mustHoldNoOrphans returns ErrExists if the catalog is lost and data files are left. With an empty
// catalog, gc would remove them all.
func mustHoldNoOrphans(fsys fsx.FS, dir string) error {
	if _, err := fsys.Stat(filepath.Join(dir, storefile.CatalogFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	folders, err := fsys.ReadDir(filepath.Join(dir, storefile.StorageDir))
	if err != nil {
		return err
	}

	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		files, err := fsys.ReadDir(filepath.Join(dir, storefile.StorageDir, d.Name()))
		if err != nil {
			return err
		}
		if len(files) > 0 {
			return fmt.Errorf("%w: its %s is lost, but there are data files in %s: get them back with: tstore fsck --salvage", catalog.ErrExists, storefile.CatalogFile, storefile.StorageDir)
		}
	}
	return nil
}

// initCatalog makes the catalog, or takes over the one that an interrupted Init left.
func initCatalog(ctx context.Context, dir string, o Options) (catalog.ID, error) {
	cat, err := catalog.Create(ctx, dir, o.Catalog(storefile.DurabilityPower))
	if errors.Is(err, catalog.ErrExists) {
		cat, err = catalog.Open(ctx, dir, o.Catalog(storefile.DurabilityPower))
	}
	if err != nil {
		return catalog.ID{}, err
	}
	id := cat.StoreID()
	return id, cat.Close()
}
