package work

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/store"
)

// ImportOptions of Import.
type ImportOptions struct {
	Overwrite bool
	NoSeal    bool
	Eval      *EvalOptions
	Journal   Journal
}

func (o *ImportOptions) seals() bool { return o == nil || !o.NoSeal }

// Import makes a tensor of a Source, such as npy.Open or raw.Open return.
func (s *Store) Import(ctx context.Context, name string, src store.Source, o *ImportOptions) error {
	if err := store.CheckLabels(src.Dims, src.Attrs); err != nil {
		return importError(name, err)
	}
	src.Seal = o.seals()
	if job, err := s.importAsJob(ctx, name, src, o); job || err != nil {
		return importError(name, err)
	}
	return s.importIf(ctx, name, src, o, func() error { return nil })
}

func importError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("import %q: %w", name, err)
}

// importIf is Import that calls still when the elements are written. It does not commit if still
// returns an error.
func (s *Store) importIf(ctx context.Context, name string, src store.Source, o *ImportOptions, still func() error) error {
	put, err := s.importMethod(ctx, name, o)
	if err == nil {
		err = s.Update(ctx, func(tx *store.Tx) error { return errors.Join(put(tx, name, src), still()) })
	}
	return importError(name, err)
}

// importMethod returns the method of Tx that makes a tensor of that name, or an early error. The
// commit looks again.
func (s *Store) importMethod(ctx context.Context, name string, o *ImportOptions) (func(*store.Tx, string, store.Source) error, error) {
	err := s.MustLookFree(ctx, name)
	if o != nil && o.Overwrite && (err == nil || errors.Is(err, store.ErrExists)) {
		return (*store.Tx).Put, nil
	}
	return (*store.Tx).CreateLabelled, err
}

// Import makes a tensor of src in a transaction; the commit makes it visible. Of the options only
// Overwrite and NoSeal mean something here. A Journal that must be a job is ErrNotResumable.
func Import(tx *store.Tx, name string, src store.Source, o *ImportOptions) error {
	s := &Store{tx.Store()}
	put, err := s.importMethod(tx.Ctx, name, o)
	if err == nil {
		err = store.CheckLabels(src.Dims, src.Attrs)
	}
	if err != nil {
		return tx.Fail("import", name, err)
	}
	if o != nil {
		if err := o.Journal.refuse("it is part of a transaction"); err != nil {
			return tx.Fail("import", name, err)
		}
	}
	src.Seal = o.seals()
	return put(tx, name, src)
}

// ImportRows makes a tensor of the rows that next yields until io.EOF.
func (s *Store) ImportRows(ctx context.Context, name string, sp store.Spec, next func() (store.Source, error), o *ImportOptions) error {
	return s.Update(ctx, func(tx *store.Tx) error { return ImportRows(tx, name, sp, next, o) })
}

// ImportRows is Store.ImportRows in a transaction.
func ImportRows(tx *store.Tx, name string, sp store.Spec, next func() (store.Source, error), o *ImportOptions) error {
	err := (&Store{tx.Store()}).MustLookFree(tx.Ctx, name)
	replaces := o != nil && o.Overwrite && errors.Is(err, store.ErrExists)
	if replaces {
		err = nil
	}
	if err == nil {
		err = store.CheckLabels(sp.Dims, sp.Attrs)
	}
	if err == nil && o != nil {
		err = o.Journal.refuse("it is of a length that is not known beforehand")
	}
	if err != nil {
		return tx.Fail("import", name, err)
	}

	rec, err := tx.WriteRows(name, sp, o.seals(), next)
	if err != nil {
		return tx.Fail("import", name, err)
	}
	if replaces {
		return tx.PutRecord(rec, rec.Dims)
	}
	return tx.CreateRecord(rec)
}

// Encoder writes elements in some format, such as npy.Encode.
type Encoder func(ctx context.Context, w io.Writer, x compute.Elements) error

// Export writes what sel selects to w. It streams in constant memory, as Read does.
func (s *Store) Export(ctx context.Context, sel string, w io.Writer, encode Encoder) error {
	r, err := s.Read(ctx, sel, nil)
	if err != nil {
		return err
	}
	err = encode(ctx, w, r.Elements)
	if err == nil {
		err = r.Unchanged()
	}
	if err := errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("export %s: %w", sel, err)
	}
	return nil
}

// Copy makes a new tensor of what sel selects, in C order in a storage of its own.
func (s *Store) Copy(ctx context.Context, name, sel string, o *ImportOptions) error {
	op, err := s.operand(ctx, sel)
	if err != nil {
		return err
	}

	t, err := s.openStored(ctx, op)
	if isComputed(err) {
		return s.copyComputed(ctx, name, op, o)
	}
	if err != nil {
		return err
	}
	defer t.Close()

	src := store.FromTensor(t.Tensor)
	if o != nil {
		src.Progress = o.Eval.copied(t.NumBytes())
	}
	src.Attrs = t.Info.Record.Attrs
	src.Dims = t.Info.Dims()

	if job, err := s.copyAsJob(ctx, name, op.sel, t, src.Spec, o); job || err != nil {
		return importError(name, err)
	}

	// The elements must still be those of one state when they are committed.
	return s.importIf(ctx, name, src, o, t.Unchanged)
}

// copied returns a function that reports the progress of a copy of total bytes to o, or nil.
func (o *EvalOptions) copied(total int64) func(done int64) {
	if o == nil || o.Compute.Progress == nil {
		return nil
	}
	return func(done int64) {
		o.Compute.Progress(compute.Progress{Done: done, Total: total, Pass: 1, Passes: 1})
	}
}

// copyComputed computes an operand into a new tensor.
func (s *Store) copyComputed(ctx context.Context, name string, op operand, o *ImportOptions) error {
	opts := ImportOptions{}
	if o != nil {
		opts = *o
	}

	end, err := s.Engine.BeginJoining()
	if err != nil {
		return err
	}
	defer end()

	// A name that is taken must fail before the computation.
	if err := s.MustLookFree(ctx, name); err != nil && !(errors.Is(err, store.ErrExists) && opts.Overwrite) {
		return fmt.Errorf("import %q: %w", name, err)
	}

	err = s.oneState(ctx, func(p *pins) error { return s.copyOnce(ctx, name, op, opts, p) })
	if err != nil {
		return fmt.Errorf("copy %s: %w", op.text, err)
	}
	return nil
}

func (s *Store) copyOnce(ctx context.Context, name string, op operand, opts ImportOptions, p *pins) error {
	ev, e, err := s.evaluationOf(ctx, op, opts.Eval)
	if err != nil {
		return err
	}
	ev.pins = p
	ev.label = func(sp *store.Spec, dims []string) { sp.Attrs, sp.Dims = e.Record.Attrs, dims }
	ev.opts.NewOnly, ev.opts.Journal = !opts.Overwrite, opts.Journal
	stmts := []compute.Statement{{Target: name, Expr: op.expr}}
	if op.isExpr {
		ev.job = ev.asJob(stmts)
	} else {
		ev.job = &catalog.Job{Kind: catalog.JobCopy, Text: op.text}
	}
	return errors.Join(ev.run(stmts), ev.close())
}
