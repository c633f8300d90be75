package bind

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// bare binds a statement without a target.
func (b *binder) bare(st *graph.Statement, op term.AssignOp, v value) (err error) {
	if len(st.Chain) > 0 || op != term.Set {
		return errors.New("a statement without a target has no part of it and no operator")
	}
	st.Value, err = b.typed(v)
	return err
}

// assign binds a statement with a target.
func (b *binder) assign(st *graph.Statement, op term.AssignOp, v value) error {
	whole, err := b.inPlace(st.Target)
	if err != nil {
		return err
	}

	if whole == nil {
		return b.assignNew(st, op, v)
	}

	// The part that the chain selects must be a view: only a view is written to in place.
	f, t, err := st.Chain.Apply(whole.Layout(), whole.DType())
	if errors.Is(err, view.ErrNeedsCopy) {
		return fmt.Errorf("%s%v cannot be written to, as it is no view; to change elements by a mask, write %[1]s = where(mask, values, %[1]s)", syntax.Quote(st.Target), st.Chain)
	}
	if err != nil {
		return err
	}
	if st.Dst, err = b.Relaid(whole, f, t); err != nil {
		return err
	}

	if st.Dst.Layout().SelfOverlap() != view.OverlapNo {
		return fmt.Errorf("%s%v: %w", syntax.Quote(st.Target), st.Chain, view.ErrRepeats)
	}

	// Bind the value last: an operator such as += reads the old elements through Dst.
	if st.Value, err = b.save(st, op, b.Tensor(st.Dst, st.Target), v); err != nil {
		return err
	}
	b.written(st)
	return nil
}

// written notes which earlier values a write to memory makes stale.
func (b *binder) written(st *graph.Statement) {
	delete(b.scope, st.Target)
	for _, m := range b.scope {
		if m.overwritten == 0 && m.value.Reads(st.Dst) {
			m.overwritten = len(b.Program().Statements) + 1
		}
	}
}

// assignNew binds a statement that makes a tensor.
func (b *binder) assignNew(st *graph.Statement, op term.AssignOp, v value) error {
	if len(st.Chain) > 0 {
		return fmt.Errorf("%s%v is a part of a tensor, and there is no tensor %q to write it into", syntax.Quote(st.Target), st.Chain, st.Target)
	}

	if op == term.Set {
		n, err := b.typed(v)
		if err != nil {
			return err
		}
		st.Value = n
	} else {
		old, err := b.name(st.Target)
		if err != nil {
			return err
		}
		if old.node == nil {
			return fmt.Errorf("%q is a number: expected a tensor", st.Target)
		}
		if st.Value, err = b.save(st, op, old.node, v); err != nil {
			return err
		}
	}

	// Earlier statements that made a tensor of this name are superseded. Their values may still be
	// operands, so they are marked rather than removed.
	for i := range b.Program().Statements {
		earlier := &b.Program().Statements[i]
		earlier.Replaced = earlier.Replaced || earlier.Target == st.Target && earlier.Dst == nil
	}
	b.scope[st.Target] = &made{value: st.Value, dims: st.Dims}
	return nil
}

// save returns what an operator leaves where old was, of its type and shape.
func (b *binder) save(st *graph.Statement, op term.AssignOp, old *graph.Node, v value) (*graph.Node, error) {
	combined := v
	if combine := assignFunctions[op]; combine != nil {
		var err error
		if combined, err = combine(b, op.String(), value{node: old}, v); err != nil {
			return nil, err
		}
	}
	n, err := b.storedAs(combined, old.DType)
	if err != nil {
		return nil, fmt.Errorf("%s%v %v …: %w", syntax.Quote(st.Target), st.Chain, op, err)
	}
	return b.Stretched(n, old.Shape)
}

// assignFunctions combine the old elements of a tensor with the ones that are assigned.
var assignFunctions = [...]func(b *binder, name string, old, v value) (value, error){
	term.Set: nil, term.SetAdd: bindAdd, term.SetSub: bindSub, term.SetMul: bindMul, term.SetDiv: bindDivide, term.SetMax: bindMax, term.SetMin: bindMin,
}

// storedAs converts v to t, which must be of its kind or a wider one.
func (b *binder) storedAs(v value, t dtype.Type) (*graph.Node, error) {
	from := v.node
	if from == nil {
		if dtype.PromoteScalar(t, v.weak.Kind) != t && !(v.weak.Kind == dtype.KindComplex && t == dtype.Complex64) {
			return nil, fmt.Errorf("%v does not fit %s elements", v.weak, t)
		}
		s, err := v.weak.As(t)
		return b.Scalar(s), err
	}
	if !dtype.CanCast(from.DType, t, dtype.CastSameKind) {
		return nil, fmt.Errorf("%s elements are not stored as %s; write .astype(%s) to do it anyway", from.DType, t, t)
	}
	return b.Cast(from, t), nil
}

// inPlace returns the tensor that a target is written into, or nil.
func (b *binder) inPlace(target string) (*view.Tensor, error) {
	if b.names.InPlace == nil {
		return nil, nil
	}

	if t, asked := b.targets[target]; asked {
		return t, nil
	}

	// Ask the environment once. A name keeps its answer, which may be nil, for the whole program.
	t, err := b.names.InPlace(target)
	if err != nil {
		return nil, fmt.Errorf("look up %q: %w", target, err)
	}
	if t != nil {
		if t, err = b.Retained(t); err != nil {
			return nil, err
		}
	}

	b.targets[target] = t
	b.dimmed = b.dimmed || t != nil && b.hasDims(target)
	return t, nil
}
