package snapshots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// errNotCopied: at the commit elements are shared that were not when copyShared looked.
var errNotCopied = fmt.Errorf("%w: storages are shared that were not: try again", store.ErrConflict)

// copyShared copies the storages of the snapshot that can't be replaced, because names that are not
// restored go on using their present files.
func (r *restoring) copyShared(ctx context.Context) ([]*engine.Staged, error) {
	var shared []catalog.Storage
	err := r.store.Engine.Catalog.View(ctx, func(c *catalog.Tx) (err error) {
		shared, err = r.shared(c)
		return err
	})
	r.copies = map[catalog.ID]*engine.Staged{}

	var files []*engine.Staged

	for _, old := range shared {
		var made []*engine.Staged
		if made, err = r.copyStorage(ctx, old); err != nil {
			break
		}
		files = append(files, made...)
		r.copies[old.ID] = made[0]
	}

	if err != nil {
		for _, st := range files {
			err = errors.Join(err, st.Discard())
		}
		return nil, err
	}
	return files, nil
}

// shared returns the storages to be restored that others share; see isShared.
func (r *restoring) shared(c *catalog.Tx) (shared []catalog.Storage, err error) {
	for id, f := range r.files {
		yes, err := r.isShared(c, id)
		if err != nil {
			return nil, err
		}
		if yes {
			shared = append(shared, f.storage)
		}
	}
	return shared, nil
}

// isShared reports whether names that are not restored use the present file of a storage, which is
// not that of the snapshot.
func (r *restoring) isShared(c *catalog.Tx, id catalog.ID) (bool, error) {
	now, err := c.Storage(id)
	if errors.Is(err, store.ErrNotFound) || err == nil && (r.all || now.Gen == r.files[id].storage.Gen) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return r.hasOthers(c, id)
}

// copyRecord describes a storage that has the elements of another.
func copyRecord(old catalog.Storage, id catalog.ID) catalog.Storage {
	return catalog.Storage{ID: id, HeaderBytes: storefile.HeaderBytes, Created: time.Now().UTC(), PayloadBytes: old.PayloadBytes, Sparse: old.Sparse}
}

// copyStorage makes a new storage of the elements of old, sealed if old is. It returns its file,
// and that of its checksums if there is one.
func (r *restoring) copyStorage(ctx context.Context, old catalog.Storage) ([]*engine.Staged, error) {
	st, err := r.store.Engine.StageNew()
	if err != nil {
		return nil, err
	}
	st.Storage = copyRecord(old, st.Storage.ID)
	files := []*engine.Staged{st}

	if err = st.CloneFrom(ctx, old); err == nil && old.Seal != nil {
		files, err = r.sealCopy(ctx, st, old)
	}
	if err == nil {
		err = r.copyHeader(st, old)
	}
	if err != nil {
		return nil, errors.Join(err, st.Discard())
	}
	return files, nil
}

// sealCopy seals a copy of a sealed storage, and returns it with the file of its checksums. It
// returns a *ChecksumError if the bytes are not those that were sealed: a new seal would hide the
// damage.
func (r *restoring) sealCopy(ctx context.Context, st *engine.Staged, old catalog.Storage) ([]*engine.Staged, error) {
	was, err := r.store.Engine.LoadSums(old)
	if err != nil {
		return nil, err
	}

	copied := store.Summing{File: st.File, Storage: st.Storage, Look: func(p []byte, off int64) error {
		bad := blocksum.Bad(old.ID, was, off/blocksum.BlockBytes, p)
		if len(bad) == 0 {
			return nil
		}
		at := bad[0] * blocksum.BlockBytes
		return store.PublicChecksum(&store.ChecksumError{
			Path: r.store.Engine.DataPath(old), Offset: old.HeaderBytes + at,
			Bytes: min(blocksum.BlockBytes, old.PayloadBytes-at), Names: r.namesOf(old.ID),
		})
	}}

	sums, err := copied.Run(ctx)
	if err != nil {
		return nil, err
	}

	more, err := r.store.Engine.StageSeal(&st.Storage, sums)
	return append([]*engine.Staged{st}, more...), err
}

// namesOf returns the names to be restored that have elements in a storage.
func (r *restoring) namesOf(id catalog.ID) (names []string) {
	for _, rec := range r.records {
		if rec.Kind == catalog.KindTensor && rec.Storage == id {
			names = append(names, rec.Name)
		}
	}
	return names
}

// copyHeader gives a copied file a header that describes the restored tensors.
func (r *restoring) copyHeader(st *engine.Staged, old catalog.Storage) (err error) {
	var records []catalog.Record
	for _, rec := range r.records {
		if rec.Kind == catalog.KindTensor && rec.Storage == old.ID {
			records = append(records, rec)
		}
	}
	present, _ := storefile.PresentHeader(io.NewSectionReader(st.File, 0, storefile.HeaderBytes)) // the catalog is right
	st.Header, err = storefile.HeaderOf(old, present, records, true)
	return err
}
