package pass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/compute/internal/stream"
)

// progressEvery is the time between two calls of Options.Progress.
const progressEvery = 50 * time.Millisecond

// aloneBytes is the size of a pass up to which one worker does it: starting another takes longer.
const aloneBytes = 256 << 10

// A run is one call of run, or of what else computes a plan.
type run struct {
	plan *Plan
	ctx  context.Context
	pass int

	few int // workers of a bulk that have no room for more; 0 if there are as many as the plan has

	// Of a pass that is run in parts, for which somebody else reads ahead: how many there are, the
	// one that runs, and the bytes of all of them. parts is 0 for a pass that is run as a whole.
	part, parts int
	bytes       int64
	span        *span // of a pass that is run as a whole, part after part: the part that runs; else nil

	begun  bool // elements may have been stored
	stored bool // also of the pass

	choice *offload.Choice // of the pass between the device and the CPU; nil if there is none

	marks *marking // of a run that tells how far it is, else nil

	stop    atomic.Bool  // set when ctx ends, if watched
	unwatch func() bool  // nil before watch
	done    atomic.Int64 // chunks of the pass
	mu      struct {
		sync.Mutex
		reported   time.Time
		base, peak int64 // bytes of private memory, at the start of the first large pass and at its highest
	}
}

// Run computes the plan. Destinations that were not set are made.
func (p *Plan) Run(ctx context.Context) error {
	if p.closed {
		return ErrClosed
	}
	r := p.spare
	if p.spare = nil; r == nil {
		r = &run{}
	}
	*r = run{plan: p, ctx: ctx}
	p.untouched = false

	// The passes run one after the other: later ones read what earlier ones keep.
	defer r.close()
	start := time.Now()
	if err := r.checkAhead(); err != nil {
		return err
	}
	for i, pr := range p.passes {
		if err := r.runPass(i, pr); err != nil {
			_, refused := errors.AsType[*refusal](err)
			p.untouched = refused && i == 0 && !r.begun
			return err
		}
	}

	// Keep the figures of the run for Explain.
	if p.measured == nil {
		p.measured = &measurement{}
	}
	*p.measured = measurement{elapsed: time.Since(start), memory: r.mu.peak - r.mu.base}

	// The run serves again unless a context may still set its flag.
	if r.unwatch == nil {
		r.ctx, p.spare = nil, r // nobody else knows it
	}
	return nil
}

// IsUntouched reports whether Run has failed before it stored anything, because the device did not
// take the work. Destinations are as they were.
func (p *Plan) IsUntouched() bool { return p.untouched }

// runPass runs one pass, for which no room is made once ctx has ended.
func (r *run) runPass(i int, pr *passRun) error {
	r.begin(i)
	err := r.ctx.Err()
	if err == nil {
		err = r.checkIndexes(pr, false)
	}
	if err == nil {
		err = r.taken(pr, func() error { return r.perform(pr) })
	}
	if err != nil {
		return fmt.Errorf("pass %d of %d: %w", i+1, len(r.plan.passes), err)
	}
	return nil
}

// Watch returns a flag that is set when ctx ends.
func (r *run) Watch() *atomic.Bool {
	if r.unwatch == nil {
		r.unwatch = context.AfterFunc(r.ctx, func() { r.stop.Store(true) })
	}
	return &r.stop
}

func (r *run) close() {
	if r.unwatch != nil {
		r.unwatch()
	}
}

// observeLocked notes how much memory is in use.
func (r *run) observeLocked() {
	now := privateBytes()
	if r.mu.base == 0 {
		r.mu.base = now
	}
	r.mu.peak = max(r.mu.peak, now)
}

// begin starts counting for a pass.
func (r *run) begin(pass int) {
	r.pass, r.choice, r.stored = pass, nil, false
	r.done.Store(0)
}

// A Chunked job says which bytes its chunks touch.
type Chunked interface {
	exec.Job
	// Extent returns the bytes [lo, hi) of an operand that a chunk touches, and those between them,
	// counted from the address of the operand.
	Extent(operand, chunk int) (lo, hi int)
}

// A crewed job says how many workers it has.
type crewed interface{ Workers() int }

// Workers returns how many workers the chunks of a job have, unless the job says it.
func (r *run) Workers() int { return cmp.Or(r.few, r.plan.opts.Parallelism) }

// Exec runs the chunks of a job over memory.
func (r *run) Exec(m *Memory, j Chunked) error { return r.execRange(m, j, 0, j.NumChunks()) }

// execRange runs the chunks [first, end) of a job over memory.
func (r *run) execRange(m *Memory, j Chunked, first, end int) error {
	r.begun, r.stored = true, true
	chunks := int64(j.NumChunks())
	o := exec.Options{Parallelism: r.Workers(), Storages: m.Storages, First: first, End: end}
	if c, ok := j.(crewed); ok {
		o.Parallelism = c.Workers()
	}
	if m.Bytes <= aloneBytes {
		o.Parallelism = 1
		return exec.Run(r.ctx, j, o)
	}

	// Larger passes tell how far they are.
	r.progress(r.done.Load(), chunks, m.Bytes)
	o.Done = func(int) { r.progress(r.done.Add(1), chunks, m.Bytes) }
	if len(m.files) == 0 || r.parts > 0 {
		return exec.Run(r.ctx, j, o)
	}

	// Those over files have a helper that reads ahead of the workers and writes back behind them.
	bytes := m.Bytes
	if r.span != nil {
		bytes = r.bytes
	}
	s := stream.Start(r.ctx, m.streamed(j, first), end-first, &stream.Options{DropBehind: bytes > r.plan.opts.MemoryLimit, Workers: o.Parallelism})
	o.Before = func(chunk int) error { return s.Wait(chunk - first) }
	o.Failed = func() { _ = s.Close() } // the error is the chunk's, or comes again below
	o.Done = func(chunk int) {
		s.Done(chunk - first)
		r.progress(r.done.Add(1), chunks, m.Bytes)
	}
	err := exec.Run(r.ctx, j, o)
	return cmp.Or(err, s.Close())
}

// streamed returns the operands of a job that lie in files, and the stretches that its chunks from
// first on touch.
func (m *Memory) streamed(j Chunked, first int) []stream.Operand {
	operands := make([]stream.Operand, len(m.files))
	for i, f := range m.files {
		operands[i] = stream.Operand{Storage: f.storage, Write: f.write, Range: func(chunk int) (off, n int64) {
			lo, hi := j.Extent(f.operand, first+chunk)
			if f.span != nil {
				return f.span(lo, hi)
			}
			return f.start + int64(lo), int64(hi - lo)
		}}
	}
	return operands
}

// progress reports how far the pass is, unless that was done a moment ago.
func (r *run) progress(done, chunks, total int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if done < chunks && now.Sub(r.mu.reported) < progressEvery {
		return
	}
	r.mu.reported = now
	r.observeLocked()
	if report := r.plan.opts.Progress; report != nil {
		share := float64(done) / float64(chunks)
		switch {
		case r.parts > 0:
			share, total = (float64(r.part)+share)/float64(r.parts), r.bytes
		case r.span != nil:
			share, total = r.span.from+share*(r.span.to-r.span.from), r.bytes
		}
		report(Progress{Done: int64(float64(total) * share), Total: total, Pass: r.pass + 1, Passes: len(r.plan.passes)})
	}
}
