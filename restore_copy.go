package tstore

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tstore/tstore/catalog"
)

// errNotCopied: elements are shared that were not when it was looked.
var errNotCopied = fmt.Errorf("%w: storages are shared that were not: try again", ErrConflict)

// copyShared copies the elements of storages that other names go on using with
// the file they have now.
func (r *restoring) copyShared(ctx context.Context) ([]*staged, error) {
	r.copies, r.done.Copied = map[catalog.ID]*staged{}, 0
	var shared []catalog.Storage
	err := r.store.cat.View(ctx, func(c *catalog.Tx) error {
		shared = nil
		for id, f := range r.files {
			yes, err := r.isShared(c, id)
			if err != nil {
				return err
			}
			if yes {
				shared = append(shared, f.storage)
			}
		}
		return nil
	})
	var files []*staged
	for _, old := range shared {
		var st *staged
		if st, err = r.store.copyStorage(ctx, old); err != nil {
			break
		}
		files = append(files, st)
		r.copies[old.ID] = st
		r.done.Copied += old.PayloadBytes
	}
	if err != nil {
		for _, st := range files {
			err = errors.Join(err, st.discard())
		}
		return nil, err
	}
	return files, nil
}

// isShared reports whether a storage has another file now, which names that are
// not restored use.
func (r *restoring) isShared(c *catalog.Tx, id catalog.ID) (bool, error) {
	now, err := c.Storage(id)
	if errors.Is(err, ErrNotFound) || err == nil && (r.all || now.Gen == r.files[id].storage.Gen) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	names, err := c.Sharers(id, 0)
	for _, name := range names {
		if !r.wanted[name] {
			return true, err
		}
	}
	return false, err
}

// copyStorage makes a new storage of the elements of another.
func (s *Store) copyStorage(ctx context.Context, old catalog.Storage) (*staged, error) {
	st, err := s.stageNew()
	if err != nil {
		return nil, err
	}
	st.storage.PayloadBytes, st.storage.Sparse = old.PayloadBytes, old.Sparse
	if err := st.cloneFrom(ctx, &Info{Entry: &catalog.Entry{Storage: old}}); err != nil {
		return nil, errors.Join(err, st.discard())
	}
	st.copyHeader()
	return st, nil
}

// copyHeader gives a copied file a header of its own, which describes the same
// if it can.
func (st *staged) copyHeader() {
	h, sp, err := parseFileHeader(io.NewSectionReader(st.file, 0, headerBytes))
	n, sized := payloadOf(h)
	if err != nil || sized != nil || n != st.storage.PayloadBytes {
		st.header = plainHeader(st.storage)
		return
	}
	st.header = fileHeader{dtype: h.DType, shape: h.Shape, spare: sp}
	if h.Fortran {
		st.header.order = ColumnMajor
	}
}
