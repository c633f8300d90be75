package bulk

import (
	"context"
	"sync/atomic"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Work is an operation on whole arrays, whose elements are in memory or in mapped files, in any
// layout. It may be run again, but not twice at once.
type Work interface {
	// String says what is done, with all arguments that tell it apart from other work on the same
	// operands.
	String() string
	// Memory predicts the bytes that the work takes beside its operands and its result.
	Memory(args []Array, room Room) int64
	// Run stores the result. It returns after all its jobs have ended.
	Run(r *Run) error
}

// An Array describes an operand before its elements are there.
type Array struct {
	DType dtype.Type
	Shape []int
}

// Room is the memory that work may take.
type Room struct {
	Workers int   // goroutines, at least 1
	Memory  int64 // bytes
}

// A Run is one run of some work.
type Run struct {
	Context context.Context
	Args    []*view.Tensor // the operands
	Dst     *view.Tensor   // where the result goes: packed, with elements that mean nothing yet
	Room    Room           // as many workers as memory has room for, by Work.Memory, but one at least
	Pass    Pass
}

// A Pass runs the jobs of some work.
type Pass interface {
	// Exec runs the chunks of a job by the workers of the run. It returns the first error, or that
	// of the context once it ends.
	Exec(j exec.Job, t *Touched) error
	// Begin counts chunks from 0 again. Work with several jobs calls it before each of them.
	Begin()
	// Stopped returns a flag that is set when the context ends, for chunks that take long.
	Stopped() *atomic.Bool
	// Scratch makes a storage of zeros for what does not stay in memory. The caller releases it.
	Scratch(bytes int64) (*mmapstore.Storage, error)
}

// NumElems returns the number of elements.
func (a Array) NumElems() int { return numElems(a.Shape) }

func numElems(shape []int) int {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return n
}
