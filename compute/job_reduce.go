package compute

import (
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/compute/internal/scan"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A reduced says which outputs of the program of a pass a reduction or a scan takes, and the type of the value.
type reduced struct {
	value, mask int
	register    dtype.Type
}

// reductions adds the operands of the reductions, or of the scan, of a pass to its program. Elements of a type without registers are
// left in those of float32, as reduce takes them.
func (l *lowering) reductions(nodes []*node) ([]reduced, error) {
	outputs := map[*node]int{}
	output := func(n *node) (int, error) {
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
	var all []reduced
	for _, n := range nodes {
		r := reduced{mask: -1}
		var err error
		if r.value, err = output(n.args[0]); err != nil {
			return nil, err
		}
		r.register = l.builder.Type(l.values[n.args[0]])
		if len(n.args) > 1 {
			if r.mask, err = output(n.args[1]); err != nil {
				return nil, err
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// reduce computes the reductions of a pass, and keeps their results.
func (r *run) reduce(j *job) error {
	m, err := r.bind(j, nil)
	if err != nil {
		return err
	}
	defer m.close()
	spec := reduce.Spec{Shape: j.shape, Axes: j.keeps[0].reduce.axes, Program: m.program, Inputs: m.operands, Layouts: m.planned}
	for i, n := range j.keeps {
		out, err := r.keep(n)
		if err != nil {
			return err
		}
		place, err := m.results(out, len(j.leaves)+i)
		if err != nil {
			return err
		}
		reduction := j.reduction(i, n)
		reduction.Out = place
		spec.Reductions = append(spec.Reductions, reduction)
	}
	engine, err := reduce.New(spec)
	if err != nil {
		return err
	}
	of := engine.NumChunks()
	return r.steps(j, &steps{memory: m, chunked: engine, of: of, unit: 1, save: engine.Save}, r.resumes(j, of, 0, engine.Load))
}

// reduction says what is done for node n, number i of those that the pass keeps.
func (j *job) reduction(i int, n *node) reduce.Reduction {
	return reduce.Reduction{
		Op: n.reduce.op, Type: n.args[0].dtype, DDof: n.reduce.ddof, Initial: n.reduce.initial, NoDegrees: n.reduce.numbers,
		Value: j.reduced[i].value, Mask: j.reduced[i].mask,
	}
}

// results pins the elements of t, in C order without gaps, where the results of a reduction go. That counts as an operand.
func (m *memory) results(t *view.Tensor, operand int) ([]byte, error) {
	st := t.Storage()
	pin, err := st.Pin()
	if err != nil {
		return nil, err
	}
	m.pins, m.storages = append(m.pins, pin), append(m.storages, st)
	start := int64(t.Offset()) * int64(t.DType().Size())
	if t.NumBytes() >= exec.StreamBytes && st.FileBacked() {
		m.files = append(m.files, file{operand: operand, storage: st, start: start, write: true})
	}
	return pin.Bytes()[start:][:t.NumBytes()], nil
}

// scan computes the running sums or products of a pass, and keeps them.
func (r *run) scan(j *job) error {
	n := j.keeps[0]
	m, err := r.bind(j, nil)
	if err != nil {
		return err
	}
	defer m.close()
	out, err := r.keep(n)
	if err != nil || out.NumElems() == 0 {
		return err
	}
	m.mapped(out, out.Layout(), true)
	target, err := m.tensor(out, out.Layout())
	if err != nil {
		return err
	}
	inputs := len(m.operands)
	s, err := scan.New(scan.Spec{
		Op: n.reduce.op, Type: n.dtype, Shape: j.shape, Axis: n.reduce.axes[0], Program: m.program, Element: j.reduced[0].register,
		Inputs: m.operands, Layouts: m.planned[:inputs], Out: target, OutAt: m.planned[inputs], Stop: r.watch(),
	})
	if err != nil {
		return err
	}
	all := 0
	for _, part := range s.Jobs() {
		all += part.NumChunks()
	}
	base, begin := 0, r.resumes(j, all, 0, s.Load)
	for _, part := range s.Jobs() {
		r.done.Store(0)
		err := r.steps(j, &steps{memory: m, chunked: part, base: base, of: all, unit: 1, save: s.Save}, begin)
		if err != nil {
			return err
		}
		base += part.NumChunks()
	}
	return nil
}
