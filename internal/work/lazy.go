package work

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/store"
)

// DefineOptions of Define.
type DefineOptions struct {
	Attrs       map[string]catalog.Value
	Dims        []string
	Replace     bool
	Materialize bool
	Eval        *EvalOptions
}

// Define gives an expression a name:
//
//	err := s.Define(ctx, "ndvi", "(nir - red) / (nir + red)", nil)
//
// The name is lazy: it holds no elements. With DefineOptions.Materialize they are computed at once.
func (s *Store) Define(ctx context.Context, name, text string, o *DefineOptions) error {
	end, err := s.Engine.BeginJoining()
	if err != nil {
		return err
	}
	defer end()
	rec, err := s.lazyRecord(ctx, name, text, o)
	if err != nil {
		return fmt.Errorf("define %q: %w", name, err)
	}
	return s.define(ctx, rec, o)
}

func (s *Store) define(ctx context.Context, rec *catalog.Record, o *DefineOptions) error {
	if o == nil {
		o = &DefineOptions{}
	}

	if !o.Materialize {
		return s.Join(ctx, func(tx *store.Tx) error {
			return tx.AtCommit("define", rec.Name, func(c *catalog.Tx) error { return putDefined(c, rec, o.Replace) })
		})
	}
	// Check first whether the name can be put: the computation may take long.
	err := s.Engine.Catalog.View(ctx, func(c *catalog.Tx) error {
		_, err := definable(c, rec.Name, o.Replace)
		return err
	})
	if err == nil {
		err = s.computeFormula(ctx, rec, o.Eval, &materialization{put: func(c *catalog.Tx, made *catalog.Record) error {
			made.Attrs, made.Dims = rec.Attrs, rec.Dims
			return putDefined(c, made, o.Replace)
		}})
	}

	if err != nil {
		return fmt.Errorf("define %q: %w", rec.Name, err)
	}
	return nil
}

// lazyRecord checks an expression and describes the name for it.
func (s *Store) lazyRecord(ctx context.Context, name, text string, o *DefineOptions) (*catalog.Record, error) {
	if err := catalog.CheckName(name); err != nil {
		return nil, err
	}

	rec := &catalog.Record{Name: name, Kind: catalog.KindLazy, Formula: catalog.Formula{Text: strings.TrimSpace(text)}}
	if o != nil {
		if err := store.CheckLabels(o.Dims, o.Attrs); err != nil {
			return nil, err
		}
		rec.Attrs, rec.Dims = o.Attrs, o.Dims
	}

	expr, err := compute.Parse(rec.Formula.Text)
	if err != nil {
		return nil, err
	}

	// Binding tells the shape and the dtype, and finds names that are missing.
	var form compute.Output
	err = s.oneState(ctx, func(*pins) (err error) {
		form, err = s.formOf(ctx, name, expr)
		return err
	})
	if err != nil {
		return nil, err
	}

	rec.DType, rec.Shape = form.DType, record.Int64s(form.Shape)
	if len(rec.Dims) == 0 {
		rec.Dims = form.Dims
	}

	rec.Formula.Inputs, err = s.inputs(ctx, expr.Names())
	return rec, err
}

// formOf binds the expression of name, and describes its result.
func (s *Store) formOf(ctx context.Context, name string, expr compute.Expr) (compute.Output, error) {
	ev, err := s.newEvaluation(ctx, nil)
	if err != nil {
		return compute.Output{}, err
	}

	env := ev.env()
	env.Expand = func(n string) (compute.Expr, bool, error) {
		if n == name {
			return compute.Expr{}, false, errors.New("it is defined by itself")
		}
		return ev.expand(n)
	}

	p, err := ev.newPlan([]compute.Statement{{Expr: expr}}, env)
	if err != nil {
		return compute.Output{}, errors.Join(err, ev.close())
	}
	return p.Outputs()[0], errors.Join(p.Close(), ev.close())
}

// inputs describes names as they are now.
func (s *Store) inputs(ctx context.Context, names []string) ([]catalog.Input, error) {
	var all []catalog.Input
	for _, name := range names {
		e, err := s.EntryOf(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, input(name, e))
	}
	return all, nil
}

// input describes what a name, or one in a snapshot, stands for.
func input(name string, e *catalog.Entry) catalog.Input {
	return catalog.Input{
		Name: name, Version: record.Version(&e.Record, &e.Storage), Storage: e.Record.Storage,
		Created: e.Record.Created.UnixNano(),
	}
}

// putDefined commits what a name is defined as: lazy, or a tensor made of it.
func putDefined(c *catalog.Tx, rec *catalog.Record, replace bool) error {
	now := time.Now().UTC()
	rec.Version, rec.Created, rec.Modified = 1, now, now
	old, err := definable(c, rec.Name, replace)
	if err != nil {
		return err
	}
	if old != nil {
		store.Inherit(rec, *old)
	}
	return c.Put(*rec)
}

// definable returns the lazy name that a definition replaces, nil if the name is free. Another one
// can't be defined.
func definable(c *catalog.Tx, name string, replace bool) (*catalog.Record, error) {
	old, err := c.Get(name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !replace:
		return nil, store.ErrExists
	case old.Kind != catalog.KindLazy:
		return nil, fmt.Errorf("%w: it is a %v: only a lazy name can be given another expression", store.ErrWrongKind, old.Kind)
	}
	return &old, nil
}

// Expr returns the expression that a selector stands for, or an expression itself, for
// EvalStatements.
func (s *Store) Expr(ctx context.Context, sel string) (compute.Expr, error) {
	op, err := s.operand(ctx, sel)
	return op.expr, err
}

// selected returns the expression that a selector stands for.
func selected(sel store.Selector) compute.Expr {
	e := compute.Name(sel.Name)
	if !sel.Whole() {
		e = e.View(sel.Chain)
	}
	return readAt(sel, e)
}

// readAt returns an expression that reads the snapshot of a selector, if there is one, wherever e
// does not say that it reads another.
func readAt(sel store.Selector, e compute.Expr) compute.Expr {
	if sel.Snapshot == "" {
		return e
	}
	return e.Substitute(func(name string) (compute.Expr, bool) {
		return compute.Name(name + "@" + sel.Snapshot), !strings.Contains(name, "@")
	})
}

// Materialize computes a lazy name and makes it a tensor, which remembers the expression and its
// inputs with their versions; or computes such a tensor again.
func (s *Store) Materialize(ctx context.Context, name string, o *EvalOptions) error {
	if err := s.materialize(ctx, name, o); err != nil {
		return fmt.Errorf("materialize %q: %w", name, err)
	}
	return nil
}

func (s *Store) materialize(ctx context.Context, name string, o *EvalOptions) error {
	if err := catalog.CheckName(name); err != nil {
		return err
	}

	e, err := s.Lookup(ctx, name)
	if err != nil {
		return err
	}
	if e.Record.Formula.IsZero() {
		return fmt.Errorf("%w: it is a %v that no expression was kept for", store.ErrWrongKind, e.Record.Kind)
	}

	end, err := s.Engine.BeginChange()
	if err != nil {
		return err
	}
	defer end()

	return s.computeFormula(ctx, &e.Record, o, &materialization{put: func(c *catalog.Tx, made *catalog.Record) error {
		return putMaterialized(c, &e.Record, made)
	}})
}

// computeFormula makes a tensor of the expression that a record has.
func (s *Store) computeFormula(ctx context.Context, rec *catalog.Record, o *EvalOptions, m *materialization) error {
	return s.oneState(ctx, func(p *pins) error { return s.computeFormulaOnce(ctx, rec, o, m, p) })
}

func (s *Store) computeFormulaOnce(ctx context.Context, rec *catalog.Record, o *EvalOptions, m *materialization, p *pins) error {
	ev, err := s.newEvaluation(ctx, o)
	if err != nil {
		return err
	}
	ev.pins = p
	m.text = rec.Formula.Text
	ev.opts.InPlace, ev.opts.Explain, ev.materializing = false, ExplainNone, m
	expr, err := compute.Parse(m.text)
	if err == nil {
		err = ev.program([]compute.Statement{{Target: rec.Name, Expr: expr}})
	}
	return errors.Join(err, ev.close())
}

// materialization is what makes a tensor of an expression.
type materialization struct {
	text string
	// put commits the record of the tensor.
	put func(c *catalog.Tx, made *catalog.Record) error
}

// record puts the tensor in the place of the name.
func (m *materialization) record(ev *evaluation, tx *store.Tx, rec *catalog.Record) error {
	rec.Formula = catalog.Formula{Text: m.text, Inputs: ev.inputs()}
	return tx.AtCommit("materialize", rec.Name, func(c *catalog.Tx) error { return m.put(c, rec) })
}

// putMaterialized commits a tensor in the place of what was seen before it was computed.
func putMaterialized(c *catalog.Tx, seen, made *catalog.Record) error {
	now, err := c.Get(made.Name)
	if err != nil {
		return err
	}
	if !store.SameRecord(&now, seen) {
		return fmt.Errorf("%w: it was changed while it was computed: try again", store.ErrConflict)
	}
	if now.Kind == catalog.KindTensor {
		return store.Succeed(c, now, *made)
	}
	store.Inherit(made, now)
	return c.Put(*made)
}
