package compute

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/view"
)

// A cost is what a pass, or all of them, read and write, and the memory that they take beside the operands.
type cost struct {
	read, written int64 // bytes of operands, each counted once a pass
	memory        int64 // bytes of registers, of what is kept between passes and of results without a destination
	scratch       int64 // bytes of operands that are copied to Options.Scratch
}

// A measurement is what a run took.
type measurement struct {
	elapsed time.Duration
	memory  int64 // bytes of private memory at its highest, above those at the start
}

// String explains the plan: the typed trees of its statements, and for each pass in which order the elements are
// walked, which operands are read and written, and with which kernels; the bytes that move and the memory that this
// takes, as predicted, and after Run as measured.
func (p *Plan) String() string {
	var text strings.Builder
	for i := range p.bound.stmts {
		st := &p.bound.stmts[i]
		if st.target != "" {
			fmt.Fprintf(&text, "%s%v %v ", quoteName(st.target), st.chain, Set)
		}
		st.value.print(&text)
	}
	total := p.cost()
	for i, j := range p.passes {
		fmt.Fprintf(&text, "pass %d of %d: %s\n", i+1, len(p.passes), p.purpose(j))
		p.explain(&text, j)
	}
	fmt.Fprintf(&text, "predicted: reads %s, writes %s, peak memory %s",
		formatBytes(total.read), formatBytes(total.written), formatBytes(total.memory))
	if total.scratch > 0 {
		fmt.Fprintf(&text, ", scratch %s", formatBytes(total.scratch))
	}
	text.WriteByte('\n')
	if m := p.measured; m != nil {
		rate := float64(total.read+total.written) / max(m.elapsed.Seconds(), 1e-9)
		fmt.Fprintf(&text, "measured:  %v, %s/s, peak memory %s\n", m.elapsed.Round(time.Microsecond), formatBytes(int64(rate)), formatBytes(m.memory))
	}
	return text.String()
}

func formatBytes(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

// purpose says what a pass is for.
func (p *Plan) purpose(j *job) string {
	var parts []string
	for _, i := range j.stores {
		parts = append(parts, "store "+p.outputs[i].title())
	}
	for _, n := range j.keeps {
		if i, ok := p.direct[n]; ok {
			parts = append(parts, "store "+n.describe()+" as "+p.outputs[i].title())
			continue
		}
		parts = append(parts, n.describe())
	}
	return strings.Join(parts, ", ")
}

// title names an output.
func (o *Output) title() string {
	if o.Target == "" {
		return "the result"
	}
	return quoteName(o.Target)
}

// describe says what a node that a pass keeps is, in a few words.
func (n *node) describe() string {
	switch n.kind {
	case nodeReduce:
		return fmt.Sprintf("%v over axes %v", n.reduce.op, n.reduce.axes)
	case nodeScan:
		return fmt.Sprintf("cumulative %v along axis %d", n.reduce.op, n.reduce.axes[0])
	case nodeHistogram:
		return fmt.Sprintf("histogram of %d bins", n.numBins)
	case nodeBulk:
		return n.bulk.String()
	case nodeBincount:
		return fmt.Sprintf("counts of %d values", n.numBins)
	case nodeMatmul:
		return "matmul of " + formatShapes(n.args[:2])
	}
	return "keep " + n.dtype.String() + " " + formatShape(n.shape)
}

// explain writes the loops, the operands and the kernels of a pass.
func (p *Plan) explain(text *strings.Builder, j *job) {
	if j.program == nil {
		if j.keeps[0].kind == nodeMatmul {
			j.keeps[0].explainMatmul(text)
		}
		return
	}
	nest, names := p.nest(j)
	tiled := nest.Tile()
	how := fmt.Sprintf("%v, the innermost last, in blocks of %d elements", nest.Sizes, j.program.SmallBlockElems())
	if tiled {
		how += ", in tiles of the two innermost"
	}
	fmt.Fprintf(text, "  loops:  %s\n", how)
	for k, name := range names {
		verb := "reads: "
		if k >= len(j.leaves) {
			verb = "writes:"
		}
		fmt.Fprintf(text, "  %s %s, %s\n", verb, name, walked(&nest, k))
	}
	for line := range strings.Lines(j.program.String()) {
		text.WriteString("    " + line)
	}
	fmt.Fprintf(text, "  code:   %s\n", p.backend(j, &nest))
}

// backend says what computes the elements of a pass.
func (p *Plan) backend(j *job, nest *plan.Nest) string {
	inputs := make([]machine.Input, len(j.leaves))
	for k := range inputs {
		inputs[k] = machine.Input{Inner: nest.Inner(k), Outer: nest.Outer(k)}
	}
	w := p.opts.Backend.program(j.program, nest.NumElems()).NewWorker(inputs, nil)
	if nest.NumElems() > 0 && len(j.keeps) > 0 && j.keeps[0].kind == nodeReduce {
		return p.reduceBackend(j, w.Backend())
	}
	return w.Backend()
}

// reduceBackend is backend of a pass that reduces what elements computes.
func (p *Plan) reduceBackend(j *job, elements string) string {
	spec := reduce.Spec{Shape: j.shape, Axes: j.keeps[0].reduce.axes, Program: p.opts.Backend.program(j.program, numElems(j.shape))}
	for _, a := range j.leaves {
		strides := a.layout.Strides()
		for axis := range strides {
			strides[axis] *= a.dtype.Size()
		}
		spec.Layouts = append(spec.Layouts, plan.Operand{Strides: strides, ElemSize: a.dtype.Size()})
		operand := exec.Operand{}
		if a.gen != nil {
			operand.Fill = fill(a.gen, 0, a.dtype.Size())
		}
		spec.Inputs = append(spec.Inputs, operand)
	}
	for i, n := range j.keeps {
		spec.Reductions = append(spec.Reductions, j.reduction(i, n))
	}
	engine, err := reduce.New(spec)
	if err != nil {
		return elements
	}
	if sums := engine.Backend(); sums != "" {
		return sums
	}
	return elements
}

// walked says how operand k lies along the innermost axis.
func walked(n *plan.Nest, k int) string {
	switch inner, size := n.Inner(k), n.ElemSizes[k]; inner {
	case size:
		return "contiguous"
	case 0:
		return "repeated"
	default:
		return fmt.Sprintf("in steps of %d bytes", inner)
	}
}

// nest returns the order in which a pass walks its operands, and what each of them is. Destinations that are not
// there yet will be in C order.
func (p *Plan) nest(j *job) (plan.Nest, []string) {
	var operands []plan.Operand
	var names []string
	add := func(l view.Layout, elemSize int, format string, args ...any) {
		strides := l.Strides()
		for axis := range strides {
			strides[axis] *= elemSize
		}
		operands = append(operands, plan.Operand{Strides: strides, ElemSize: elemSize})
		names = append(names, fmt.Sprintf(format, args...))
	}
	for _, a := range j.leaves {
		size := a.dtype.Size()
		add(a.layout, size, "%s %v, %s", a.title(), a.dtype, formatBytes(int64(touched(a.layout)*size)))
	}
	lead := -1
	for _, t := range p.targetsOf(j) {
		lead = len(j.leaves)
		add(t.layout, t.dtype.Size(), "%s %v, %s", t.name, t.dtype, formatBytes(int64(t.layout.NumElems()*t.dtype.Size())))
	}
	return plan.New(j.shape, operands, lead), names
}

// title names an input.
func (a leaf) title() string {
	switch {
	case a.name != "":
		return quoteName(a.name)
	case a.gen != nil:
		return "generated"
	case a.kept != nil:
		return "kept"
	}
	return "tensor"
}

// targetsOf returns where the outputs of an element-wise pass go, as far as that is known.
func (p *Plan) targetsOf(j *job) []leaf {
	var targets []leaf
	for _, i := range j.stores {
		out := &p.outputs[i]
		l, t := whole(out.Shape), out.DType
		if out.Dst != nil {
			l, t = out.Dst.Layout(), out.Dst.DType()
		}
		l, _ = l.Reshape(j.shape...) // which it takes
		targets = append(targets, leaf{dtype: t, layout: l, name: out.Target})
	}
	for _, n := range j.keeps {
		if !n.isKept() {
			targets = append(targets, leaf{dtype: n.dtype, layout: whole(n.shape), name: "kept"})
		}
	}
	for k := range targets {
		if targets[k].name == "" {
			targets[k].name = "result"
		}
	}
	return targets
}

// whole returns the C-order layout of a shape that a node has, which has been checked.
func whole(shape []int) view.Layout {
	l, err := view.NewLayout(shape...)
	if err != nil {
		panic("BUG: compute: " + err.Error())
	}
	return l
}

// bytes returns the size of what the program of a pass reads.
func (j *job) bytes() int64 {
	var n int64
	for _, a := range j.leaves {
		if a.gen == nil {
			n += int64(touched(a.layout)) * int64(a.dtype.Size())
		}
	}
	return n
}

// cost predicts what the plan takes.
func (p *Plan) cost() cost {
	var total cost
	registers := int64(0)
	for _, j := range p.passes {
		total.read += j.bytes()
		for _, t := range p.targetsOf(j) {
			total.written += int64(t.layout.NumElems() * t.dtype.Size())
		}
		for _, n := range j.keeps {
			bytes := int64(numElems(n.shape) * n.dtype.Size())
			_, direct := p.direct[n]
			switch {
			case direct:
				total.written += bytes
			case !n.isKept() && p.opts.Scratch != nil:
				total.scratch += bytes
			default:
				total.memory += bytes
			}
			if n.kind == nodeBulk {
				registers = max(registers, p.opts.bulkMemory(n))
			}
			if n.kind == nodeMatmul {
				read, memory := p.matmulCost(n)
				total.read += read
				registers = max(registers, memory)
			} else if j.program == nil {
				total.read += int64(numElems(n.args[0].shape) * n.args[0].dtype.Size())
			}
		}
		if j.program != nil {
			registers = max(registers, int64(p.opts.Parallelism)*j.program.RegisterBytes())
		}
	}
	for i := range p.outputs {
		if out := &p.outputs[i]; (out.Dst == nil && !out.Elsewhere || slices.Contains(p.owned, out.Dst)) && !out.Replaced {
			total.memory += int64(numElems(out.Shape) * out.DType.Size())
		}
	}
	total.memory += registers
	return total
}
