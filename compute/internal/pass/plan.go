package pass

import (
	"context"
	"errors"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A Plan is the passes over memory that store the statements of a program. It belongs to one
// goroutine at a time.
type Plan struct {
	opts    Options
	program *graph.Program
	passes  []*passRun
	owned   []*view.Tensor               // results and temporaries, closed with the plan
	kept    map[*graph.Node]*view.Tensor // what passes have computed for later ones, or for statements
	direct  map[*graph.Node]int          // statements whose destinations are where nodes are kept
	staying staying                      // of what is kept, what stays on the device

	inParts   bool         // whether results are stored part by part, so that no pass but the last may store them
	closed    bool         // the operands are not there any more
	untouched bool         // the last run has stored nothing: a device did not take the work
	measured  *measurement // of the last run, nil before
	spare     *run         // for the next run
}

// ErrClosed is the error of what needs the operands of a plan that is closed.
var ErrClosed = errors.New("the plan is closed")

// Configure says how the passes run, and evaluate computes, before there is a program.
func (p *Plan) Configure(o Options) { p.opts = o }

// SetProgram makes the passes of a program, which is closed with the plan, also after an error.
// inParts says that results are stored part by part.
func (p *Plan) SetProgram(program *graph.Program, inParts bool) error {
	p.program, p.inParts = program, inParts
	for i := range program.Statements {
		st := &program.Statements[i]
		st.DType, st.Out = st.Value.DType, st.Dst
	}
	return p.prepare()
}

// IsClosed reports whether the plan is closed.
func (p *Plan) IsClosed() bool { return p.closed }

// Statements returns those of the program.
func (p *Plan) Statements() []graph.Statement { return p.program.Statements }

// statement returns a statement of the program.
func (p *Plan) statement(i int) *graph.Statement { return &p.program.Statements[i] }

// SetOut says where the elements of a statement go: to t, which has their shape and a type that
// they are cast to. After an error they go where they went before.
func (p *Plan) SetOut(i int, t *view.Tensor) error {
	st := p.statement(i)
	out, dt := st.Out, st.DType
	st.Out, st.DType = t, t.DType()
	if st.DType == dt && t.Layout().IsContiguous() && t.Storage().Place() == mmapstore.CPU {
		return nil
	}
	err := p.prepare()
	if err != nil {
		st.Out, st.DType = out, dt
		err = errors.Join(err, p.prepare())
	}
	return err
}

// Close gives back what the plan has made: results without a destination, and temporaries. Closing
// again does nothing.
func (p *Plan) Close() error {
	err := p.dropStaying()
	for _, t := range p.owned {
		err = errors.Join(err, t.Close())
	}
	if p.program != nil {
		err = errors.Join(err, p.program.Close())
	}
	p.owned, p.kept, p.closed = nil, nil, true
	return err
}

// make returns a new tensor that is closed with the plan.
func (p *Plan) make(t dtype.Type, shape []int) (*view.Tensor, error) {
	made, err := p.opts.NewTensor(t, shape)
	if err != nil {
		return nil, err
	}
	p.owned = append(p.owned, made)
	return made, nil
}

// Evaluate computes one node while names are bound, for indexes that depend on elements. The tensor
// is the caller's.
func (p *Plan) Evaluate(ctx context.Context, n *graph.Node) (*view.Tensor, error) {
	sub := &Plan{opts: p.opts}
	err := sub.SetProgram(&graph.Program{Statements: []graph.Statement{{Value: n}}}, false)
	if err == nil {
		err = sub.Run(ctx)
	}
	var result *view.Tensor
	if err == nil {
		result, err = sub.statement(0).Out.Retain()
	}
	return result, errors.Join(err, sub.Close())
}
