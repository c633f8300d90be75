package pass

import (
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/view"
)

// A span is the part of a pass that runs as a whole, from one share of its elements to another.
type span struct{ from, to float64 }

// whole returns how many bytes the whole has of which a part has n. A nil span is the whole.
func (s *span) whole(n int64) int64 {
	if s == nil {
		return n
	}
	return int64(float64(n) / (s.to - s.from))
}

// choose begins the choice between the device and the CPU for a pass, of which the elements before
// number first are done, and which runs in some parts. There is none where it does not pay.
func (r *run) choose(pr *passRun, first, parts int) {
	pr.choice = nil
	if !r.chooses() || r.plan.hasResident(pr) {
		return
	}
	nest, _ := r.plan.nest(pr, func(name string) string { return name })
	r.choice = r.plan.opts.Engine.Choose(pr.program, &nest, first, parts)
	pr.choice = r.choice
}

// sampled stores the outputs of a program in targets, along one axis: first what the CPU computes as
// samples, each twice as long as the one before, and then the rest.
func (r *run) sampled(pr *passRun, targets []*view.Tensor) error {
	axis := longAxis(pr.shape)
	length := pr.shape[axis]
	each := graph.NumElems(pr.shape) / length
	r.bytes = pr.bytes()
	for _, t := range targets {
		r.bytes += t.NumBytes()
	}

	defer func() { r.span, r.bytes = nil, 0 }()
	for at := 0; at < length; {
		n := length - at
		if !r.choice.Made() {
			n = min(n, max(r.choice.Next()/each, 1))
		}
		ix := make(view.Index, axis+1)
		for k := range ix {
			ix[k] = view.All()
		}
		ix[axis] = view.Span(at, at+n)
		r.span = &span{float64(at) / float64(length), float64(at+n) / float64(length)}
		if err := r.fillPart(pr, ix, targets); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// longAxis returns the axis that is cut for samples: the first one that can be cut finely, or else
// the longest.
func longAxis(shape []int) int {
	const finely = 64
	longest := 0
	for axis, n := range shape {
		if n >= finely {
			return axis
		}
		if n > shape[longest] {
			longest = axis
		}
	}
	return longest
}

// timed calls compute, which has some elements of the pass computed, and tells the choice how long
// that took.
func (r *run) timed(elems int, compute func() error) error {
	if r.choice == nil || r.choice.Made() {
		return compute()
	}
	now := r.plan.opts.Engine.Auto.Now
	start := now()
	if err := compute(); err != nil {
		return err
	}
	r.choice.Sampled(r.ctx, elems, now().Sub(start))
	return nil
}
