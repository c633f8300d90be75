package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A Plan is a program whose names, types, shapes and passes over memory are settled: NewPlan makes it, Run computes
// it. It belongs to one goroutine at a time.
type Plan struct {
	opts    Options
	bound   *bound
	passes  []*job
	outputs []Output
	owned   []*view.Tensor         // results and temporaries, closed with the plan
	kept    map[*node]*view.Tensor // what passes have computed for later ones, or for statements
	direct  map[*node]int          // statements whose destinations are where nodes are kept

	inParts  bool         // whether results are stored part by part, so that no pass but the last may store them
	measured *measurement // of the last Run, nil before
	spare    *run         // for the next Run
}

// An Output is what one statement makes.
type Output struct {
	Target  string     // the name in front of the saver; empty for an expression alone
	DType   dtype.Type // of the elements of Expr, or of those that are written in place
	Shape   []int
	Dims    []string     // names of the axes, "" for those without one, as Env.Dims and the expression tell; nil if none has one
	InPlace bool         // whether it is written into a tensor that was there before
	Dst     *view.Tensor // where the elements go; nil until it is set or made

	// Elsewhere says that Dst will be set, to a tensor that takes none of the memory which String predicts. It may be
	// changed.
	Elsewhere bool

	// Replaced says that a later statement makes another tensor of the same name, so that this one is not stored.
	Replaced bool
}

// NewPlan binds statements to tensors: it looks names up, settles types and shapes, and decides which passes over
// memory there will be. Mistakes in a program show here, as *ExprError where it was read from a text. What masks, take
// and repeat by several counts pick is copied at once, and indexes that are stored are looked at; otherwise no element is
// read.
//
// The plan must be closed; the tensors that env finds must stay open until then.
func NewPlan(ctx context.Context, stmts []Statement, env Env, o *Options) (*Plan, error) {
	return newPlan(ctx, stmts, env, o, false)
}

func newPlan(ctx context.Context, stmts []Statement, env Env, o *Options, inParts bool) (*Plan, error) {
	p := &Plan{inParts: inParts}
	if o != nil {
		p.opts = *o
	}
	if err := p.opts.complete(); err != nil {
		return nil, err
	}
	var err error
	if p.bound, err = bind(ctx, stmts, env, &p.opts, p.evaluate); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.outputs = make([]Output, 0, len(stmts))
	for i := range p.bound.stmts {
		st := &p.bound.stmts[i]
		out := Output{Target: st.target, DType: st.value.dtype, Shape: slices.Clone(st.value.shape), Dims: st.dims, InPlace: st.dst != nil, Dst: st.dst, Replaced: st.replaced}
		p.outputs = append(p.outputs, out)
	}
	if err := p.prepare(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Outputs returns what each statement makes. The slice is the plan's.
func (p *Plan) Outputs() []Output { return p.outputs }

// SetDst says where the elements of a statement go: to t, which has the shape of the output and a type that its
// elements may be cast to by the rule "same_kind". It must not share elements with any tensor that the plan reads.
// The plan borrows it.
func (p *Plan) SetDst(i int, t *view.Tensor) error {
	if i < 0 || i >= len(p.outputs) {
		return fmt.Errorf("destination of statement %d: the plan has %d", i, len(p.outputs))
	}
	if p.bound == nil {
		return fmt.Errorf("destination of statement %d: %w", i, errClosedPlan)
	}
	out, from := &p.outputs[i], p.bound.stmts[i].value.dtype
	switch {
	case out.InPlace:
		return fmt.Errorf("destination of statement %d: it writes into %q", i, out.Target)
	case !slices.Equal(t.Shape(), out.Shape):
		return fmt.Errorf("destination of statement %d: expected shape %v, found %v", i, out.Shape, t.Shape())
	case !dtype.CanCast(from, t.DType(), dtype.CastSameKind):
		return fmt.Errorf("destination of statement %d: %v elements cannot be stored as %v without a loss of kind; convert them with astype", i, from, t.DType())
	case !t.Storage().Writable():
		return fmt.Errorf("destination of statement %d: %w", i, mmapstore.ErrReadOnly)
	}
	out.Dst = t
	if out.DType == t.DType() && t.Layout().IsContiguous() {
		return nil
	}
	out.DType = t.DType()
	return p.prepare()
}

// Result returns the elements of statement i after Run: the destination that was set, or a tensor of the plan, which
// is closed with it unless the caller has retained it.
func (p *Plan) Result(i int) *view.Tensor { return p.outputs[i].Dst }

// errClosedPlan is the error of what needs the operands of a plan that is closed.
var errClosedPlan = errors.New("the plan is closed")

// Close gives back what the plan has made: results without a destination, and temporaries. Closing again does
// nothing.
func (p *Plan) Close() error {
	var err error
	for _, t := range p.owned {
		err = errors.Join(err, t.Close())
	}
	if p.bound != nil {
		err = errors.Join(err, p.bound.close())
	}
	p.owned, p.bound, p.kept = nil, nil, nil
	return err
}

// make returns a new tensor that is closed with the plan.
func (p *Plan) make(t dtype.Type, shape []int) (*view.Tensor, error) {
	l, err := view.NewLayout(shape...)
	if err != nil {
		return nil, err
	}
	size := int64(l.NumElems()) * int64(t.Size())
	st, err := p.opts.room(size)
	if err != nil {
		return nil, fmt.Errorf("make room for %d bytes: %w", size, err)
	}
	made, err := view.NewTensor(st, t, l)
	if err = errors.Join(err, st.Release()); err != nil {
		if made != nil {
			err = errors.Join(err, made.Close())
		}
		return nil, err
	}
	p.owned = append(p.owned, made)
	return made, nil
}

// evaluate computes one node while names are bound, for indexes that depend on elements. The tensor is the caller's.
func (p *Plan) evaluate(ctx context.Context, n *node) (*view.Tensor, error) {
	sub := &Plan{opts: p.opts}
	sub.bound = &bound{stmts: []boundStatement{{value: n}}}
	sub.outputs = []Output{{DType: n.dtype, Shape: n.shape}}
	err := sub.prepare()
	if err == nil {
		err = sub.Run(ctx)
	}
	var result *view.Tensor
	if err == nil {
		result, err = sub.Result(0).Retain()
	}
	return result, errors.Join(err, sub.Close())
}

// Eval computes an expression. The result is the caller's to close. Its memory comes from Options.Scratch.
func (e Expr) Eval(ctx context.Context, env Env, o *Options) (*view.Tensor, error) {
	p, err := NewPlan(ctx, []Statement{{Expr: e}}, env, o)
	if err != nil {
		return nil, err
	}
	if err := p.Run(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	result, err := p.Result(0).Retain()
	return result, errors.Join(err, p.Close())
}

// Assign computes an expression of tensors and numbers and stores it in dst, which may be among the tensors: Set
// replaces the elements of dst, SetAdd adds to them, and so on. The elements of the expression stretch to the shape
// of dst and are cast to its type by the rule "same_kind". After an error dst holds anything.
func Assign(ctx context.Context, dst *view.Tensor, s Saver, e Expr, o *Options) error {
	env := Env{InPlace: func(string) (*view.Tensor, error) { return dst, nil }}
	p, err := NewPlan(ctx, []Statement{{Target: "dst", Saver: s, Expr: e}}, env, o)
	if err != nil {
		return err
	}
	return errors.Join(p.Run(ctx), p.Close())
}
