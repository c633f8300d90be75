package backup

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// install makes the folder a store. It installs the catalog, and writes the mark last: a folder
// without it is no store.
func (x *extraction) install(ctx context.Context) error {
	from := filepath.Join(x.dir, storefile.TmpDir, storefile.CatalogFile+".backup")
	to := filepath.Join(x.dir, storefile.TmpDir, storefile.CatalogFile)

	id, err := catalog.ParseID(x.newest.m.Store)
	if err != nil {
		return err
	}

	// The catalog is of the moment of the backup. It learns that this store was restored, and that
	// all its files are durable here.
	_, _, err = catalog.Rewrite(ctx, from, to, func(c *catalog.Tx) error {
		if c.Meta().Store != id {
			return fmt.Errorf("%w: the catalog is of store %v, the backup of store %v", store.ErrCorrupt, c.Meta().Store, id)
		}
		return errors.Join(c.MarkRestored(), forgetBoots(c))
	})
	if err != nil {
		return err
	}

	// The files that the catalog names are complete and synced, so it may be installed.
	if err := errors.Join(x.fs.Remove(from), catalog.Install(ctx, x.dir, to, nil)); err != nil {
		return err
	}

	m, err := storefile.ParseMark(strings.NewReader(x.newest.m.Mark))
	if err != nil {
		return err
	}
	if m.ID != id {
		return fmt.Errorf("%w: the mark is of store %v, the backup of store %v", store.ErrCorrupt, m.ID, id)
	}

	// From here on the folder is a store.
	return errors.Join(engine.KeepReserve(x.fs, filepath.Join(x.dir, engine.ReserveFile)), storefile.WriteMark(x.fs, x.dir, m))
}

// forgetBoots clears the Boot marks of all storages, since the restore has synced their files.
func forgetBoots(c *catalog.Tx) error {
	var marked []catalog.Storage

	for st, err := range c.Storages() {
		if err != nil {
			return err
		}
		if st.Boot != "" {
			marked = append(marked, st)
		}
	}

	// The records change after the walk, which a change would disturb.
	for _, st := range marked {
		st.Boot = ""
		if err := c.RestoreStorage(st); err != nil {
			return err
		}
	}
	return nil
}

// mend writes headers again that an interrupted backup has left behind, and looks for damage.
func mend(ctx context.Context, fsys fsx.FS, dir string) (found []check.Problem, err error) {
	s, err := open(ctx, dir, &store.Options{AllowNetworkFS: true}) // nobody else knows of it yet
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.Engine.FS = fsys
	found, err = s.Check(ctx)
	if err != nil || !slices.ContainsFunc(found, func(p check.Problem) bool { return p.Kind == check.ProblemHeader }) {
		return found, err
	}
	if _, err := s.Repair(ctx, nil); err != nil {
		return found, err
	}
	return s.Check(ctx)
}

// storageOfPath returns the id of the storage that a file of data or checksums is of.
func storageOfPath(file string) (catalog.ID, bool) {
	f, ok := storefile.ParseName(path.Base(file))
	return f.ID, ok
}
