package pass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/view"
)

// A staying is what a plan keeps in the memory of its device between passes. Nothing depends on it:
// where there is no room, nodes are kept in host memory.
type staying struct {
	may  map[*graph.Node]bool         // what only the device makes and reads
	made map[*graph.Node]*view.Tensor // in the memory of the device
}

// findStaying decides which nodes may stay on the device, where none stays yet.
func (p *Plan) findStaying() {
	if e := p.opts.Engine; e == nil || !e.Keeps() || p.inParts {
		return
	}
	may := map[*graph.Node]bool{}
	for _, pr := range p.passes {
		for _, n := range pr.keeps {
			if p.canStay(n) {
				may[n] = true
			}
		}
	}
	if len(may) == 0 {
		return
	}

	// A pass that the CPU does, or a part of it, has all in host memory, where joins and picks are
	// made, too.
	p.staying.may = may
	var host []*graph.Node
	for _, pr := range p.passes {
		pr.parts(func(_, part leaf) { host = append(host, part.kept) })
		if used := append(pr.kept(), pr.keeps...); p.mayStay(used) && p.uncovered(pr) != "" {
			host = append(host, used...)
		}
	}
	for _, n := range host {
		delete(may, n)
	}
}

// canStay reports whether the device can make a node in its memory: what element-wise passes keep,
// products and moves of parts of arrays. The runs of a product's operand are for the CPU, which
// reads them ahead of files. A move that is stored goes to its destination alone.
func (p *Plan) canStay(n *graph.Node) bool {
	_, direct := p.direct[n]
	return graph.NumElems(n.Shape) > 0 && !p.isRuns(n) && (!n.IsKept() || isMadeOnDevice(n) && (!direct || n.Kind == graph.NodeMatmul))
}

// isRuns reports whether a node is the runs of an operand of a product.
func (p *Plan) isRuns(n *graph.Node) bool {
	return slices.ContainsFunc(p.passes, func(pr *passRun) bool {
		product := len(pr.keeps) > 0 && pr.keeps[0].Kind == graph.NodeMatmul
		return product && (pr.keeps[0].Runs(0) == n || pr.keeps[0].Runs(1) == n)
	})
}

// mayStay reports whether one of some nodes may stay on the device.
func (p *Plan) mayStay(nodes []*graph.Node) bool {
	return slices.ContainsFunc(nodes, func(n *graph.Node) bool { return p.staying.may[n] })
}

// kept returns the nodes whose elements a pass reads from where earlier ones have kept them, and
// maybe others.
func (pr *passRun) kept() (all []*graph.Node) {
	for _, a := range pr.leaves {
		a.each(func(a leaf) {
			if a.kept != nil {
				all = append(all, a.kept)
			}
		})
	}
	for _, n := range pr.keeps {
		if pr.program == nil || isCount(n) {
			for _, arg := range n.Args {
				for arg.Kind == graph.NodeView {
					arg = arg.Args[0]
				}
				all = append(all, arg)
			}
		}
	}
	return all
}

// stay returns a tensor for a node in the memory of the device; nil if the node is to be kept in
// host memory.
func (r *run) stay(n *graph.Node) (*view.Tensor, error) {
	s := &r.plan.staying
	if made := s.made[n]; made != nil || !s.may[n] {
		return made, nil
	}
	st, err := r.plan.opts.Engine.Keep(int64(graph.NumElems(n.Shape)) * int64(n.DType.Size()))
	if st == nil || err != nil {
		return nil, err
	}
	made, err := view.NewTensor(st, n.DType, graph.Whole(n.Shape))
	if err := errors.Join(err, st.Release()); err != nil {
		return nil, err
	}
	if s.made == nil {
		s.made = map[*graph.Node]*view.Tensor{}
	}
	s.made[n] = made
	return made, nil
}

// taken has a pass run. If the device does not take it, and elements stay there, they are moved to
// host memory, and it is tried again.
func (r *run) taken(pr *passRun, perform func() error) error {
	err := perform()
	if r.stored || !isShort(err) {
		return err
	}
	if done, moveErr := r.plan.moveToHost(r.ctx, pr); !done || moveErr != nil {
		return cmp.Or(moveErr, err)
	}
	return perform()
}

// isShort reports whether a device did not take a pass that it may take when less lies there: it has
// too little memory, or there is no code for as many operands there.
func isShort(err error) bool {
	_, refused := errors.AsType[*refusal](err)
	_, full := errors.AsType[*device.MemoryError](err)
	_, none := errors.AsType[*ptx.UnsupportedError](err)
	return refused && (full || none)
}

// moveToHost moves all that stays on the device to host memory, and has nothing stay there. What
// pass pr makes has no elements yet. done is false if there was nothing.
func (p *Plan) moveToHost(ctx context.Context, pr *passRun) (done bool, err error) {
	for n, t := range p.staying.made {
		if err == nil && !slices.Contains(pr.keeps, n) {
			err = p.moveNode(ctx, n, t)
		}
	}
	if err != nil {
		err = fmt.Errorf("move what stays on %v to host memory: %w", p.opts.Engine.Place(), err)
	}
	done = len(p.staying.made) > 0
	return done, errors.Join(err, p.dropStaying())
}

// moveNode keeps a node in host memory, or in the destination that has it, too.
func (p *Plan) moveNode(ctx context.Context, n *graph.Node, from *view.Tensor) error {
	if i, direct := p.direct[n]; direct {
		p.kept[n] = p.statement(i).Out
		return nil
	}
	made, err := p.make(n.DType, n.Shape)
	if err != nil {
		return err
	}
	p.kept[n] = made
	return view.Copy(ctx, made, from)
}

// dropStaying gives back what stays on the device. That the device is lost is no error here: who used
// it was told.
func (p *Plan) dropStaying() (err error) {
	for n, t := range p.staying.made {
		if p.kept[n] == t {
			delete(p.kept, n)
		}
		if closeErr := t.Close(); !errors.Is(closeErr, device.ErrLost) {
			err = errors.Join(err, closeErr)
		}
	}
	p.staying = staying{}
	return err
}

// placeOf says where a node is kept, or may come to be, if that is on the device.
func (p *Plan) placeOf(n *graph.Node) string {
	if p.staying.made[n] != nil || p.kept[n] == nil && p.staying.may[n] {
		return " on " + p.opts.Engine.Place().String()
	}
	return ""
}
