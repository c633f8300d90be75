package store

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
)

// Foreign describes elements in a file that is not the store's.
type Foreign struct {
	Spec
	Path   string
	Offset int64
}

// Adopt names the elements of a foreign file, which stays where it is: nothing is copied.
func (s *Store) Adopt(ctx context.Context, name string, f Foreign) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.Adopt(name, f) })
}

// Adopt names the elements of a foreign file, as Store.Adopt does.
func (tx *Tx) Adopt(name string, f Foreign) error {
	if err := CheckLabels(f.Dims, f.Attrs); err != nil {
		return tx.Fail("adopt", name, err)
	}
	rec, st, err := tx.Base.adopted(name, f)
	if err != nil {
		return tx.Fail("adopt", name, err)
	}
	if err := tx.AtCommit("adopt", name, func(c *catalog.Tx) error { return c.PutStorage(st) }); err != nil {
		return err
	}
	return tx.CreateRecord(rec)
}

func (s *Store) adopted(name string, f Foreign) (*catalog.Record, catalog.Storage, error) {
	none := catalog.Storage{}
	rec, _, n, err := f.Record(name)
	if err != nil {
		return nil, none, err
	}

	path, err := filepath.Abs(f.Path)
	if err != nil {
		return nil, none, err
	}
	if s.Holds(path) {
		return nil, none, fmt.Errorf("%s is inside the store's own folder", path)
	}

	fi, err := s.Engine.FS.Stat(path)
	switch {
	case err != nil:
		return nil, none, err
	case !fi.Mode().IsRegular():
		return nil, none, fmt.Errorf("%s is not a regular file", path)
	case f.Offset < 0 || fi.Size()-f.Offset < n:
		return nil, none, fmt.Errorf("%s: expected %d bytes of elements from byte %d on, but the file has %d bytes", path, n, f.Offset, fi.Size())
	}

	// The identity of the file tells later whether it is still the same.
	st := catalog.Storage{
		ID: catalog.NewID(), Adopted: true, Path: path, Created: time.Now().UTC(),
		HeaderBytes: f.Offset, PayloadBytes: n, Identity: engine.Identity(fsx.IdentityOf(fi)),
	}
	rec.Storage = st.ID
	return rec, st, nil
}

// Holds reports whether a path, or what it links to, is the store's folder or lies in it.
func (s *Store) Holds(path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(fsx.RealPath(s.Engine.Dir), fsx.RealPath(abs))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
