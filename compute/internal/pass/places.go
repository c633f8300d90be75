package pass

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A used tensor is one that a pass reads or writes, and what a message calls it.
type used struct {
	*view.Tensor
	name string
}

// isOnDevice reports whether the tensor is not in host memory.
func (u used) isOnDevice() bool { return u.Storage().Place() != mmapstore.CPU }

// checkPlaces returns an error that wraps mmapstore.ErrPlace if a pass uses a tensor on a device,
// and that device does not compute the pass.
func (p *Plan) checkPlaces() error {
	for _, pr := range p.passes {
		if !p.hasResident(pr) {
			continue
		}
		because := ""
		for _, u := range p.uses(pr) {
			if !u.isOnDevice() {
				continue
			}
			if err := p.reaches(u); err != nil {
				return err
			}
			if because == "" {
				because = p.uncovered(pr)
			}
			if because := cmp.Or(pr.makes(u.Tensor), because); because != "" {
				return fmt.Errorf("%s is on %v, and what is done with it takes its elements from host memory (%s): copy it to host memory with view.Copy: %w",
					u.name, u.Storage().Place(), because, mmapstore.ErrPlace)
			}
		}
	}
	return nil
}

// reaches returns an error unless the device of the plan can use a tensor that is on a device.
func (p *Plan) reaches(u used) error {
	place, engine := u.Storage().Place(), p.opts.Engine
	if engine == nil || engine.Place() != place {
		where := mmapstore.CPU
		if engine != nil {
			where = engine.Place()
		}
		return fmt.Errorf("%s is on %v, and the plan computes on %v: copy it to host memory with view.Copy, or compute with Options.Device of %v: %w",
			u.name, place, where, place, mmapstore.ErrPlace)
	}

	pin, _, err := engine.Pin(u.Tensor)
	if err != nil {
		return fmt.Errorf("%s: %w", u.name, err)
	}
	pin.Unpin()
	return nil
}

// uncovered returns what the CPU does in a pass, or why it does the pass; "" if the device does all of
// it: element-wise passes and reductions that there is code for, products, and moves of parts of
// arrays.
func (p *Plan) uncovered(pr *passRun) (because string) {
	var err error
	switch engine := p.opts.Engine; {
	case pr.program != nil && graph.NumElems(pr.shape) == 0:
	case isElementwise(pr):
		nest, _ := p.nest(pr, func(name string) string { return name })
		err = engine.Covers(pr.program, &nest, p.operands(pr), len(pr.leaves))
	case pr.keeps[0].Kind == graph.NodeReduce:
		var job *reduce.Engine
		if job, err = reduce.New(p.reduceSpec(pr)); err == nil {
			err = engine.CoversReduction(job)
		}
	case pr.keeps[0].Kind == graph.NodeMatmul:
	default:
		if _, moves := pr.keeps[0].Bulk.(*graph.Relocating); !moves {
			return pr.keeps[0].Describe()
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// operands returns those of a pass that stores elements, as far as they are known: where they are on
// the device, and what is generated.
func (p *Plan) operands(pr *passRun) (all []exec.Operand) {
	for _, a := range pr.leaves {
		all = append(all, p.operand(a))
	}
	for _, i := range pr.stores {
		out := exec.Operand{}
		if t := p.statement(i).Out; t != nil {
			out = p.resident(t, t.Offset())
		}
		all = append(all, out)
	}
	for _, n := range pr.keeps {
		all = append(all, p.keptOperand(n, 0))
	}
	return all
}

// operand returns an input of a pass.
func (p *Plan) operand(a leaf) exec.Operand {
	if a.gen != nil {
		return exec.Operand{Fill: fill(a.gen, a.layout.Offset(), a.dtype.Size())}
	}
	if a.join != nil || a.pick != nil {
		return exec.Operand{Fill: func(unsafe.Pointer, int, int) {}} // made on the host
	}
	if a.kept != nil {
		return p.keptOperand(a.kept, a.layout.Offset()*a.dtype.Size())
	}
	return p.resident(a.tensor, a.layout.Offset())
}

// keptOperand returns where the bytes of a kept node are from some on, if that may be on the device:
// at any address that one may have.
func (p *Plan) keptOperand(n *graph.Node, from int) exec.Operand {
	const blocks = 256 // what addresses of blocks are multiples of
	if !p.staying.may[n] {
		return exec.Operand{}
	}
	return exec.Operand{Address: uint64(blocks + from)}
}

// resident returns where elements of a tensor are on the device, from a number on. It is no address
// for other tensors.
func (p *Plan) resident(t *view.Tensor, from int) exec.Operand {
	if t == nil || p.opts.Engine == nil || t.Storage().Place() == mmapstore.CPU {
		return exec.Operand{}
	}
	pin, address, err := p.opts.Engine.Pin(t)
	if err != nil {
		return exec.Operand{}
	}
	pin.Unpin()
	return exec.Operand{Address: address + uint64(from*t.DType().Size())}
}

// makes says what a pass makes of the elements of a tensor on the host, before a program has them; ""
// for nothing.
func (pr *passRun) makes(t *view.Tensor) (what string) {
	pr.parts(func(of, part leaf) {
		if part.tensor == t && of.join != nil {
			what = "concatenate"
		} else if part.tensor == t {
			what = "pick by indexes"
		}
	})
	return what
}

// parts calls fn for what each join and each pick of a pass is made of, on the host.
func (pr *passRun) parts(fn func(of, part leaf)) {
	for _, a := range pr.leaves {
		if a.join != nil || a.pick != nil {
			a.each(func(part leaf) { fn(a, part) })
		}
	}
}

// isElementwise reports whether a pass stores what its program computes.
func isElementwise(pr *passRun) bool {
	return pr.program != nil && (len(pr.keeps) == 0 || !pr.keeps[0].IsKept())
}

// uses returns the tensors that a pass reads, and those that were set for it to write.
func (p *Plan) uses(pr *passRun) (all []used) {
	read := func(t *view.Tensor, name string) {
		if name == "" {
			all = append(all, used{t, "a tensor"})
		} else {
			all = append(all, used{t, fmt.Sprintf("tensor %q", name)})
		}
	}
	for _, a := range pr.leaves {
		a.each(func(a leaf) {
			if a.tensor != nil {
				read(a.tensor, a.name)
			}
		})
	}
	if pr.program == nil {
		for _, n := range pr.keeps[0].Args {
			for n.Kind == graph.NodeView {
				n = n.Args[0]
			}
			if n.Kind == graph.NodeTensor {
				read(n.Tensor, n.Name)
			}
		}
	}

	// Statements that have no destination yet make one.
	for _, i := range p.stored(pr) {
		if t := p.statement(i).Out; t != nil {
			all = append(all, used{t, fmt.Sprintf("the destination of statement %d", i)})
		}
	}
	return all
}

// hasResident reports whether a pass uses a tensor on a device.
func (p *Plan) hasResident(pr *passRun) bool { return slices.ContainsFunc(p.uses(pr), used.isOnDevice) }
