package exec

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/tstore/tstore/mmapstore"
)

// A Job is work in chunks, which workers take in order and finish in any. What a Job computes must
// not depend on which worker takes a chunk.
type Job interface {
	// NumChunks returns the number of chunks.
	NumChunks() int
	// NewWorker returns a worker, which one goroutine uses. Calls do not overlap.
	NewWorker() Worker
}

// A Worker works on one chunk after another.
type Worker interface {
	// Run works on a chunk, for some ten milliseconds at most while its bytes are in memory. It
	// runs under the guard of the storages: a page that can't be had ends it.
	Run(chunk int) error
}

// A Finisher is a Worker that may leave some of the work of its chunks for later, also after
// Options.Done was called for them.
type Finisher interface {
	// Finish does what is left. It is called when there are no more chunks, and none has failed,
	// under the guard.
	Finish() error
}

// A Releaser is a Worker that can do without its memory until the next call of Run.
type Releaser interface {
	// Release is called when there are no more chunks.
	Release()
}

// A Stopper is a Job whose chunks wait for earlier ones.
type Stopper interface {
	// Stop is called if a chunk has failed or will not be run, and when the context ends. Chunks
	// that wait then return, and chunks that run may leave out work.
	Stop()
}

// Options say how a Job is run.
type Options struct {
	Parallelism int                   // goroutines, at least 1
	Storages    []*mmapstore.Storage  // that the workers touch; pinned by the caller
	Done        func(chunk int)       // called after each chunk, by several goroutines at once; may be nil
	Before      func(chunk int) error // called before each chunk, outside the guard, by several goroutines at once; may be nil
	Failed      func()                // called once when a chunk has failed, while others may be in Before; may be nil

	First, End int // run the chunks from First on, before End; End is 0 for all that there are
}

// Run works on the chunks of a job and returns the first error. All its goroutines have ended then.
// If ctx is cancelled, it finishes the chunks that are being worked on and returns the error of
// ctx.
func Run(ctx context.Context, job Job, o Options) error {
	chunks := job.NumChunks()
	if o.End > 0 {
		chunks = min(chunks, o.End)
	}

	workers := min(max(o.Parallelism, 1), chunks-o.First)
	stopper, _ := job.(Stopper)

	// A single worker runs on the calling goroutine. A Stopper is set up as with several: its
	// chunks wait, and must be told when ctx ends.
	if workers <= 1 && stopper == nil {
		worker := job.NewWorker()
		defer release(worker)
		return alone(ctx, worker, &o, chunks)
	}

	r := &run{ctx: ctx, options: o, chunks: int64(chunks), stopper: stopper}
	r.next.Store(int64(o.First))
	if stopper != nil {
		defer context.AfterFunc(ctx, stopper.Stop)()
	}

	var group sync.WaitGroup
	for range max(workers, 1) {
		worker := job.NewWorker()
		group.Go(func() {
			defer release(worker)
			r.work(worker)
		})
	}

	group.Wait()
	return r.err
}

func release(w Worker) {
	if r, ok := w.(Releaser); ok {
		r.Release()
	}
}

// alone works on all chunks, without allocating.
func alone(ctx context.Context, w Worker, o *Options, chunks int) error {
	for chunk := o.First; chunk < chunks; chunk++ {
		if err := work(ctx, w, chunk, o); err != nil {
			if o.Failed != nil {
				o.Failed()
			}
			return err
		}
	}
	return finish(ctx, w, o)
}

// finish has a worker do what it has left.
func finish(ctx context.Context, w Worker, o *Options) error {
	f, ok := w.(Finisher)
	if !ok {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return mmapstore.GuardAll(f.Finish, o.Storages...)
}

// run is one call of Run with several workers.
type run struct {
	ctx     context.Context
	options Options
	chunks  int64
	stopper Stopper // nil if no chunk waits for another
	next    atomic.Int64
	failed  atomic.Bool
	once    sync.Once
	err     error
}

// work takes chunks until there are none left, or something has failed.
func (r *run) work(w Worker) {
	for !r.failed.Load() {
		chunk := r.next.Add(1) - 1
		if chunk >= r.chunks {
			break
		}
		if err := work(r.ctx, w, int(chunk), &r.options); err != nil {
			r.once.Do(func() { r.fail(err) })
		}
	}
	if r.failed.Load() {
		return
	}
	if err := finish(r.ctx, w, &r.options); err != nil {
		r.once.Do(func() { r.fail(err) })
	}
}

// fail ends the work of all workers.
func (r *run) fail(err error) {
	r.err = err
	r.failed.Store(true)
	if r.stopper != nil {
		r.stopper.Stop()
	}
	if r.options.Failed != nil {
		r.options.Failed()
	}
}

// work works on one chunk.
func work(ctx context.Context, w Worker, chunk int, o *Options) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	if o.Before != nil {
		if err := o.Before(chunk); err != nil {
			return err
		}
	}

	err := mmapstore.GuardAll(func() error { return w.Run(chunk) }, o.Storages...)
	if ended := ctx.Err(); ended != nil {
		return ended // a job that stops with ctx has left work out
	}

	if err == nil && o.Done != nil {
		o.Done(chunk)
	}
	return err
}
