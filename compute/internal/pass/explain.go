package pass

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/view"
)

// A cost is the bytes that a pass or a plan reads and writes, and the memory that it takes beside
// the operands.
type cost struct {
	read, written int64 // bytes of operands, each counted once a pass
	memory        int64 // bytes of registers, of what is kept between passes and of results without a destination
	scratch       int64 // bytes of operands that are copied to Options.Scratch
	staying       int64 // bytes of what is kept between passes on the device
}

// A measurement holds the figures of a run.
type measurement struct {
	elapsed time.Duration
	memory  int64 // bytes of private memory at its highest, above those at the start
}

// Explain describes the plan: the typed trees of its statements, and for each pass the order in
// which elements are walked, the operands that are read and written, and the kernels. It gives the
// predicted bytes and memory, and after a run the measured ones. Names are written as quote returns
// them.
func (p *Plan) Explain(quote func(name string) string) string {
	var text strings.Builder
	for i := range p.program.Statements {
		st := &p.program.Statements[i]
		if st.Target != "" {
			fmt.Fprintf(&text, "%s%v = ", quote(st.Target), st.Chain)
		}
		st.Value.Print(&text, quote)
	}

	// Then each pass.
	total := p.cost()
	for i, pr := range p.passes {
		fmt.Fprintf(&text, "pass %d of %d: %s\n", i+1, len(p.passes), p.purpose(pr, quote))
		p.explainPass(&text, pr, quote)
	}

	// And what they take.
	fmt.Fprintf(&text, "predicted: reads %s, writes %s, peak memory %s",
		graph.FormatBytes(total.read), graph.FormatBytes(total.written), graph.FormatBytes(total.memory))
	if total.scratch > 0 {
		fmt.Fprintf(&text, ", scratch %s", graph.FormatBytes(total.scratch))
	}
	if total.staying > 0 {
		fmt.Fprintf(&text, ", kept on %v %s", p.opts.Engine.Place(), graph.FormatBytes(total.staying))
	}
	text.WriteByte('\n')
	if m := p.measured; m != nil {
		rate := float64(total.read+total.written) / max(m.elapsed.Seconds(), 1e-9)
		fmt.Fprintf(&text, "measured:  %v, %s/s, peak memory %s\n", m.elapsed.Round(time.Microsecond), graph.FormatBytes(int64(rate)), graph.FormatBytes(m.memory))
		text.WriteString(p.checked())
	}
	return text.String()
}

// checked says how much of what the device has computed the CPU has computed as well.
func (p *Plan) checked() string {
	e := p.opts.Engine
	if e == nil || e.CheckShare <= 0 {
		return ""
	}
	checked, parts := e.Checked()
	return fmt.Sprintf("checked:   the CPU computed %s of %s parts of what %v computes as well\n", humanize.Comma(checked), humanize.Comma(parts), e.Place())
}

// purpose says what a pass is for.
func (p *Plan) purpose(pr *passRun, quote func(string) string) string {
	var parts []string
	for _, i := range pr.stores {
		parts = append(parts, "store "+outputTitle(p.statement(i), quote))
	}
	for _, n := range pr.keeps {
		if i, ok := p.direct[n]; ok {
			stored := "store " + n.Describe() + " as " + outputTitle(p.statement(i), quote)
			if where := p.placeOf(n); where != "" {
				stored += ", also" + where
			}
			parts = append(parts, stored)
			continue
		}
		parts = append(parts, n.Describe()+p.placeOf(n))
	}
	return strings.Join(parts, ", ")
}

// outputTitle names what a statement stores.
func outputTitle(st *graph.Statement, quote func(string) string) string {
	if st.Target == "" {
		return "the result"
	}
	return quote(st.Target)
}

// explainPass writes the loops, the operands and the kernels of a pass.
func (p *Plan) explainPass(text *strings.Builder, pr *passRun, quote func(string) string) {
	if pr.program == nil {
		if pr.keeps[0].Kind == graph.NodeMatmul {
			p.explainMatmul(text, pr, quote)
		}
		return
	}

	// The loops are the ones of a run.
	nest, names := p.nest(pr, quote)
	tiled := nest.Tile()
	how := fmt.Sprintf("%v, the innermost last, in blocks of %d elements", nest.Sizes, pr.program.SmallBlockElems())
	if tiled {
		how += ", in tiles of the two innermost"
	}
	fmt.Fprintf(text, "  loops:  %s\n", how)

	// Each operand, and how it lies along the innermost axis.
	for k, name := range names {
		verb := "reads: "
		if k >= len(pr.leaves) {
			verb = "writes:"
		}
		fmt.Fprintf(text, "  %s %s, %s\n", verb, name, walked(&nest, k))
	}
	for line := range strings.Lines(pr.program.String()) {
		text.WriteString("    " + line)
	}
	fmt.Fprintf(text, "  code:   %s\n", p.backend(pr, &nest))
}

// backend says what computes the elements of a pass.
func (p *Plan) backend(pr *passRun, nest *plan.Nest) string {
	inputs := make([]machine.Input, len(pr.leaves))
	for k := range inputs {
		inputs[k] = machine.Input{Inner: nest.Inner(k), Outer: nest.Outer(k)}
	}
	w := p.opts.Code.program(pr.program, nest.NumElems()).NewWorker(inputs, nil)
	if nest.NumElems() > 0 && len(pr.keeps) > 0 && pr.keeps[0].Kind == graph.NodeReduce {
		return p.reduceBackend(pr, w.Backend())
	}
	return p.elementsBackend(pr, nest, w.Backend())
}

// elementsBackend is backend of a pass that stores elements, which cpu computes if there is no
// device for them. Where either may, all that was compared follows, or will be.
func (p *Plan) elementsBackend(pr *passRun, nest *plan.Nest, cpu string) string {
	e := p.opts.Engine
	if e == nil || len(pr.keeps) > 0 && pr.keeps[0].IsKept() {
		return cpu
	}
	resident := p.hasResident(pr) || slices.ContainsFunc(append(pr.kept(), pr.keeps...), func(n *graph.Node) bool { return p.placeOf(n) != "" })
	what, ok := e.Explain(pr.program, nest, resident)
	switch {
	case !ok:
		return what + "; " + cpu
	case e.Auto == nil || resident:
		return what
	}
	choice := ""
	if pr.choice != nil {
		choice = pr.choice.String()
	} else {
		choice = e.Predict(pr.program, nest)
	}
	return fmt.Sprintf("%s; %s\n  device: %s", what, cpu, choice)
}

// reduceBackend is backend of a pass that reduces what elements computes.
func (p *Plan) reduceBackend(pr *passRun, elements string) string {
	engine, err := reduce.New(p.reduceSpec(pr))
	if err != nil {
		return elements
	}
	if sums := engine.Backend(); sums != "" {
		elements = sums
	}
	if p.opts.Engine == nil || p.opts.Engine.Auto != nil && !p.hasResident(pr) { // which leaves reductions to the CPU
		return elements
	}
	what, ok := p.opts.Engine.ExplainReduction(engine)
	if !ok {
		what += "; " + elements
	}
	return what
}

// reduceSpec returns what a pass reduces, without places for results.
func (p *Plan) reduceSpec(pr *passRun) reduce.Spec {
	spec := reduce.Spec{Shape: pr.shape, Axes: pr.keeps[0].Reduce.Axes, Program: p.opts.Code.program(pr.program, graph.NumElems(pr.shape))}
	for _, a := range pr.leaves {
		strides := a.layout.Strides()
		for axis := range strides {
			strides[axis] *= a.dtype.Size()
		}
		spec.Layouts = append(spec.Layouts, plan.Operand{Strides: strides, ElemSize: a.dtype.Size()})
		spec.Inputs = append(spec.Inputs, p.operand(a))
	}
	for i, n := range pr.keeps {
		spec.Reductions = append(spec.Reductions, pr.reduction(i, n))
	}
	return spec
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

// nest returns the order in which a pass walks its operands, and a description of each operand.
// Destinations that do not exist yet will be in C order.
func (p *Plan) nest(pr *passRun, quote func(string) string) (plan.Nest, []string) {
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

	// Inputs come first, then outputs. The first output leads the walk.
	for _, a := range pr.leaves {
		size := a.dtype.Size()
		add(a.layout, size, "%s%s %v, %s", a.title(quote), p.placeOf(a.kept), a.dtype, graph.FormatBytes(int64(graph.Touched(a.layout)*size)))
	}
	lead := -1
	for _, t := range p.targetsOf(pr) {
		lead = len(pr.leaves)
		add(t.layout, t.dtype.Size(), "%s %v, %s", t.name, t.dtype, graph.FormatBytes(int64(t.layout.NumElems()*t.dtype.Size())))
	}
	return plan.New(pr.shape, operands, lead), names
}

// title names an input.
func (a leaf) title(quote func(string) string) string {
	switch {
	case a.name != "":
		return quote(a.name)
	case a.gen != nil:
		return "generated"
	case a.join != nil:
		return a.join.title(quote)
	case a.pick != nil:
		return a.pick.source.title(quote) + " by indexes"
	case a.kept != nil:
		return "kept"
	}
	return "tensor"
}

// targetsOf returns where the outputs of an element-wise pass go, as far as that is known.
func (p *Plan) targetsOf(pr *passRun) []leaf {
	var targets []leaf
	for _, i := range pr.stores {
		st := p.statement(i)
		l, t := graph.Whole(st.Value.Shape), st.DType
		if st.Out != nil {
			l, t = st.Out.Layout(), st.Out.DType()
		}
		l, _ = l.Reshape(pr.shape...) // which it takes
		targets = append(targets, leaf{dtype: t, layout: l, name: st.Target})
	}

	// Nodes that are kept in C order follow.
	for _, n := range pr.keeps {
		if !n.IsKept() {
			targets = append(targets, leaf{dtype: n.DType, layout: graph.Whole(n.Shape), name: "kept" + p.placeOf(n)})
		}
	}
	for k := range targets {
		if targets[k].name == "" {
			targets[k].name = "result"
		}
	}
	return targets
}

// bytes returns the size of what the program of a pass reads.
func (pr *passRun) bytes() int64 {
	var n int64
	for _, a := range pr.leaves {
		if a.gen == nil { // of a join, all that is read of it
			n += int64(graph.Touched(a.layout)) * int64(a.dtype.Size())
		}
	}
	return n
}

// cost predicts what the plan takes.
func (p *Plan) cost() cost {
	var total cost
	registers := int64(0)
	for _, pr := range p.passes {
		total.read += pr.bytes()
		for _, t := range p.targetsOf(pr) {
			total.written += int64(t.layout.NumElems() * t.dtype.Size())
		}

		// What is kept takes memory, scratch, or room that a statement has.
		for _, n := range pr.keeps {
			bytes := int64(graph.NumElems(n.Shape) * n.DType.Size())
			_, direct := p.direct[n]
			if p.placeOf(n) != "" {
				total.staying += bytes
			}
			switch {
			case direct:
				total.written += bytes
			case p.placeOf(n) != "":
			case !n.IsKept() && p.opts.Scratch != nil:
				total.scratch += bytes
			default:
				total.memory += bytes
			}

			if n.Kind == graph.NodeBulk {
				registers = max(registers, p.opts.BulkMemory(n))
			}
			if n.Kind == graph.NodeMatmul {
				read, memory := p.matmulCost(n)
				total.read += read
				registers = max(registers, memory)
			} else if pr.program == nil {
				total.read += int64(graph.NumElems(n.Args[0].Shape) * n.Args[0].DType.Size())
			}
		}

		if pr.program != nil {
			registers = max(registers, int64(p.opts.Parallelism)*pr.program.RegisterBytes())
		}
	}

	// Results without a destination are made in memory.
	for i := range p.program.Statements {
		if st := p.statement(i); (st.Out == nil && !st.Elsewhere || slices.Contains(p.owned, st.Out)) && !st.Replaced {
			total.memory += int64(graph.NumElems(st.Value.Shape) * st.DType.Size())
		}
	}

	total.memory += registers
	return total
}
