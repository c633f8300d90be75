package gemm

import (
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/dtype"
)

// A Job is a product in chunks.
type Job interface {
	exec.Job
	exec.Stopper
	// Unit returns the number of chunks of a unit of work. When the chunks of the first units are
	// done, and no other has begun, all their results are in C.
	Unit() int
	// Skip marks the first units as done. It is called before any chunk has begun.
	Skip(units int)
	// Grain returns what units depend on beside the Spec, for Spec.Grain.
	Grain() int
	// Close gives the memory of the job back, after all workers have ended.
	Close() error
}

// New prepares a product with the fastest kernels that this CPU has.
func New(s Spec) Job { return newJob(s, variants[0]) }

func newJob(s Spec, kernels map[dtype.Type]micro) Job {
	p := newProduct(s, kernels)
	if p.work() == 0 || p.isSmall() {
		return newBatched(p)
	}
	return newTiled(p)
}
