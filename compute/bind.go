package compute

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Limits of bind, so that hostile expressions cost little.
const (
	maxTermDepth = 100_000
	maxNodes     = 100_000
	maxLazyDepth = 64
)

// A binder turns terms into nodes: it finds what names stand for, and a builder makes the nodes.
type binder struct {
	graph.Builder
	env   Env
	lists spare[*graph.Node]

	scope   map[string]*made        // what earlier statements have made
	targets map[string]*view.Tensor // what Env.InPlace has found; nil for nothing
	found   map[string]*view.Tensor // what Env.Lookup has found
	dimmed  bool                    // whether an axis may have a name: something that has been looked up has one

	memo     map[termKey]value // of the statement
	expanded map[string]value  // what lazy names stand for in the statement
	lazy     []string          // names that are being expanded
	depth    int
}

// binders keeps binders that are done: their maps are most of what binding a short expression
// allocates.
var binders = sync.Pool{New: func() any {
	return &binder{
		scope: map[string]*made{}, targets: map[string]*view.Tensor{}, found: map[string]*view.Tensor{},
		memo: map[termKey]value{}, expanded: map[string]value{},
	}
}}

// maxRecycled is the number of nodes and of terms up to which a binder is kept: the maps of larger
// ones hold on to much.
const maxRecycled = 1000

// recycle empties a binder for the next program.
func (b *binder) recycle() {
	if max(b.NumNodes(), len(b.memo)) > maxRecycled {
		return
	}

	// Reset keeps the maps but not their entries: allocating maps is what costs.
	b.Builder.Reset()
	clear(b.scope)
	clear(b.targets)
	clear(b.found)
	clear(b.memo)
	clear(b.expanded)
	*b = binder{
		Builder: b.Builder, scope: b.scope, targets: b.targets, found: b.found, memo: b.memo, expanded: b.expanded,
	}
	binders.Put(b)
}

// A termKey is a term outside or inside of a lazy name, where variables mean nothing.
type termKey struct {
	term *term
	lazy bool
}

// made is the value of a name that a statement has made.
type made struct {
	value *graph.Node
	dims  []string
	// overwritten is the first statement that writes to what value reads, counted from 1; 0 if
	// there is none.
	overwritten int
}

// bind resolves the names in statements and checks types and shapes. Some shapes depend on
// elements, such as the number of true ones in a mask. eager evaluates those: it returns a packed
// tensor, which the program then owns.
func bind(ctx context.Context, stmts []Statement, env Env, l graph.Limits, eager func(context.Context, *graph.Node) (*view.Tensor, error)) (*graph.Program, error) {
	b := binders.Get().(*binder)
	defer b.recycle()
	b.env = env
	b.Begin(ctx, l, eager, b)
	for i := range stmts {
		if err := b.statement(&stmts[i]); err != nil {
			return nil, errors.Join(err, b.Program().Close())
		}
	}
	return b.Program(), nil
}

// statement binds the next statement.
func (b *binder) statement(s *Statement) error {
	clear(b.memo)
	clear(b.expanded)

	v, err := b.bind(s.Expr.term)
	if err != nil {
		return err
	}

	st := graph.Statement{Target: s.Target, Chain: s.Chain, Dims: b.dims(s.Expr.term)}
	switch {
	case int(s.Op) >= len(assignOps):
		return fmt.Errorf("%v: no such assignment", s.Op)
	case s.Target == "":
		err = b.bare(&st, s.Op, v)
	default:
		err = b.assign(&st, s.Op, v)
	}
	if err != nil {
		return s.place().wrap(err)
	}

	b.AddStatement(st)
	return nil
}

// place is where the value of s stands in its text.
func (s *Statement) place() place {
	if s.Expr.term == nil {
		return place{}
	}
	return s.Expr.term.at
}

// bare binds a statement without a target.
func (b *binder) bare(st *graph.Statement, op AssignOp, v value) (err error) {
	if len(st.Chain) > 0 || op != Set {
		return errors.New("a statement without a target has no part of it and no operator")
	}
	st.Value, err = b.typed(v)
	return err
}

// assign binds a statement with a target.
func (b *binder) assign(st *graph.Statement, op AssignOp, v value) error {
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
		return fmt.Errorf("%s%v cannot be written to, as it is no view; to change elements by a mask, write %[1]s = where(mask, values, %[1]s)", quoteName(st.Target), st.Chain)
	}
	if err != nil {
		return err
	}
	if st.Dst, err = b.Relaid(whole, f, t); err != nil {
		return err
	}

	if st.Dst.Layout().SelfOverlap() != view.OverlapNo {
		return fmt.Errorf("%s%v: %w", quoteName(st.Target), st.Chain, view.ErrRepeats)
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
func (b *binder) assignNew(st *graph.Statement, op AssignOp, v value) error {
	if len(st.Chain) > 0 {
		return fmt.Errorf("%s%v is a part of a tensor, and there is no tensor %q to write it into", quoteName(st.Target), st.Chain, st.Target)
	}

	if op == Set {
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
func (b *binder) save(st *graph.Statement, op AssignOp, old *graph.Node, v value) (*graph.Node, error) {
	combined := v
	if combine := assignFunctions[op]; combine != nil {
		var err error
		if combined, err = combine(b, op.String(), value{node: old}, v); err != nil {
			return nil, err
		}
	}
	n, err := b.storedAs(combined, old.DType)
	if err != nil {
		return nil, fmt.Errorf("%s%v %v …: %w", quoteName(st.Target), st.Chain, op, err)
	}
	return b.Stretched(n, old.Shape)
}

// assignFunctions combine the old elements of a tensor with the ones that are assigned.
var assignFunctions = [...]func(b *binder, name string, old, v value) (value, error){
	Set: nil, SetAdd: bindAdd, SetSub: bindSub, SetMul: bindMul, SetDiv: bindDivide, SetMax: bindMax, SetMin: bindMin,
}

// storedAs converts v to t, which must be of its kind or a wider one.
func (b *binder) storedAs(v value, t dtype.Type) (*graph.Node, error) {
	from := v.node
	if from == nil {
		if dtype.PromoteScalar(t, v.weak.kind) != t && !(v.weak.kind == dtype.KindComplex && t == dtype.Complex64) {
			return nil, fmt.Errorf("%v does not fit %s elements", v.weak, t)
		}
		s, err := v.weak.as(t)
		return b.Scalar(s), err
	}
	if !dtype.CanCast(from.DType, t, dtype.CastSameKind) {
		return nil, fmt.Errorf("%s elements are not stored as %s; write .astype(%s) to do it anyway", from.DType, t, t)
	}
	return b.Cast(from, t), nil
}

// inPlace returns the tensor that a target is written into, or nil.
func (b *binder) inPlace(target string) (*view.Tensor, error) {
	if b.env.InPlace == nil {
		return nil, nil
	}

	if t, asked := b.targets[target]; asked {
		return t, nil
	}

	// Ask the environment once. A name keeps its answer, which may be nil, for the whole program.
	t, err := b.env.InPlace(target)
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
