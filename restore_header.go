package tstore

import (
	"context"
	"errors"
	"os"

	"github.com/tstore/tstore/catalog"
)

// describe makes the catalog expect headers that describe what the files of
// restored storages are from now on. writeHeaders writes them after the commit: a
// crash in between leaves what Repair puts right.
func (r *restoring) describe(c *catalog.Tx) error {
	for id := range r.touched {
		st, err := c.Storage(id)
		if err != nil {
			return err
		}
		if st.Adopted {
			continue
		}
		b, err := r.store.headerBytesIn(c, st)
		if err != nil {
			return err
		}
		st.HeaderSum = headerSum(b)
		if err := c.RestoreStorage(st); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoring) writeHeaders(ctx context.Context) {
	for id := range r.touched {
		// What can't be written now is for Repair: the catalog is right.
		_ = r.store.freshenHeader(ctx, id)
	}
}

// headerBytesIn is the header that describes the file of a storage as a catalog has
// it.
func (s *Store) headerBytesIn(c *catalog.Tx, st catalog.Storage) ([]byte, error) {
	sp, _ := s.readSpare(st) // without it, a shared file is described as plain bytes
	h, err := headerIn(c, st, sp)
	if err != nil {
		return nil, err
	}
	return h.encode()
}

// freshenHeader gives the file of a storage the header that the catalog expects,
// unless that is no longer what describes it, or another writer is at work.
func (s *Store) freshenHeader(ctx context.Context, id catalog.ID) error {
	lock, err := s.lockStorageSoon(ctx, id, "")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	var st catalog.Storage
	var b []byte
	err = s.cat.View(ctx, func(c *catalog.Tx) (err error) {
		if st, err = c.Storage(id); err == nil && !st.Adopted {
			b, err = s.headerBytesIn(c, st)
		}
		return err
	})
	if err != nil || b == nil || headerSum(b) != st.HeaderSum {
		return err
	}
	f, err := s.fs.OpenFile(s.dataPath(st), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	return errors.Join(err, f.Close())
}
