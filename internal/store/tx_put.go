package store

import (
	"errors"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
)

// PutMade replaces the tensor that has the name. If that tensor is gone by the commit, a new one is
// made, whose axes have the given names.
func (tx *Tx) PutMade(rec *catalog.Record, dims []string) error {
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

// CreateStill adds a tensor whose name was free. If the name has been taken meanwhile, it returns a
// *ConflictError: when the statement is repeated, it replaces that tensor.
func (tx *Tx) CreateStill(rec *catalog.Record) error {
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

// Put is replace, or Create if nothing has the name at the commit.
func (tx *Tx) Put(name string, src Source) error {
	rec, err := tx.Write(name, src)
	if err != nil {
		return tx.Fail("replace", name, err)
	}
	return tx.PutMade(rec, rec.Dims)
}

// Succeed puts rec in the place of old, which names the same tensor.
func Succeed(c *catalog.Tx, old, rec catalog.Record) error {
	st, err := c.Storage(old.Storage)
	if err != nil {
		return err
	}
	rec.Version = record.Version(&old, &st) + 1
	Inherit(&rec, old)
	return c.Put(rec)
}

// Inherit gives the record that follows old what it does not have itself.
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

// PutStorage makes the storage of a staged file part of the transaction.
func (tx *Tx) PutStorage(st *engine.Staged, name string) error {
	return tx.AtCommit("create storage of", name, func(c *catalog.Tx) error { return c.PutStorage(st.Storage) })
}
