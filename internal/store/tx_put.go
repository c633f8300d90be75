package store

import (
	"errors"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
)

// PutRecord gives a name the tensor that rec describes, whose storage is part of the transaction:
// in the place of the tensor that has the name at the commit, whose version it continues, or as a
// new tensor whose axes are named dims.
func (tx *Tx) PutRecord(rec *catalog.Record, dims []string) error {
	return tx.AtCommit("replace", rec.Name, func(c *catalog.Tx) error {
		old, err := getTensor(c, rec.Name)
		if errors.Is(err, ErrNotFound) {
			fresh := *rec
			fresh.Version, fresh.Dims = record.FirstVersion, dims
			return c.Put(fresh)
		}
		if err != nil {
			return err
		}
		return Succeed(c, old, *rec)
	})
}

// CreateSeenFree is CreateRecord for a name that was free when a statement was planned. If the name
// has been taken since, the commit returns a *ConflictError: the statement is repeated, and then
// replaces that tensor.
func (tx *Tx) CreateSeenFree(rec *catalog.Record) error {
	return tx.AtCommit("create", rec.Name, func(c *catalog.Tx) error {
		err := MustBeFree(c, rec.Name)
		if errors.Is(err, ErrExists) {
			return PublicConflict(&ConflictError{Names: []string{rec.Name}})
		}
		if err != nil {
			return err
		}
		return c.Put(*rec)
	})
}

// CreateRecord names a tensor whose storage is part of the transaction. The commit returns ErrExists
// if something has the name.
func (tx *Tx) CreateRecord(rec *catalog.Record) error {
	return tx.AtCommit("create", rec.Name, func(c *catalog.Tx) error {
		if err := MustBeFree(c, rec.Name); err != nil {
			return err
		}
		return c.Put(*rec)
	})
}

// Put is Replace of whatever has the name at the commit, or Create if nothing has it.
func (tx *Tx) Put(name string, src Source) error {
	rec, err := tx.Write(name, src)
	if err != nil {
		return tx.Fail("replace", name, err)
	}
	return tx.PutRecord(rec, rec.Dims)
}

// Succeed puts rec where old is, under its name. rec gets the next version, and what Inherit gives.
func Succeed(c *catalog.Tx, old, rec catalog.Record) error {
	st, err := c.Storage(old.Storage)
	if err != nil {
		return err
	}
	rec.Version = record.Version(&old, &st) + 1
	Inherit(&rec, old)
	return c.Put(rec)
}

// Inherit gives rec, which replaces old, a greater version, its time of creation, and its
// attributes and names of axes where rec has none of its own.
func Inherit(rec *catalog.Record, old catalog.Record) {
	rec.Version = max(rec.Version, old.Version+1)
	rec.Created = old.Created
	if rec.Attrs == nil {
		rec.Attrs = old.Attrs
	}
	if len(rec.Dims) == 0 && len(old.Dims) == len(rec.Shape) {
		rec.Dims = old.Dims
	}
}

// PutStorage has the commit add the storage record of st, whose file is in tx.Files. name is for
// errors.
func (tx *Tx) PutStorage(st *engine.Staged, name string) error {
	return tx.AtCommit("create storage of", name, func(c *catalog.Tx) error { return c.PutStorage(st.Storage) })
}
