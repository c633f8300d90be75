package store

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/view"
)

// Write stores the elements of src and returns the record that will name them.
func (tx *Tx) Write(name string, src Source) (*catalog.Record, error) {
	if tx.ended {
		return nil, errEnded
	}

	src.Spec = src.Spec.Clone()
	rec, _, n, err := src.Record(name)
	if err != nil {
		return nil, err
	}

	// A large tensor gets a file of its own, and so do the first few small ones. Further small ones
	// share a file.
	if n > PackLimit || src.Reserve != Preallocate {
		return rec, tx.writeFile(rec, src, n)
	}
	if src.Pack || tx.small == OwnFiles() {
		return rec, tx.WritePacked(rec, src, n)
	}

	tx.small++
	return rec, tx.writeFile(rec, src, n)
}

// Record returns the record of a new tensor, still without a storage, with its layout and the bytes
// of its elements.
func (sp Spec) Record(name string) (*catalog.Record, view.Layout, int64, error) {
	if err := catalog.CheckName(name); err != nil {
		return nil, view.Layout{}, 0, err
	}
	l, err := sp.Layout()
	if err != nil {
		return nil, l, 0, err
	}
	n, err := sp.NumBytes()
	if err != nil {
		return nil, l, 0, err
	}
	rec := record.New(catalog.ID{}, sp.DType, l)
	rec.Name, rec.Dims, rec.Attrs = name, sp.Dims, sp.Attrs
	return &rec, l, n, nil
}

// writeFile stores a tensor in a file of its own.
func (tx *Tx) writeFile(rec *catalog.Record, src Source, n int64) error {
	st, err := tx.newFile(rec, src.Spec, n)
	if err != nil {
		return err
	}
	if src.seals() {
		st.Sums = blocksum.NewCollector(st.Storage.ID, 0)
	}
	if err := st.CopyFrom(tx.Ctx, src.Data, src.Progress, n); err != nil {
		return err
	}
	return tx.seal(st)
}

// newFile begins a storage file of n payload bytes that rec alone will name.
func (tx *Tx) newFile(rec *catalog.Record, sp Spec, n int64) (*engine.Staged, error) {
	st, err := tx.StageFile(rec, sp, n)
	if err != nil {
		return nil, err
	}
	return st, tx.PutStorage(st, rec.Name)
}

// StageFile begins a file of n bytes of elements for rec, and gives rec its storage. The file is
// part of the transaction; the commit adds its storage record only after PutStorage. The caller
// writes the elements.
func (tx *Tx) StageFile(rec *catalog.Record, sp Spec, n int64) (*engine.Staged, error) {
	st, err := tx.Base.Engine.StageNew()
	if err != nil {
		return nil, err
	}
	tx.Files = append(tx.Files, st)
	if err := st.Reserve(tx.Ctx, n, sp.Reserve == Sparse); err != nil {
		return nil, fmt.Errorf("reserve %d bytes: %w", storefile.HeaderBytes+n, err)
	}
	st.Header.DType, st.Header.Shape, st.Header.Fortran = sp.DType, sp.Shape, sp.Order == ColumnMajor
	st.Header.Spare.Name, st.Header.Spare.Dims = rec.Name, sp.Dims
	rec.Storage = st.Storage.ID
	return st, nil
}

// Drop takes a staged file out of the transaction and removes it. It does nothing if the file is
// nil or not part of the transaction.
func (tx *Tx) Drop(st *engine.Staged) error {
	i := slices.Index(tx.Files, st)
	if i < 0 {
		return nil
	}
	tx.Files = slices.Delete(tx.Files, i, i+1)
	return st.Discard()
}

// writeFilled makes a tensor in a file of its own. fill writes its elements.
func (tx *Tx) writeFilled(name string, sp Spec, fill func(*view.Tensor) error) (*catalog.Record, error) {
	if tx.ended {
		return nil, errEnded
	}
	sp = sp.Clone()
	rec, l, n, err := sp.Record(name)
	if err != nil {
		return nil, err
	}
	st, err := tx.newFile(rec, sp, n)
	if err != nil {
		return nil, err
	}
	return rec, st.Fill(tx.Ctx, sp.DType, l, fill)
}

// WritePacked adds a small tensor to the transaction's shared file.
// The tensors of a pack are sealed together or not at all.
func (tx *Tx) WritePacked(rec *catalog.Record, src Source, n int64) error {
	if tx.pack != nil && src.seals() != (tx.pack.file.Sums != nil) {
		if err := tx.closePack(); err != nil {
			return err
		}
	}

	if tx.pack == nil {
		st, err := tx.Base.Engine.StageNew()
		if err != nil {
			return err
		}
		if src.seals() {
			st.Sums = blocksum.NewCollector(st.Storage.ID, 0)
		}
		tx.pack = &pack{file: st}
	}

	p := tx.pack
	// Each tensor commits the storage of the pack, and not only the first: the storage goes with its
	// last name, so a transaction that deletes all it made before would lose it.
	if err := tx.AtCommit("create storage of", rec.Name, p.mustBeThere); err != nil {
		return err
	}

	off, err := p.add(rec.Name, src, n)
	if err != nil {
		return err
	}

	rec.Storage = p.file.Storage.ID
	rec.Offset = off / int64(rec.DType.Size())

	if p.size() < packBytes && len(p.entries) < packEntries {
		return nil
	}
	return tx.closePack()
}

// readExactly fills b from r, which must end there.
func readExactly(r io.Reader, b []byte) error {
	n, err := io.ReadFull(r, b)
	if err != nil && len(b) > 0 {
		return fmt.Errorf("expected %d bytes of elements, found %d: %w", len(b), n, err)
	}
	var one [1]byte
	switch n, err := io.ReadFull(r, one[:]); {
	case n > 0:
		return fmt.Errorf("expected %d bytes of elements, found more", len(b))
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}
