package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/view"
)

// Tx collects changes that become visible together, or not at all. It belongs to one goroutine, and
// is valid until the function given to Update or Join returns.
//
// Base is the store, Ctx the context of Update, Files are the staged files to be published, and
// Watched the names whose changes by others make the commit fail.
type Tx struct {
	Base  *Store
	Ctx   context.Context
	Files []*engine.Staged
	pack  *pack
	// small is how many tensors up to PackLimit have files of their own.
	small int64
	ops   []func(*catalog.Tx) error
	// step is what errors of ops that are added begin with.
	step string
	// deletes is how many of ops delete something.
	deletes int
	// seen are names and what they stood for, nil for nothing; inOrder are these names as they
	// were added.
	seen    map[string]*catalog.Entry
	Watched []string
	// touched are the names, and groups, that ops change; freed are those of them that the last op
	// takes away.
	touched, freed map[string]bool
	// locks are the write locks that the transaction has, by their bytes; changing is through which
	// name each storage is changed.
	locks    map[int64]*filelock.Held
	changing map[catalog.ID]string
	// err is the first error of a method; the transaction does not commit with one.
	err error
	// ended is true once the function given to Store.Update has returned.
	ended bool
}

// errEnded is what the methods of a Tx return that is used too late.
var errEnded = errors.New("the transaction has ended: a Tx is valid only inside the function given to Update")

// Update runs fn and commits what it did in one transaction.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	end, err := s.Engine.BeginJoining()
	if err != nil {
		return err
	}
	defer end()
	return s.Join(ctx, fn)
}

// Join is Update for callers that have begun a change of the engine. On a handle within a
// transaction it runs fn on that transaction, which commits later.
func (s *Store) Join(ctx context.Context, fn func(*Tx) error) error {
	if tx := s.Within; tx != nil {
		err := fn(tx)
		if err != nil && tx.err == nil {
			tx.err = err // what fn has done until then must not be committed
		}
		return err
	}

	tx := &Tx{Base: s, Ctx: ctx}
	defer tx.abort()

	err := fn(tx)
	tx.ended = true
	if err != nil {
		return err
	}

	// The pack is a file of the transaction like all others, so it must be complete before they are
	// published.
	if err := errors.Join(tx.err, tx.closePack()); err != nil {
		return err
	}

	// From here on Publish discards the files after an error, and not abort.
	files := tx.Files
	tx.Files = nil
	publish := func() error { return s.Engine.Publish(ctx, files, tx.apply) }

	// What only deletes must work on a full disk.
	if len(files) == 0 && tx.deletes == len(tx.ops) {
		return s.Engine.WithReserve(publish)
	}

	// Whether a text is an expression is looked up when the commit is over.
	err = publish()
	if v, ok := errors.AsType[*viewError](err); ok {
		return v.explain(ctx, s, err)
	}
	return err
}

// apply makes the changes in a transaction of the catalog.
func (tx *Tx) apply(c *catalog.Tx) error {
	if err := tx.Unchanged(c); err != nil {
		return err
	}
	for _, op := range tx.ops {
		if err := op(c); err != nil {
			return err
		}
	}
	return nil
}

// usable returns errEnded after the end of the transaction.
func (tx *Tx) usable() error {
	if tx.ended {
		return errEnded
	}
	return nil
}

// abort removes the files of a transaction that does not commit, and gives back its locks, whether
// or not it has committed.
func (tx *Tx) abort() {
	defer tx.unlock()
	if tx.pack != nil {
		tx.Files = append(tx.Files, tx.pack.file)
		tx.pack = nil
	}
	for _, st := range tx.Files {
		// What can't be removed now is swept by gc: nothing names it.
		_ = st.Discard()
	}
	tx.Files = nil
	tx.ended = true
}

// Fail returns err with what was tried. The transaction then can't commit, and returns the first
// such error.
func (tx *Tx) Fail(verb, name string, err error) error {
	err = fmt.Errorf("%s %q: %w", verb, name, err)
	if tx.err == nil {
		tx.err = err
	}
	return err
}

// AtCommit adds op to what the commit does in the catalog, after all that was added before. An
// error of op ends the commit, and is returned with verb and name. The name counts as changed by
// the transaction.
func (tx *Tx) AtCommit(verb, name string, op func(*catalog.Tx) error) error {
	if tx.ended {
		return tx.Fail(verb, name, errEnded)
	}
	tx.touch(name)
	step := tx.step
	tx.ops = append(tx.ops, func(c *catalog.Tx) error {
		if err := op(c); err != nil {
			return fmt.Errorf("%s%s %q: %w", step, verb, name, err)
		}
		return nil
	})
	return nil
}

// Step labels the changes that follow, for example "line 3".
func (tx *Tx) Step(name string) { tx.step = name + ": " }

// Create makes a new tensor of src. It returns ErrExists if the name is taken.
func (tx *Tx) Create(name string, src Source) error {
	if err := CheckLabels(src.Dims, src.Attrs); err != nil {
		return tx.Fail("create", name, err)
	}
	return tx.CreateLabelled(name, src)
}

// CreateLabelled is Create without a check of the names of axes and attributes, for those that a
// tensor has already.
func (tx *Tx) CreateLabelled(name string, src Source) error {
	rec, err := tx.Write(name, src)
	if err != nil {
		return tx.Fail("create", name, err)
	}
	return tx.CreateRecord(rec)
}

// CreateFilled makes a new tensor whose elements fill writes.
func (tx *Tx) CreateFilled(name string, sp Spec, fill func(*view.Tensor) error) error {
	if err := CheckLabels(sp.Dims, sp.Attrs); err != nil {
		return tx.Fail("create", name, err)
	}
	rec, err := tx.writeFilled(name, sp, fill)
	if err != nil {
		return tx.Fail("create", name, err)
	}
	return tx.CreateRecord(rec)
}

// Replace gives an existing tensor the shape, dtype and elements of src.
func (tx *Tx) Replace(name string, src Source) error {
	if err := CheckLabels(src.Dims, src.Attrs); err != nil {
		return tx.Fail("replace", name, err)
	}
	if err := tx.Watch(name); err != nil {
		return err
	}
	return tx.replace(name, src)
}

// replace is Replace of whatever has the name at the commit.
func (tx *Tx) replace(name string, src Source) error {
	rec, err := tx.Write(name, src)
	if err != nil {
		return tx.Fail("replace", name, err)
	}
	return tx.replaceRecord(rec)
}

// ReplaceFilled is Replace with elements that fill writes, as in CreateFilled.
func (tx *Tx) ReplaceFilled(name string, sp Spec, fill func(*view.Tensor) error) error {
	if err := CheckLabels(sp.Dims, sp.Attrs); err != nil {
		return tx.Fail("replace", name, err)
	}
	if err := tx.Watch(name); err != nil {
		return err
	}
	return tx.replaceFilled(name, sp, fill)
}

// replaceFilled is ReplaceFilled of whatever has the name at the commit.
func (tx *Tx) replaceFilled(name string, sp Spec, fill func(*view.Tensor) error) error {
	rec, err := tx.writeFilled(name, sp, fill)
	if err != nil {
		return tx.Fail("replace", name, err)
	}
	return tx.replaceRecord(rec)
}

func (tx *Tx) replaceRecord(rec *catalog.Record) error {
	return tx.AtCommit("replace", rec.Name, func(c *catalog.Tx) error {
		old, err := getTensor(c, rec.Name)
		if err != nil {
			return err
		}
		return Succeed(c, old, *rec)
	})
}

// View gives the view that sel selects a name: no element is copied, both names share the storage.
func (tx *Tx) View(name, sel string) error {
	parsed, err := ParseSelector(sel)
	if err == nil {
		err = parsed.mustBeLive()
	}
	if err != nil {
		return tx.Fail("view", name, tx.Store().notNamed(tx.Ctx, name, sel, err))
	}

	if err := catalog.CheckName(name); err != nil {
		return tx.Fail("view", name, err)
	}

	// The selector is resolved again in the commit: names may have changed since.
	step := tx.step
	return tx.AtCommit("view", name, func(c *catalog.Tx) error {
		if err := MustBeFree(c, name); err != nil {
			return err
		}
		parsed, err := resolve(sel, func(name string) (bool, error) {
			_, err := c.Get(name)
			return Found(err)
		})
		if err != nil {
			return err
		}

		base, err := getTensor(c, parsed.Name)
		if err != nil {
			return &viewError{step: step, name: name, text: sel, err: err}
		}

		rec, err := viewRecord(base, parsed)
		if err != nil {
			return err
		}
		rec.Name = name
		return c.Put(rec)
	})
}

// viewRecord returns the record of a new view of base.
func viewRecord(base catalog.Record, sel Selector) (catalog.Record, error) {
	l, err := record.Layout(base)
	if err != nil {
		return catalog.Record{}, err
	}
	part, dt, err := sel.Chain.Apply(l, base.DType)
	if errors.Is(err, view.ErrNeedsCopy) {
		err = fmt.Errorf("%w: make a copy of it (tstore cp, Store.Copy)", err)
	}
	if err != nil {
		return catalog.Record{}, err
	}
	rec := record.New(base.Storage, dt, part)
	rec.Dims = keptDims(base.Dims, l.Shape(), base.DType, sel.Chain)
	rec.Parent = sel.String()
	return rec, nil
}

// Rename gives a tensor, a blob or a whole group another name.
func (tx *Tx) Rename(from, to string) error {
	if err := catalog.CheckName(to); err != nil {
		return tx.Fail("rename", from, err)
	}
	if err := tx.AtCommit("rename", from, func(c *catalog.Tx) error { return c.Rename(from, to) }); err != nil {
		return err
	}
	tx.touch(to)
	tx.free(from)
	return nil
}

// Delete removes a tensor or a blob. Its elements go when no other name shares them.
func (tx *Tx) Delete(name string) error {
	if err := tx.Watch(name); err != nil {
		return err
	}
	return tx.Remove(name)
}

// Remove is Delete of whatever has the name at the commit: the name is not watched.
func (tx *Tx) Remove(name string) error {
	tx.deletes++
	if err := tx.AtCommit("delete", name, func(c *catalog.Tx) error { return c.Delete(name) }); err != nil {
		return err
	}
	tx.free(name)
	return nil
}

// MustBeFree returns ErrExists if the name is taken in c.
func MustBeFree(c *catalog.Tx, name string) error {
	_, err := c.Get(name)
	if err == nil {
		return ErrExists
	}
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// getTensor returns the record of a tensor. It returns ErrNotFound, ErrLazy or ErrWrongKind if the
// name stands for none.
func getTensor(c *catalog.Tx, name string) (catalog.Record, error) {
	rec, err := c.Get(name)
	if err != nil {
		return rec, err
	}
	if rec.Kind != catalog.KindTensor {
		return rec, WrongKind(&rec)
	}
	return rec, nil
}
