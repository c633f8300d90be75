package engine

import (
	"context"
	"errors"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storefile"
)

// Describe makes the catalog expect the header that describes the file of a storage from now on.
// FreshenHeader writes it after the commit: a crash in between, or another writer's lock, leaves
// what Check notes and Repair puts right.
func (s *Store) Describe(c *catalog.Tx, id catalog.ID) error {
	st, err := c.Storage(id)
	if err != nil || st.Adopted {
		return err
	}
	b, err := s.headerBytesIn(c, st)
	if err != nil {
		return err
	}
	if _, present, _ := s.anyHeader(st); present == st.HeaderSum {
		st.HeaderWas = present
	}
	st.HeaderSum = storefile.HeaderSum(b)
	return c.RestoreStorage(st) // the file has been there since it was born
}

// headerBytesIn returns the header that describes the file of a storage as a catalog has it.
func (s *Store) headerBytesIn(c *catalog.Tx, st catalog.Storage) ([]byte, error) {
	// Between the commit and the writing, the file has a header that is no longer expected. Without
	// any, a shared file is described as plain bytes.
	present, _, _ := s.anyHeader(st)
	h, err := storefile.HeaderIn(c, st, present)
	if err != nil {
		return nil, err
	}
	return h.Encode()
}

// FreshenHeader writes the header that the catalog expects into the file of a storage, whose lock
// the caller holds. It leaves the file alone if the records ask for another header than the storage
// was committed with.
func (s *Store) FreshenHeader(ctx context.Context, id catalog.ID) error {
	var st catalog.Storage
	var b []byte
	err := s.Catalog.View(ctx, func(c *catalog.Tx) (err error) {
		if st, err = c.Storage(id); err == nil && !st.Adopted {
			b, err = s.headerBytesIn(c, st)
		}
		return err
	})

	if err != nil || b == nil || storefile.HeaderSum(b) != st.HeaderSum {
		return err
	}

	f, err := s.FS.OpenFile(s.DataPath(st), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	return errors.Join(err, f.Close())
}
