package work

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Explain says what Eval tells about how it computes.
type Explain uint8

const (
	// ExplainNone tells nothing.
	ExplainNone Explain = iota
	// ExplainOnly tells the plan and computes nothing, changes nothing.
	ExplainOnly
	// ExplainMeasured tells the plan, with what was measured beside what was predicted.
	ExplainMeasured
)

// EvalOptions of Eval and of what else computes.
type EvalOptions struct {
	Group   string
	Vars    map[string]dtype.Scalar
	DType   dtype.Type
	InPlace bool
	NewOnly bool
	Explain Explain
	Edges   *view.PrintOptions
	Journal Journal
	Compute compute.Options
}

// EvalResult is what Eval has done.
type EvalResult struct {
	Outputs []EvalOutput
	Plan    string
}

// EvalOutput is what became of one statement.
type EvalOutput struct {
	Target  string
	Expr    compute.Expr
	DType   dtype.Type
	Shape   []int
	Dims    []string
	Created bool
	Tensor  *store.Tensor
}

// Close gives back the elements of expressions that had no target.
func (r *EvalResult) Close() error {
	var err error
	for _, out := range r.Outputs {
		if out.Tensor != nil {
			err = errors.Join(err, out.Tensor.Close())
		}
	}
	return err
}

// Eval computes statements separated by semicolons, in the language that compute.ParseProgram
// reads:
//
//	c = sqrt(a*a + b*b); d[::2] += 2*b
//
// A name on the left that is new becomes a tensor. "=" gives a tensor that is there new elements,
// and with them a new shape and dtype, as Replace does. "+=" and the like, and a part in brackets on
// the left, change elements for all views of the storage, as Set does. The caller closes the result.
func (s *Store) Eval(ctx context.Context, text string, o *EvalOptions) (*EvalResult, error) {
	stmts, err := compute.ParseProgram(text)
	if err != nil {
		return nil, err
	}
	return s.EvalStatements(ctx, stmts, o)
}

// EvalStatements is Eval of statements that have been parsed or built.
func (s *Store) EvalStatements(ctx context.Context, stmts []compute.Statement, o *EvalOptions) (*EvalResult, error) {
	end, err := s.Engine.BeginWork()
	if err != nil {
		return nil, err
	}
	defer end()
	var r *EvalResult
	err = s.oneState(ctx, func(p *pins) error {
		r, err = s.evalOnce(ctx, stmts, o, p)
		return err
	})
	return r, err
}

func (s *Store) evalOnce(ctx context.Context, stmts []compute.Statement, o *EvalOptions, p *pins) (*EvalResult, error) {
	ev, err := s.newEvaluation(ctx, o)
	if err != nil {
		return nil, err
	}
	ev.pins = p
	ev.job = ev.asJob(stmts)
	if stmts, err = ev.prepare(stmts); err != nil {
		return nil, err
	}
	err = ev.run(stmts)
	if err = errors.Join(err, ev.close()); err != nil {
		return nil, errors.Join(err, ev.result.Close())
	}
	ev.result.Plan = strings.Join(ev.plans, "\n")
	return &ev.result, nil
}

// evaluation is an Eval at work. It belongs to one goroutine.
type evaluation struct {
	ctx    context.Context
	store  *Store
	opts   EvalOptions
	result EvalResult
	plans  []string

	// opened are the tensors that names stood for when they were first read.
	opened map[string]*store.Tensor
	// lazy are the lazy names that were expanded.
	lazy []catalog.Input
	// made are the tensors that statements have made and that are not published yet.
	made map[string]*madeTensor
	// superseded are the tensors among them whose names later ones have.
	superseded []*madeTensor
	// materializing is set where a lazy name becomes a tensor.
	materializing *materialization
	scratched     int64 // bytes
	// selecting is set if the text is a selector.
	selecting bool
	// label, when set, gives a new tensor its attributes and axis names.
	label func(sp *store.Spec, dims []string)
	// job describes the work for the catalog, should it become a job.
	job *catalog.Job
	// changing are the storages whose elements statements change.
	changing changedStorages
	// planning is set while tensors are opened for their shapes alone, so that others may be
	// writing them.
	planning bool
	// noted is what has been looked up besides opened; pins are locks of storages that are read,
	// and pinned says that they keep what was looked up as it is.
	noted  map[string]*catalog.Entry
	pins   *pins
	pinned bool
	// locks is set if storages whose elements change are locked, or are to be.
	locks bool
}

func (s *Store) newEvaluation(ctx context.Context, o *EvalOptions) (*evaluation, error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return nil, err
	}
	ev := &evaluation{ctx: ctx, store: s, opened: map[string]*store.Tensor{}}
	if o != nil {
		ev.opts = *o
	}
	if ev.opts.Compute.Scratch == nil {
		ev.opts.Compute.Scratch = ev.scratch
	}
	return ev, nil
}

// scratchShare is the part of the memory limit that temporaries and results in memory take, as a
// divisor. What is beyond it goes to files.
const scratchShare = 4

// scratch is room for what the evaluation makes that has no name.
func (ev *evaluation) scratch(size int64) (*mmapstore.Storage, error) {
	ev.scratched += size
	if limit := ev.opts.Compute.MemoryLimit; limit > 0 && ev.scratched > limit/scratchShare {
		return ev.store.scratchFile(ev.ctx, size)
	}
	return ev.store.scratch(ev.ctx, size)
}

// prepare gives names their full form, variables their values, and new elements the dtype that was
// asked for.
func (ev *evaluation) prepare(stmts []compute.Statement) ([]compute.Statement, error) {
	if len(stmts) == 0 {
		return nil, errors.New("nothing to evaluate: the expression is empty")
	}

	out := make([]compute.Statement, len(stmts))
	for i, st := range stmts {
		if ev.opts.Group != "" || len(ev.opts.Vars) > 0 {
			st.Expr = st.Expr.Substitute(ev.substitute)
		}
		if st.Target != "" {
			st.Target = ev.fullName(st.Target)
		}
		if ev.opts.DType.Valid() && st.Op == compute.Set && len(st.Chain) == 0 {
			st.Expr = st.Expr.AsType(ev.opts.DType)
		}
		out[i] = st
	}
	return out, nil
}

func (ev *evaluation) substitute(name string) (compute.Expr, bool) {
	if v, ok := ev.opts.Vars[name]; ok {
		return compute.Variable(v), true
	}
	return compute.Name(ev.fullName(name)), ev.opts.Group != ""
}

func (ev *evaluation) fullName(name string) string {
	if ev.opts.Group == "" {
		return name
	}
	return ev.opts.Group + "/" + name
}

// changesElements reports whether a statement changes elements of a tensor that is there, and does
// not give it new ones.
func changesElements(st compute.Statement) bool {
	return st.Target != "" && (st.Op != compute.Set || len(st.Chain) > 0)
}

// run computes the statements: without a transaction if they write nothing, as a job if that was
// asked for, as a single change of elements, or as a transaction.
func (ev *evaluation) run(stmts []compute.Statement) error {
	writes := false
	for _, st := range stmts {
		writes = writes || st.Target != ""
	}

	if err := ev.checkPicks(stmts); err != nil {
		return err
	}

	// What writes nothing needs no transaction.
	switch {
	case ev.opts.Explain == ExplainOnly:
		return ev.explain(stmts)
	case !writes && ev.opts.Journal.Must:
		return ev.opts.Journal.refuse(namelessWork)
	case !writes && len(stmts) == 1 && ev.opts.Edges != nil && ev.opts.Explain == ExplainNone:
		return ev.computeEdges(stmts[0])
	case !writes:
		return ev.compute(stmts, nil)
	}

	if err := ev.store.Engine.CheckWritable(); err != nil {
		return err
	}

	if job, err := ev.runAsJob(stmts); job || err != nil {
		return err
	}
	// A transaction keeps the locks, and the changed copy, until it ends.
	if len(stmts) == 1 && changesElements(stmts[0]) && !ev.opts.InPlace && ev.store.Within == nil {
		return ev.change(stmts[0])
	}
	return ev.program(stmts)
}

// explain describes the plan of the statements. It leaves out those that can be planned only with
// the elements of earlier ones.
func (ev *evaluation) explain(stmts []compute.Statement) error {
	first := ev.nextBatch(stmts)
	p, err := ev.check(stmts[:first])
	if err != nil {
		return err
	}

	// Nothing is computed: say where a result would go.
	for i := range p.Outputs() {
		out := &p.Outputs()[i]
		out.Elsewhere = out.Target != "" && !out.InPlace
	}

	ev.plans = append(ev.plans, p.String())
	if first < len(stmts) {
		ev.plans = append(ev.plans, fmt.Sprintf("the statements from %q on are planned when those before them have run", stmts[first].String()))
	}

	for i, out := range p.Outputs() {
		ev.result.Outputs = append(ev.result.Outputs, ev.describe(stmts[i], out))
	}
	return p.Close()
}

// check binds statements and changes nothing. The caller closes the plan.
func (ev *evaluation) check(stmts []compute.Statement) (*compute.Plan, error) {
	env := ev.env()
	env.InPlace = func(target string) (*view.Tensor, error) {
		if !ev.isChanged(stmts, target) {
			return nil, nil
		}
		return ev.lookup(target)
	}
	return ev.newPlan(stmts, env)
}

// compute runs statements over one plan. sink gives those with targets a destination; nil when none
// has one.
func (ev *evaluation) compute(stmts []compute.Statement, sink func(i int, p *compute.Plan) error) error {
	env := ev.env()
	env.InPlace = ev.destination(stmts)
	p, err := ev.newPlan(stmts, env)
	if err != nil {
		return err
	}
	err = ev.runPlan(p, stmts, sink)
	if err == nil && ev.opts.Explain == ExplainMeasured {
		ev.plans = append(ev.plans, p.String())
	}
	return errors.Join(err, p.Close())
}

func (ev *evaluation) runPlan(p *compute.Plan, stmts []compute.Statement, sink func(i int, p *compute.Plan) error) error {
	for i, out := range p.Outputs() {
		ev.result.Outputs = append(ev.result.Outputs, ev.describe(stmts[i], out))
		if stmts[i].Target == "" || out.InPlace {
			continue
		}
		if err := sink(i, p); err != nil {
			return err
		}
	}

	// From here on the inputs are pinned, and changes in place have begun.
	if err := ev.pin(); err != nil {
		return err
	}
	before := ev.changing.begun
	ev.changing.begun = true
	if err := p.Run(ev.ctx); err != nil {
		ev.changing.begun = before || !p.IsUntouched()
		return ev.inOneState(err)
	}

	// Elements that were changed during the computation would mix two states.
	if err := errors.Join(ev.unchanged(), ev.still()); err != nil {
		return err
	}

	outputs := ev.result.Outputs[len(ev.result.Outputs)-len(stmts):]
	for i := range outputs {
		if stmts[i].Target == "" {
			t, err := p.Result(i).Retain()
			if err != nil {
				return err
			}
			outputs[i].Tensor = ev.store.scratchTensor(t)
			outputs[i].Tensor.ComputedFrom = maps.Collect(ev.LookedUp())
		}
	}
	return nil
}

func (ev *evaluation) describe(st compute.Statement, out compute.Output) EvalOutput {
	d := EvalOutput{Expr: st.Expr, DType: out.DType, Shape: out.Shape, Dims: out.Dims}
	if st.Target != "" {
		d.Target = st.Target + st.Chain.String()
		d.Created = ev.old(st.Target) == nil
	}
	return d
}

// nameless is the entry of tensors that have no name.
var nameless = &catalog.Entry{}

// scratchTensor returns a tensor that lies in no storage of the store.
func (s *Store) scratchTensor(t *view.Tensor) *store.Tensor {
	return &store.Tensor{Tensor: t, Info: &store.Info{Entry: nameless, Layout: t.Layout(), DType: t.DType(), Copied: true}, Store: s.Store}
}
