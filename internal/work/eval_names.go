package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// env returns what names mean in the statements of an evaluation.
func (ev *evaluation) env() compute.Env {
	return compute.Env{Lookup: ev.lookup, Expand: ev.expand, Dims: ev.dims}
}

// lookup finds the tensor of a name, as the statements so far leave it.
func (ev *evaluation) lookup(name string) (*view.Tensor, error) {
	if m := ev.made[name]; m != nil {
		return m.tensor, nil
	}
	if t, err := ev.changed(name); t != nil || err != nil {
		return t, err
	}
	t, err := ev.open(name)
	if err != nil {
		return nil, err
	}
	return t.Tensor, nil
}

// missing returns the error of a name that is not there, with names like it.
func (s *Store) missing(ctx context.Context, name string) error {
	near, err := s.Suggest(ctx, name, 3)
	if err != nil {
		return err
	}
	unknown := &catalog.NotFoundError{Name: name, Near: near}
	if _, err := s.Engine.SnapshotNamed(ctx, name); err == nil {
		return fmt.Errorf("%w (a snapshot has this name: what it holds is written in back quotes in expressions, such as `x@%s`)", unknown, name)
	}
	return unknown
}

// changed returns the tensor if the evaluation is changing its storage, or nil.
func (ev *evaluation) changed(name string) (*view.Tensor, error) {
	if len(ev.changing.byID) == 0 || catalog.CheckName(name) != nil {
		return nil, nil
	}

	info, err := ev.store.StatSelected(ev.ctx, store.Selector{Name: name})
	if err != nil {
		return nil, err
	}
	c := ev.changing.byID[info.Storage.ID]
	if c == nil {
		return nil, nil
	}

	if c.writable == nil && !engine.SameFile(info.Storage, c.seen[0].Storage) {
		return nil, fmt.Errorf("%w: %q was restored meanwhile: try again", store.ErrConflict, name)
	}

	ev.note(name, info.Entry)
	return c.over(info)
}

// open opens a tensor once: later uses of the name read the same elements.
func (ev *evaluation) open(name string) (*store.Tensor, error) {
	if t := ev.opened[name]; t != nil {
		return t, nil
	}

	sel, err := store.ParseSource(name)
	if err != nil {
		return nil, err
	}

	t, err := ev.store.GetAs(ev.ctx, sel, ev.planning || ev.store.Engine.Options.AllowDirty)
	if errors.Is(err, store.ErrNotFound) && sel.Snapshot == "" {
		return nil, ev.store.missing(ev.ctx, name)
	}
	if err != nil {
		return nil, err
	}

	ev.opened[name] = t
	return t, nil
}

// expand returns the expression of a lazy name. The expression of a name in a snapshot reads the
// snapshot.
func (ev *evaluation) expand(name string) (compute.Expr, bool, error) {
	sel, err := store.ParseSource(name)
	if ev.made[name] != nil || ev.opened[name] != nil || err != nil {
		return compute.Expr{}, false, nil
	}

	e, err := ev.store.EntryOf(ev.ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		// An index in the brackets of a selector may be an expression, as in "x[mask.T]".
		text, snapshot, _ := strings.Cut(name, "@")
		part, err := store.ParseSelector(text)
		if err != nil || part.Whole() || !ev.selecting {
			return compute.Expr{}, false, nil
		}
		part.Snapshot = snapshot
		return selected(part), true, nil
	}
	if err != nil {
		return compute.Expr{}, false, err
	}

	ev.note(name, e)
	if e.Record.Kind != catalog.KindLazy {
		return compute.Expr{}, false, nil
	}

	expr, err := compute.Parse(e.Record.Formula.Text)
	if err != nil {
		return expr, true, fmt.Errorf("the formula of %q: %w", name, err)
	}

	ev.lazy = append(ev.lazy, input(name, e))
	return readAt(sel, expr), true, nil
}

// inputs returns what has been read, in the order of their names.
func (ev *evaluation) inputs() []catalog.Input {
	all := slices.Clone(ev.lazy)
	for name, t := range ev.opened {
		all = append(all, input(name, t.Info.Entry))
	}
	slices.SortFunc(all, func(a, b catalog.Input) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(all)
}

// unchanged returns an error if an adopted file that was read has changed since it was opened.
func (ev *evaluation) unchanged() error {
	var err error
	for _, t := range ev.opened {
		err = errors.Join(err, t.Unchanged())
	}
	return err
}

// old returns what a name stood for before the evaluation; nil when it is new, or can't be read.
func (ev *evaluation) old(name string) *catalog.Entry {
	if catalog.CheckName(name) != nil {
		return nil
	}
	e, err := ev.store.Entry(ev.ctx, name)
	if err != nil {
		return nil
	}
	return e
}

// close gives back what the evaluation holds, and drops what it has not published.
func (ev *evaluation) close() error {
	err := ev.changing.close()
	for _, m := range slices.Concat(ev.superseded, ev.order()) {
		err = errors.Join(err, m.close())
	}
	for _, t := range ev.opened {
		err = errors.Join(err, t.Close())
	}
	return err
}

// AxisNames returns the axis names of a name in an evaluation.
func (ev *evaluation) dims(name string) []string {
	if m := ev.made[name]; m != nil && (m.spec.Dims != nil || m.old == nil) {
		return m.spec.Dims
	}
	if e := ev.old(name); e != nil {
		return e.Record.Dims
	}
	return nil
}
