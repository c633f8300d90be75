package tstore

import (
	"errors"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
)

// putMade replaces the tensor that has the name. If that tensor is gone by the commit, a new one is
// made, whose axes have the given names.
func (tx *Tx) putMade(rec *catalog.Record, dims []string) error {
	return tx.then("replace", rec.Name, func(c *catalog.Tx) error {
		old, err := getTensor(c, rec.Name)
		if errors.Is(err, ErrNotFound) {
			fresh := *rec
			fresh.Version, fresh.Dims = record.FirstVersion, dims
			return c.Put(fresh)
		}
		if err != nil {
			return err
		}
		return succeed(c, old, *rec)
	})
}

// createStill adds a tensor whose name was free. If the name has been taken meanwhile, it returns a
// *ConflictError: when the statement is repeated, it replaces that tensor.
func (tx *Tx) createStill(rec *catalog.Record) error {
	return tx.then("create", rec.Name, func(c *catalog.Tx) error {
		err := mustBeFree(c, rec.Name)
		if errors.Is(err, ErrExists) {
			return &ConflictError{Names: []string{rec.Name}}
		}
		if err != nil {
			return err
		}
		return c.Put(*rec)
	})
}

func (tx *Tx) createRecord(rec *catalog.Record) error {
	return tx.then("create", rec.Name, func(c *catalog.Tx) error {
		if err := mustBeFree(c, rec.Name); err != nil {
			return err
		}
		return c.Put(*rec)
	})
}

// put is replace, or Create if nothing has the name at the commit.
func (tx *Tx) put(name string, src Source) error {
	rec, err := tx.write(name, src)
	if err != nil {
		return tx.fail("replace", name, err)
	}
	return tx.putMade(rec, rec.Dims)
}

// succeed puts rec in the place of old, which names the same tensor.
func succeed(c *catalog.Tx, old, rec catalog.Record) error {
	st, err := c.Storage(old.Storage)
	if err != nil {
		return err
	}
	rec.Version = record.Version(&old, &st) + 1
	inherit(&rec, old)
	return c.Put(rec)
}

// inherit gives the record that follows old what it does not have itself.
func inherit(rec *catalog.Record, old catalog.Record) {
	rec.Version = max(rec.Version, old.Version+1)
	rec.Created = old.Created
	if rec.Attrs == nil {
		rec.Attrs = old.Attrs
	}
	if len(rec.Dims) == 0 && len(old.Dims) == len(rec.Shape) {
		rec.Dims = old.Dims
	}
}

// putStorage makes the storage of a staged file part of the transaction.
func (tx *Tx) putStorage(st *engine.Staged, name string) error {
	return tx.then("create storage of", name, func(c *catalog.Tx) error { return c.PutStorage(st.Storage) })
}
