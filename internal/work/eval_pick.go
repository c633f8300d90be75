package work

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// checkPicks returns an error if a statement changes picked elements in a way that only views
// allow.
func (ev *evaluation) checkPicks(stmts []compute.Statement) error {
	if len(stmts) == 1 && !ev.opts.InPlace && ev.opts.Explain == ExplainNone && ev.store.Within == nil {
		return nil
	}
	for _, st := range stmts {
		if _, pick := st.Chain.CutPick(); pick != "" {
			return fmt.Errorf("%s%v: elements that index arrays or a mask pick are changed by one statement alone, neither in place nor explained nor in a transaction; with a mask write %[1]s = where(mask, values, %[1]s)", st.Target, st.Chain)
		}
	}
	return nil
}

// changePicked runs one statement that changes the elements picked by index arrays or a mask.
func (ev *evaluation) changePicked(st compute.Statement) error {
	out := EvalOutput{Target: st.Target + st.Chain.String(), Expr: st.Expr}
	err := ev.changeUnderLock(st, store.ElementChange{
		Lookup: func(o *store.Operands, name string) (*view.Tensor, error) {
			t, err := openNamed(o, ev.fullName(name))
			if errors.Is(err, store.ErrNotFound) {
				err = fmt.Errorf("%w (for a mask that is computed, write %s = where(mask, values, %[2]s))", err, st.Target)
			}
			if err == nil {
				ev.note(ev.fullName(name), o.Opened[len(o.Opened)-1].Info.Entry)
			}
			return t, err
		},
		Apply: func(dst *view.Tensor, f view.Fancy) error {
			shape, err := view.FancyShape(ev.ctx, dst.Layout(), f)
			if err != nil {
				return err
			}
			out.DType, out.Shape = dst.DType(), shape
			return ev.assignPicked(dst, f, st, shape)
		},
	})

	if err == nil {
		ev.result.Outputs = append(ev.result.Outputs, out)
	}
	return err
}

// oldElements is a name for the elements that an operator changes.
const oldElements = "[old]"

// assignPicked stores the result of a statement into the elements of dst that f picks. shape is the
// shape of the pick. As in NumPy, all old elements are read before the first is written.
func (ev *evaluation) assignPicked(dst *view.Tensor, f view.Fancy, st compute.Statement, shape []int) error {
	sp := store.Spec{DType: dst.DType(), Shape: shape}
	picked, err := ev.scratchOf(sp)
	if err != nil {
		return err
	}
	defer picked.Close()

	// A plain assignment does not need the old elements.
	if st.Op != compute.Set {
		if err := view.Gather(ev.ctx, picked, dst, f); err != nil {
			return err
		}
	}

	env := ev.env()
	env.Lookup = func(name string) (*view.Tensor, error) {
		if name == oldElements {
			return picked, nil
		}
		return ev.lookup(name)
	}

	if err := ev.computeInto(picked, combined(st.Op, compute.Name(oldElements), st.Expr), env); err != nil {
		return err
	}
	return view.Scatter(ev.ctx, dst, f, picked)
}

// scratchOf returns a tensor that nobody else sees. The caller closes it.
func (ev *evaluation) scratchOf(sp store.Spec) (*view.Tensor, error) {
	n, err := sp.NumBytes()
	if err != nil {
		return nil, err
	}
	l, err := sp.Layout()
	if err != nil {
		return nil, err
	}
	m, err := ev.scratch(n)
	if err != nil {
		return nil, err
	}
	defer m.Release()
	return view.NewTensor(m, sp.DType, l)
}

// openNamed opens what a selector selects.
func openNamed(o *store.Operands, text string) (*view.Tensor, error) {
	sel, err := o.Store.Resolve(o.Ctx, text)
	if err != nil {
		return nil, err
	}
	s := &Store{o.Store}
	return o.Keep(s.evaluateOperand(o.Ctx, selectorOperand(sel), nil))
}
