package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/tstore/tstore/catalog"
)

// SetAttr sets an attribute of a tensor or a blob.
func (tx *Tx) SetAttr(name, key string, v catalog.Value) error {
	if key == "" {
		return tx.Fail("set attribute of", name, errors.New("the key is empty"))
	}
	return tx.editAttrs("set attribute of", name, func(attrs map[string]catalog.Value) error {
		_, known := attrs[key]
		attrs[key] = v
		if known {
			return nil
		}
		return catalog.CheckNewLabel(key)
	})
}

// DeleteAttr removes an attribute. It returns ErrNotFound if there is none of that key.
func (tx *Tx) DeleteAttr(name, key string) error {
	return tx.editAttrs("delete attribute of", name, func(attrs map[string]catalog.Value) error {
		if _, ok := attrs[key]; !ok {
			return fmt.Errorf("attribute %q: %w", key, ErrNotFound)
		}
		delete(attrs, key)
		return nil
	})
}

func (tx *Tx) editAttrs(verb, name string, edit func(map[string]catalog.Value) error) error {
	return tx.AtCommit(verb, name, func(c *catalog.Tx) error {
		rec, err := c.Get(name)
		if err != nil {
			return err
		}

		// The map belongs to the record that was read: edit a copy.
		attrs := make(map[string]catalog.Value, len(rec.Attrs)+1)
		for k, v := range rec.Attrs {
			attrs[k] = v
		}
		if err := edit(attrs); err != nil {
			return err
		}

		rec.Attrs = attrs
		rec.Version++
		rec.Modified = time.Now().UTC()
		return c.Put(rec)
	})
}

// PutBlob stores a small typed value under a name, and replaces a blob that has the name.
func (tx *Tx) PutBlob(name string, v catalog.Value) error {
	if err := catalog.CheckName(name); err != nil {
		return tx.Fail("put blob", name, err)
	}

	return tx.AtCommit("put blob", name, func(c *catalog.Tx) error {
		now := time.Now().UTC()
		rec := catalog.Record{Name: name, Kind: catalog.KindBlob, Version: 1, Created: now}

		old, err := c.Get(name)
		switch {
		case err == nil && old.Kind != catalog.KindBlob:
			return fmt.Errorf("%w: it is a %v", ErrWrongKind, old.Kind)
		case err == nil:
			rec = old
			rec.Version++
		case !errors.Is(err, ErrNotFound):
			return err
		}

		rec.Blob, rec.Modified = v, now
		return c.Put(rec)
	})
}
