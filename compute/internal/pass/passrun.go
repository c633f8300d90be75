package pass

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/view"
)

// A passRun is a pass with its program, as a plan runs it.
type passRun struct {
	*pass
	program *machine.Program // nil for what works on elements in memory
	leaves  []leaf
	reduced []reduced // of reductions and scans, one for each of keeps

	targets []*view.Tensor  // of the last run, for the next one
	choice  *offload.Choice // of the last run; nil if there was none

	ran      bool
	repeated *repeated // nil before the second run, and of what is not run again so
}

// prepare makes the passes of the plan with their programs.
func (p *Plan) prepare() error {
	for i := range p.program.Statements {
		st := &p.program.Statements[i]
		st.Stored = st.Value
		if n := unshaped(st.Value); n != st.Value && !p.inParts && takes(st, n.Shape) {
			st.Stored = n
		}
	}

	// The schedule says which passes there are.
	s, err := newSchedule(p.program.Statements, !p.inParts)
	if err != nil {
		return err
	}

	// Each of them has a program.
	p.passes, p.direct = nil, s.direct
	if err := p.dropStaying(); err != nil {
		return err
	}
	for _, pass := range s.passes {
		pr, err := p.newPassRun(pass, s)
		if err != nil {
			return err
		}
		p.passes = append(p.passes, pr)
	}
	p.findStaying()
	return p.checkPlaces()
}

func (p *Plan) newPassRun(ps *pass, s *schedule) (*passRun, error) {
	pr := &passRun{pass: ps}
	if len(ps.keeps) > 0 && isWhole(ps.keeps[0]) {
		return pr, nil
	}

	// What earlier passes have kept is read from memory.
	l := newLowering(ps.shape, func(n *graph.Node) bool {
		level, ok := s.levels[n]
		return ok && level < ps.level
	})
	defer l.recycle()

	// The outputs are the values of statements, and then what is kept.
	for _, i := range ps.stores {
		st := p.statement(i)
		if err := l.output(st.Stored, st.DType); err != nil {
			return nil, err
		}
	}
	if err := pr.lowerKeeps(l); err != nil {
		return nil, err
	}
	pr.program, pr.leaves = l.builder.Program(), l.leaves
	return pr, nil
}

// lowerKeeps adds the nodes that the pass keeps to its program, or what it reduces to them.
func (pr *passRun) lowerKeeps(l *lowering) (err error) {
	if len(pr.keeps) > 0 && isCount(pr.keeps[0]) {
		x := pr.keeps[0].Args[0]
		return l.output(x, x.DType)
	}
	if len(pr.keeps) > 0 && pr.keeps[0].IsKept() {
		pr.reduced, err = l.reductions(pr.keeps)
		return err
	}
	for _, n := range pr.keeps {
		if err := l.output(n, n.DType); err != nil {
			return err
		}
	}
	return nil
}

// perform runs one pass.
func (r *run) perform(pr *passRun) error {
	if len(pr.keeps) == 0 || !pr.keeps[0].IsKept() {
		return r.elementwise(pr)
	}
	switch pr.keeps[0].Kind {
	case graph.NodeReduce:
		return r.reduce(pr)
	case graph.NodeScan:
		r.begun = true
		return r.scan(pr)
	case graph.NodeMatmul:
		return r.matmul(pr)
	default:
		r.begun = true
		return r.whole(pr)
	}
}

// elementwise stores the outputs of a program.
func (r *run) elementwise(pr *passRun) error {
	targets, err := r.targets(pr)
	if err != nil {
		return err
	}
	if t, files, ok := r.inTiles(pr, targets); ok {
		r.choose(pr, 0, t.bands.count*t.perBand())
		return r.fillTiles(pr, t, files, targets, 0, func(int) error { return nil })
	}
	r.choose(pr, 0, 1)
	if r.choice != nil {
		return r.sampled(pr, targets)
	}
	return r.write(pr, targets)
}

// write stores the outputs of a program in targets.
func (r *run) write(pr *passRun, targets []*view.Tensor) error {
	if pr.repeated != nil {
		if done, err := r.repeat(pr.repeated, targets); done || err != nil {
			return err
		}
		pr.repeated = nil
	}

	// Otherwise the operands are looked for anew.
	m, err := r.bindWith(r.plan.opts.Engine, pr, targets)
	if err != nil {
		return err
	}
	if m.empty {
		m.Close()
		return nil
	}

	// A device computes what it has code for.
	if e := r.engine(m); e != nil {
		if done, err := r.offload(e, pr, m); done || err != nil {
			m.Close()
			return err
		}
	}

	// A small pass that runs again is kept with all that it runs with.
	loop := exec.NewLoop(m.program, &m.nest, m.Operands, len(pr.leaves), m.chunkElems(r.plan.opts.Parallelism))
	if pr.ran && r.isRepeatable(m) {
		pr.repeated = &repeated{loop, loop.NewWorker(), m, slices.Clone(targets)}
		defer m.unpin()
		return r.Exec(m, pr.repeated)
	}
	defer m.Close()
	pr.ran = true
	return r.Exec(m, loop)
}

// targets returns where the outputs of a pass go, which it makes where they are missing.
func (r *run) targets(pr *passRun) ([]*view.Tensor, error) {
	targets := pr.targets[:0]
	for _, i := range pr.stores {
		dst, err := r.target(i)
		if err == nil {
			dst, err = inShape(dst, pr.shape)
		}
		if err != nil {
			return nil, err
		}
		targets = append(targets, dst)
	}

	// Nodes that the pass keeps come behind the statements.
	for _, n := range pr.keeps {
		made, err := r.keep(n)
		if err != nil {
			return nil, err
		}
		targets = append(targets, made)
	}
	pr.targets = targets
	return targets, nil
}

// target returns the tensor for the output of a statement. It allocates one if there is none.
func (r *run) target(statement int) (*view.Tensor, error) {
	st := r.plan.statement(statement)
	if st.Out != nil {
		return st.Out, nil
	}
	made, err := r.plan.make(st.DType, st.Value.Shape)
	st.Out = made
	return made, err
}

// keep makes room for the elements of a node that later passes read, or that are the value of a
// statement.
func (r *run) keep(n *graph.Node) (*view.Tensor, error) {
	statement, direct := r.plan.direct[n]
	if t := r.plan.kept[n]; t != nil && !direct {
		return t, nil
	}
	there, err := r.stay(n)
	if err != nil {
		return nil, err
	}

	// A node that is the value of a statement is kept in its destination.
	made := there
	switch {
	case direct:
		made, err = r.target(statement)
	case there == nil:
		made, err = r.plan.make(n.DType, n.Shape)
	}

	// Later passes find it. They read it from the device if it is there, too.
	if err == nil {
		if r.plan.kept == nil {
			r.plan.kept = map[*graph.Node]*view.Tensor{}
		}
		if r.plan.kept[n] = made; there != nil {
			r.plan.kept[n] = there
		}
	}
	return made, err
}

// memoryOf returns the tensor that holds the elements of n, which are kept or were there from the
// start.
func (r *run) memoryOf(n *graph.Node) *view.Tensor {
	if n.Kind == graph.NodeTensor && r.plan.kept[n] == nil {
		return n.Tensor
	}
	return r.plan.kept[n]
}
