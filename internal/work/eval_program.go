package work

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// checkTargets returns an error if a statement can't write to its target.
func (ev *evaluation) checkTargets(stmts []compute.Statement) error {
	for _, st := range stmts {
		if st.Target == "" {
			continue
		}

		if err := catalog.CheckName(st.Target); err != nil {
			return err
		}
		if !changesElements(st) && ev.store.HasFreed(st.Target) {
			continue
		}

		e, err := ev.store.Entry(ev.ctx, st.Target)
		if errors.Is(err, store.ErrNotFound) {
			if err := catalog.CheckNewName(st.Target); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}

		if e.Record.Kind != catalog.KindTensor && ev.materializing == nil {
			return store.WrongKind(&e.Record)
		}
	}
	return nil
}

// nextBatch returns the number of statements that can be planned together. A statement that changes
// elements of a tensor has to wait until an earlier statement has made it. The reverse holds, too.
func (ev *evaluation) nextBatch(stmts []compute.Statement) int {
	changed := map[string]bool{}
	for i, st := range stmts {
		if st.Target == "" || ev.writesInPlace(st.Target) {
			continue
		}
		change := changesElements(st)
		if before, ok := changed[st.Target]; ok && before != change {
			return i
		}
		changed[st.Target] = change
	}
	return len(stmts)
}

// isChanged reports whether statements of one batch write into the tensor that target names now,
// and don't make another.
func (ev *evaluation) isChanged(batch []compute.Statement, target string) bool {
	if ev.writesInPlace(target) {
		return true
	}
	i := slices.IndexFunc(batch, func(st compute.Statement) bool { return st.Target == target })
	return i >= 0 && changesElements(batch[i])
}

// writesInPlace reports whether a target is a tensor of the store that is written in place.
func (ev *evaluation) writesInPlace(target string) bool {
	return ev.opts.InPlace && ev.made[target] == nil && ev.old(target) != nil
}

// destination finds the tensors that the statements of a batch write into. It returns ErrConflict
// if the name stands for another tensor than the one that was locked.
func (ev *evaluation) destination(batch []compute.Statement) func(string) (*view.Tensor, error) {
	return func(target string) (*view.Tensor, error) {
		if !ev.isChanged(batch, target) {
			return nil, nil
		}
		if m := ev.made[target]; m != nil {
			return m.tensor, nil
		}
		t, err := ev.changed(target)
		if t == nil && err == nil {
			err = fmt.Errorf("change %q: %w", target, store.ErrConflict)
		}
		return t, err
	}
}

// plan checks statements that change elements, before the storages are locked. Others may be
// writing there in place, so it looks at shapes alone. Under the lock, which waits for those
// writers, the elements can be read.
func (ev *evaluation) plan(stmts []compute.Statement) (*compute.Plan, error) {
	if !ev.opts.InPlace {
		p, err := ev.check(stmts)
		if !errors.Is(err, store.ErrDirty) {
			return p, err
		}
	}
	ev.planning = true
	defer func() { ev.planning = false }()
	return ev.check(stmts)
}

// change runs one statement that changes part of a tensor: as Set does, by a patch where the part
// is narrow.
func (ev *evaluation) change(st compute.Statement) error {
	ev.locks = true
	if _, pick := st.Chain.CutPick(); pick != "" {
		return ev.changePicked(st)
	}
	p, err := ev.plan([]compute.Statement{st})
	if err != nil {
		return err
	}
	ev.result.Outputs = append(ev.result.Outputs, ev.describe(st, p.Outputs()[0]))
	if err := p.Close(); err != nil {
		return err
	}
	return ev.changeUnderLock(st, store.ElementChange{Apply: func(dst *view.Tensor, _ view.Fancy) error { return ev.assign(dst, st) }})
}

// changeUnderLock applies change to the part of a tensor that a statement changes.
func (ev *evaluation) changeUnderLock(st compute.Statement, change store.ElementChange) error {
	change.Begin = func(now *store.Info) error {
		// What was read before the storage was locked may have changed.
		err := ev.forget()
		ev.note(st.Target, now.Entry)
		return err
	}
	sel := store.Selector{Name: st.Target, Chain: st.Chain}
	err := ev.store.ModifyPart(ev.ctx, sel, change)
	if errors.Is(err, engine.ErrMoved) {
		return ev.torn([]string{st.Target})
	}
	if err != nil {
		return fmt.Errorf("change %s: %w", sel, err)
	}
	return nil
}

// assign stores into dst what the statement makes of its target, of which dst is a copy in another
// place, to be overwritten.
func (ev *evaluation) assign(dst *view.Tensor, st compute.Statement) error {
	part := compute.Name(st.Target)
	if len(st.Chain) > 0 {
		part = part.View(st.Chain)
	}
	return ev.computeInto(dst, combined(st.Op, part, st.Expr), ev.env())
}

// computeInto stores what an expression makes into dst.
func (ev *evaluation) computeInto(dst *view.Tensor, e compute.Expr, env compute.Env) error {
	env.InPlace = func(string) (*view.Tensor, error) { return dst, nil }
	whole := compute.Statement{Target: noName, Expr: e}
	p, err := ev.newPlan([]compute.Statement{whole}, env)
	if err != nil {
		return err
	}
	if err = ev.inOneState(p.Run(ev.ctx)); err == nil {
		err = errors.Join(ev.unchanged(), ev.still())
	}
	if err == nil && ev.opts.Explain == ExplainMeasured {
		ev.plans = append(ev.plans, p.String())
	}
	return errors.Join(err, p.Close())
}

// noName is a target that no expression can read.
const noName = "[...]"

// combined returns what an operator makes of old and new elements.
func combined(s compute.AssignOp, old, e compute.Expr) compute.Expr {
	switch s {
	case compute.SetAdd:
		return old.Add(e)
	case compute.SetSub:
		return old.Sub(e)
	case compute.SetMul:
		return old.Mul(e)
	case compute.SetDiv:
		return old.Div(e)
	case compute.SetMax:
		return compute.Call("maximum", old, e)
	case compute.SetMin:
		return compute.Call("minimum", old, e)
	}
	return e
}

// forget closes what has been opened, so that it is looked up again.
func (ev *evaluation) forget() error {
	var errs []error
	for _, t := range ev.opened {
		errs = append(errs, t.Close())
	}
	clear(ev.opened)
	clear(ev.noted)
	return errors.Join(errs...)
}

// program runs statements that make tensors or change several, and publishes all results in one
// transaction.
func (ev *evaluation) program(stmts []compute.Statement) error {
	err := ev.store.Join(ev.ctx, func(tx *store.Tx) error {
		// Everything that can fail early does so before the first element is computed.
		if err := ev.beginChanges(tx, stmts); err != nil {
			return err
		}

		// A batch ends where a statement needs the elements of one before it.
		for rest := stmts; len(rest) > 0; {
			n := ev.nextBatch(rest)
			batch := rest[:n]
			err := ev.compute(batch, func(i int, p *compute.Plan) error { return ev.make(tx, batch, i, p) })
			if err != nil {
				return err
			}
			rest = rest[n:]
		}

		ev.changing.done = true
		return ev.publish(tx)
	})

	// Changes in place are no part of the transaction: they end after it, whether it failed or not.
	return errors.Join(err, ev.changing.endInPlace(ev.ctx))
}

// beginChanges checks the statements as far as it can without results. Then it makes room for
// changed elements, which can take long.
func (ev *evaluation) beginChanges(tx *store.Tx, stmts []compute.Statement) error {
	watched := len(tx.Watched)
	if err := ev.checkTargets(stmts); err != nil {
		return err
	}

	if !slices.ContainsFunc(stmts, func(st compute.Statement) bool { return changesElements(st) || ev.writesInPlace(st.Target) }) {
		return nil
	}

	// Plan once for the errors alone: a copy of a large storage for a wrong statement would be in
	// vain.
	ev.locks = true
	p, err := ev.plan(stmts[:ev.nextBatch(stmts)])
	if err != nil {
		return err
	}
	if err := errors.Join(p.Close(), ev.forget()); err != nil {
		return err
	}

	if err := ev.changing.begin(ev, tx, stmts); err != nil {
		return err
	}
	// Others may have changed what was looked at before it was locked: watch it anew.
	tx.KeepWatched(watched)
	return nil
}

// publish adds everything that the statements made and changed to the transaction.
func (ev *evaluation) publish(tx *store.Tx) error {
	// What is replaced must still be the tensor that the statements read.
	for _, m := range ev.order() {
		seen := ev.opened[m.name]
		if seen == nil || m.old == nil || m.old.Record.Kind != catalog.KindTensor {
			continue
		}
		if err := tx.AtCommit("replace", m.name, func(c *catalog.Tx) error { return ev.store.MustBeAsSeen(c, m.name, seen.Info) }); err != nil {
			return err
		}
	}

	if err := ev.changing.publish(tx); err != nil {
		return err
	}
	for _, m := range ev.order() {
		if err := m.publish(ev, tx); err != nil {
			return err
		}
	}
	return nil
}
