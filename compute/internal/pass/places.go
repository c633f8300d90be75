package pass

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
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

// isOnDevice reports whether an operand is not in host memory.
func (m *Memory) isOnDevice() bool {
	return slices.ContainsFunc(m.Operands, func(o exec.Operand) bool { return o.Address != 0 })
}

// checkPlaces returns an error that wraps mmapstore.ErrPlace if a pass uses a tensor on a device,
// and that device does not compute the pass.
func (p *Plan) checkPlaces() error {
	for _, pr := range p.passes {
		for _, u := range p.uses(pr) {
			if !u.isOnDevice() {
				continue
			}
			if err := p.reaches(pr, u); err != nil {
				return err
			}
		}
	}
	return nil
}

// reaches returns an error unless the pass can use a tensor that is on a device.
func (p *Plan) reaches(pr *passRun, u used) error {
	place, engine := u.Storage().Place(), p.opts.Engine
	if engine == nil || engine.Place() != place {
		where := mmapstore.CPU
		if engine != nil {
			where = engine.Place()
		}
		return fmt.Errorf("%s is on %v, and the plan computes on %v: copy it to host memory with view.Copy, or compute with Options.Device of %v: %w",
			u.name, place, where, place, mmapstore.ErrPlace)
	}

	// The device computes element-wise passes that there is code for, and moves parts of arrays.
	because := ""
	if what := pr.makes(u.Tensor); what != "" {
		because = what
	} else if isElementwise(pr) {
		if err := engine.Covers(pr.program); err != nil {
			because = err.Error()
		}
	} else if _, moves := pr.keeps[0].Bulk.(*graph.Relocating); !moves {
		because = pr.keeps[0].Describe()
	}
	if because != "" {
		return fmt.Errorf("%s is on %v, and what is done with it takes its elements from host memory (%s): copy it to host memory with view.Copy: %w", u.name, place, because, mmapstore.ErrPlace)
	}
	pin, _, err := engine.Pin(u.Tensor)
	if err != nil {
		return fmt.Errorf("%s: %w", u.name, err)
	}
	pin.Unpin()
	return nil
}

// makes says what a pass makes of the elements of a tensor on the host, before a program has them; ""
// for nothing.
func (pr *passRun) makes(t *view.Tensor) (what string) {
	for _, a := range pr.leaves {
		if a.join == nil && a.pick == nil {
			continue
		}
		a.each(func(b leaf) {
			if b.tensor == t && a.join != nil {
				what = "concatenate"
			} else if b.tensor == t {
				what = "pick by indexes"
			}
		})
	}
	return what
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
	for _, i := range pr.stores {
		if t := p.statement(i).Out; t != nil {
			all = append(all, used{t, fmt.Sprintf("the destination of statement %d", i)})
		}
	}
	return all
}

// hasResident reports whether a pass uses a tensor on a device.
func (p *Plan) hasResident(pr *passRun) bool { return slices.ContainsFunc(p.uses(pr), used.isOnDevice) }
