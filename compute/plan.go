package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/bind"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A Plan is a program whose names, types, shapes and passes over memory are settled: NewPlan makes
// it, Run computes it. It belongs to one goroutine at a time.
type Plan struct {
	passes  pass.Plan
	engine  *offload.Engine // nil without a device
	outputs []Output
}

// An Output is the result of one statement.
type Output struct {
	Target  string     // the name in front of the operator; empty for an expression alone
	DType   dtype.Type // of the elements of Expr, or of those that are written in place
	Shape   []int
	Dims    []string     // names of the axes, "" for those without one, as Env.Dims and the expression tell; nil if none has one
	InPlace bool         // whether it is written into a tensor that was there before
	Dst     *view.Tensor // where the elements go; nil until it is set or made

	// Elsewhere says that Dst will be set, to a tensor that takes none of the memory which String
	// predicts. It may be changed.
	Elsewhere bool

	// Replaced says that a later statement makes another tensor of the same name, so that this one
	// is not stored.
	Replaced bool
}

// NewPlan binds statements to tensors: it looks names up, settles types and shapes, and decides
// which passes over memory there will be. Mistakes in a program show here, as *ExprError where it
// was read from a text. What masks, take and repeat by several counts pick is copied at once, and
// indexes that are stored are looked at; otherwise no element is read.
//
// The plan must be closed; the tensors that env finds must stay open until then.
func NewPlan(ctx context.Context, stmts []Statement, env Env, o *Options) (*Plan, error) {
	return newPlan(ctx, stmts, env, o, false)
}

func newPlan(ctx context.Context, stmts []Statement, env Env, o *Options, inParts bool) (*Plan, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if err := opts.complete(); err != nil {
		return nil, err
	}

	// Binding may have to compute indexes, for which the options must be there.
	configured := opts.passes()
	p := &Plan{engine: configured.Engine}
	p.passes.Configure(configured)
	bound := make([]term.Statement, 0, 4)
	for _, s := range stmts {
		bound = append(bound, term.Statement{Target: s.Target, Chain: s.Chain, Op: term.AssignOp(s.Op), Value: s.Expr.term})
	}
	program, err := bind.Program(ctx, bound, env.names(), opts.limits(), p.passes.Evaluate)
	if err != nil {
		return nil, errors.Join(exprError(err), p.Close())
	}
	if err := p.passes.SetProgram(program, inParts); err != nil {
		return nil, errors.Join(err, p.Close())
	}

	p.outputs = make([]Output, 0, len(stmts))
	for i := range stmts {
		st := &p.passes.Statements()[i]
		p.outputs = append(p.outputs, Output{
			Target: st.Target, DType: st.Value.DType, Shape: slices.Clone(st.Value.Shape), Dims: st.Dims,
			InPlace: st.Dst != nil, Dst: st.Dst, Replaced: st.Replaced,
		})
	}
	return p, nil
}

// Outputs returns what each statement makes. The slice is the plan's.
func (p *Plan) Outputs() []Output { return p.outputs }

// SetDst writes the elements of statement i to t. t has the shape of the output, and a type that
// its elements may be cast to by the rule "same_kind". t must not share elements with any tensor
// that the plan reads. The plan borrows t.
func (p *Plan) SetDst(i int, t *view.Tensor) error {
	if i < 0 || i >= len(p.outputs) {
		return fmt.Errorf("destination of statement %d: the plan has %d", i, len(p.outputs))
	}

	if p.passes.IsClosed() {
		return fmt.Errorf("destination of statement %d: %w", i, pass.ErrClosed)
	}

	out, from := &p.outputs[i], p.passes.Statements()[i].Value.DType
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

	if err := p.passes.SetOut(i, t); err != nil {
		return err
	}
	out.Dst, out.DType = t, t.DType()
	return nil
}

// Result returns the elements of statement i after Run: the destination that was set, or a tensor
// of the plan, which is closed with it unless the caller has retained it.
func (p *Plan) Result(i int) *view.Tensor { return p.outputs[i].Dst }

// Run computes the plan. Destinations that were not set are made, and are the results. After an
// error, or when ctx is cancelled, destinations hold anything. Running again computes again, of the
// elements that the tensors have then.
func (p *Plan) Run(ctx context.Context) error {
	err := p.passes.Run(ctx)
	p.update()
	return err
}

// IsUntouched reports whether Run has failed before it stored anything, because a device did not
// take the work: destinations are as they were.
func (p *Plan) IsUntouched() bool { return p.passes.IsUntouched() }

// update tells the outputs which destinations have been made.
func (p *Plan) update() {
	for i := range p.outputs {
		p.outputs[i].Dst = p.passes.Statements()[i].Out
	}
}

// Close gives back what the plan has made: results without a destination, and temporaries. Closing
// again does nothing.
func (p *Plan) Close() error {
	err := p.passes.Close()
	if p.engine != nil {
		err = errors.Join(err, p.engine.Close())
	}
	return err
}

// String explains the plan: the typed trees of its statements, and for each pass the order in which
// elements are walked, the operands that are read and written, and the kernels. It gives the
// predicted bytes and memory, and after Run the measured ones.
func (p *Plan) String() string {
	for i, out := range p.outputs {
		p.passes.Statements()[i].Elsewhere = out.Elsewhere
	}
	return p.passes.Explain(syntax.Quote)
}

// Eval computes an expression. The result is the caller's to close. Its memory comes from
// Options.Scratch.
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

// Assign computes an expression of tensors and numbers and stores it in dst, which may be among the
// tensors: Set replaces the elements of dst, SetAdd adds to them, and so on. The elements of the
// expression stretch to the shape of dst and are cast to its type by the rule "same_kind". After an
// error dst holds anything.
func Assign(ctx context.Context, dst *view.Tensor, s AssignOp, e Expr, o *Options) error {
	env := Env{InPlace: func(string) (*view.Tensor, error) { return dst, nil }}
	p, err := NewPlan(ctx, []Statement{{Target: "dst", Op: s, Expr: e}}, env, o)
	if err != nil {
		return err
	}
	return errors.Join(p.Run(ctx), p.Close())
}
