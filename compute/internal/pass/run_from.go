package pass

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/view"
)

// RunFrom is run from a checkpoint on that an earlier run of an equal plan has told, over the same
// elements. A checkpoint of another plan, and a state that can't be read, is the beginning of all,
// or of the pass.
func (p *Plan) RunFrom(ctx context.Context, at Checkpoint, marks Checkpoints) error {
	if p.closed {
		return ErrClosed
	}
	if plan := p.fingerprint(); at.Plan != plan || at.Pass < 0 || at.Pass > len(p.passes) {
		at = Checkpoint{Plan: plan}
	}

	// Passes before the checkpoint have left their results in the destinations, or run again.
	r := &run{plan: p, ctx: ctx, marks: &marking{Checkpoints: marks, begin: at}}
	defer r.close()
	p.adopt(at.Pass)
	again := p.leftovers(at.Pass)

	// The others run, and tell how far they are from the checkpoint on.
	for i, pr := range p.passes {
		if i < len(again) && !again[i] {
			continue
		}
		r.marks.on = i >= at.Pass
		if err := r.marked(i, pr); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// adopt takes the results of passes that are done for what these have kept.
func (p *Plan) adopt(passes int) {
	for _, pr := range p.passes[:passes] {
		for _, n := range pr.keeps {
			if i, direct := p.direct[n]; direct && p.statement(i).Out != nil {
				if p.kept == nil {
					p.kept = map[*graph.Node]*view.Tensor{}
				}
				p.kept[n] = p.statement(i).Out
			}
		}
	}
}

// marking is the state of a run that reports its progress.
type marking struct {
	Checkpoints
	begin Checkpoint // where the run begins
	on    bool       // whether the pass is one to tell about
	bytes int64      // of results of passes that are done
	gone  int64      // bytes since the last call of Reached
}

// marked runs one pass, from where the run begins if that is in it.
func (r *run) marked(i int, pr *passRun) error {
	k := r.marks
	results := r.plan.resultBytes(pr)
	if !k.on {
		return r.runPass(i, pr)
	}

	// The bytes of earlier passes count as done.
	if k.bytes == 0 {
		for _, done := range r.plan.passes[:i] {
			k.bytes += r.plan.resultBytes(done)
		}
	}

	// Passes that store elements begin anywhere; others go on by their steps, or begin anew.
	var err error
	if len(pr.stores) > 0 && len(pr.keeps) == 0 {
		r.begin(i)
		first := k.first(i, graph.NumElems(pr.shape), 0)
		if err = r.checkIndexes(pr, false); err == nil {
			err = r.taken(pr, func() error { return r.storeFrom(pr, first) })
		}
		if err != nil {
			err = fmt.Errorf("pass %d of %d: %w", i+1, len(r.plan.passes), err)
		}
	} else {
		err = r.runPass(i, pr)
	}
	if err != nil || results == 0 {
		return err
	}

	// A pass that has stored results is a checkpoint.
	k.bytes += results
	return r.reached(Checkpoint{Pass: i + 1, Bytes: k.bytes}, pr)
}

// reached tells that all before a checkpoint is done.
func (r *run) reached(at Checkpoint, pr *passRun) error {
	at.Plan = r.marks.begin.Plan
	r.marks.gone = 0
	return r.marks.Reached(at, r.plan.stored(pr))
}

// first returns how much of a pass is done already, if that can be used.
func (k *marking) first(pass, of, grain int) int {
	if at := &k.begin; at.Pass == pass && at.Of == of && at.Grain == grain && 0 <= at.Done && at.Done <= of {
		return at.Done
	}
	return 0
}

// storeFrom stores what an element-wise pass stores, from element number first on in C order.
func (r *run) storeFrom(pr *passRun, first int) error {
	targets, err := r.targets(pr)
	if err != nil {
		return err
	}
	size, each := 1, 0
	for _, t := range targets {
		size = max(size, t.DType().Size())
		each += t.DType().Size()
	}
	stored := r.telling(pr, first, graph.NumElems(pr.shape), each)
	if t, files, ok := r.inTiles(pr, targets); ok {
		r.choose(pr, first, t.bands.count*t.perBand())
		return r.fillTiles(pr, t, files, targets, first, stored)
	}
	b := newBoxes(pr.shape, r.plan.pieceBytes()/size)
	r.choose(pr, first, b.count)
	return r.fillBoxes(pr, b, targets, first, stored)
}

// telling returns a function that reports progress from time to time. It is called with the number
// of finished elements of a pass, of all its elements. each is the bytes stored for one element.
func (r *run) telling(pr *passRun, first, all, each int) func(n int) error {
	last := first
	return func(n int) error {
		k := r.marks
		k.gone += int64(n-last) * int64(each)
		last = n
		if k.gone < k.Span() || n == all {
			return nil
		}
		return r.reached(Checkpoint{Pass: r.pass, Done: n, Of: all, Bytes: k.bytes + int64(n)*int64(each)}, pr)
	}
}
