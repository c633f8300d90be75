package pass

import (
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/compute/internal/scan"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A reduced says which outputs of the program of a pass a reduction or a scan takes, and the type
// of the value.
type reduced struct {
	value, mask int
	register    dtype.Type
}

// reductions adds the operands of the reductions, or of the scan, of a pass to its program.
// Elements of a type without registers are left in those of float32, as reduce takes them.
func (l *lowering) reductions(nodes []*graph.Node) ([]reduced, error) {
	outputs := map[*graph.Node]int{}
	output := func(n *graph.Node) (int, error) {
		if at, ok := outputs[n]; ok {
			return at, nil
		}
		v, err := l.value(n)
		if err != nil {
			return 0, err
		}
		outputs[n] = l.builder.Output(v)
		return outputs[n], nil
	}

	// Reductions of one operand share its output.
	var all []reduced
	for _, n := range nodes {
		r := reduced{mask: -1}
		var err error
		if r.value, err = output(n.Args[0]); err != nil {
			return nil, err
		}
		r.register = l.builder.Type(l.values[n.Args[0]])
		if len(n.Args) > 1 {
			if r.mask, err = output(n.Args[1]); err != nil {
				return nil, err
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// reduce computes the reductions of a pass, and keeps their results.
func (r *run) reduce(pr *passRun) error {
	m, err := r.bindWith(r.plan.opts.Engine, pr, nil)
	if err != nil {
		return err
	}
	defer m.Close()

	// Results go to where the nodes are kept.
	spec := reduce.Spec{Shape: pr.shape, Axes: pr.keeps[0].Reduce.Axes, Program: m.program, Inputs: m.Operands, Layouts: m.planned}
	for i, n := range pr.keeps {
		out, err := r.keep(n)
		if err != nil {
			return err
		}
		results, err := m.Results(out, len(pr.leaves)+i)
		if err != nil {
			return err
		}
		reduction := pr.reduction(i, n)
		reduction.Out = results
		spec.Reductions = append(spec.Reductions, reduction)
	}

	// Chunks that an earlier run has done are not done again.
	engine, err := reduce.New(spec)
	if err != nil {
		return err
	}
	of := engine.NumChunks()
	work := &steps{Memory: m, Chunked: engine, of: of, unit: 1, save: engine.Save}
	begin := r.resumes(pr, of, 0, engine.Load)

	// A device folds what it has code for. Where others have begun makes no difference.
	if e := r.engine(m); e != nil {
		if done, err := r.offloadFolds(e, pr, work, engine, begin); done || err != nil {
			return err
		}
	}
	return r.steps(pr, work, begin)
}

// reduction returns the reduction for node n, which is number i of the nodes that the pass keeps.
func (pr *passRun) reduction(i int, n *graph.Node) reduce.Reduction {
	return reduce.Reduction{
		Op: n.Reduce.Op, Type: n.Args[0].DType, DDof: n.Reduce.DDof, Initial: n.Reduce.Initial, NoDegrees: n.Reduce.Numbers,
		Value: pr.reduced[i].value, Mask: pr.reduced[i].mask,
	}
}

// Results pins the elements of t, in C order without gaps, where the results of a reduction go.
// That counts as an operand.
func (m *Memory) Results(t *view.Tensor, operand int) ([]byte, error) {
	st := t.Storage()
	pin, err := st.Pin()
	if err != nil {
		return nil, err
	}
	m.pins, m.Storages = append(m.pins, pin), append(m.Storages, st)
	start := int64(t.Offset()) * int64(t.DType().Size())
	if t.NumBytes() >= exec.StreamBytes && st.FileBacked() {
		m.files = append(m.files, file{operand: operand, storage: st, start: start, write: true})
	}
	return pin.Bytes()[start:][:t.NumBytes()], nil
}

// scan computes the running sums or products of a pass, and keeps them.
func (r *run) scan(pr *passRun) error {
	n := pr.keeps[0]
	m, err := r.bind(pr, nil)
	if err != nil {
		return err
	}
	defer m.Close()
	out, err := r.keep(n)
	if err != nil || out.NumElems() == 0 {
		return err
	}

	// The result is the last operand.
	m.Mapped(out, out.Layout(), true)
	target, err := m.tensor(out, out.Layout())
	if err != nil {
		return err
	}
	inputs := len(m.Operands)
	s, err := scan.New(scan.Spec{
		Op: n.Reduce.Op, Type: n.DType, Shape: pr.shape, Axis: n.Reduce.Axes[0], Program: m.program, Element: pr.reduced[0].register,
		Inputs: m.Operands, Layouts: m.planned[:inputs], Out: target, OutAt: m.planned[inputs], Stop: r.Watch(),
	})
	if err != nil {
		return err
	}

	// Scans are several jobs; their chunks count together.
	all := 0
	for _, part := range s.Jobs() {
		all += part.NumChunks()
	}
	base, begin := 0, r.resumes(pr, all, 0, s.Load)
	for _, part := range s.Jobs() {
		r.done.Store(0)
		err := r.steps(pr, &steps{Memory: m, Chunked: part, base: base, of: all, unit: 1, save: s.Save}, begin)
		if err != nil {
			return err
		}
		base += part.NumChunks()
	}
	return nil
}
