package window

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

// Moving is values of windows along an axis. It is bulk.Work.
type Moving struct {
	Name  string
	Op    Op
	Width int
	Axis  int
}

// String implements bulk.Work.
func (k *Moving) String() string {
	return fmt.Sprintf("%s of %d, axis %d", k.Name, k.Width, k.Axis)
}

// single reports whether windows of elements of type t are computed in float32.
func (k *Moving) single(t dtype.Type) bool {
	return kernel.RegisterType(t) == dtype.Float32 && k.Op != Var && k.Op != Std
}

// Memory implements bulk.Work.
func (k *Moving) Memory(args []bulk.Array, room bulk.Room) int64 {
	b := newMoveBlocks(args[0].Shape, k.Axis, k.Width)
	b.cut(true, false)
	return int64(room.Workers) * int64(b.elems()) * 8 * 6
}

// Run implements bulk.Work.
func (k *Moving) Run(r *bulk.Run) (err error) {
	args := []bulk.Array{{DType: r.Args[0].DType(), Shape: r.Args[0].Shape()}}
	if need := k.Memory(args, r.Room); need > r.Room.Memory {
		return fmt.Errorf("windows of %d elements take %s, the memory limit is %s: raise it",
			k.Width, humanize.IBytes(uint64(need)), humanize.IBytes(uint64(r.Room.Memory)))
	}
	x, err := pieces.Open(r.Args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if x.NumElems == 0 {
		return nil
	}

	// Results go straight to where they belong, past the caches if there are many of them.
	pin, err := r.Dst.Storage().Pin()
	if err != nil {
		return err
	}
	defer pin.Unpin()
	m := &movingRun{Moving: k, run: r, x: x, to: r.Dst.DType(), past: r.Dst.NumBytes() >= exec.StreamBytes, stop: r.Pass.Stopped()}
	m.out = pin.Bytes()[int64(r.Dst.Offset())*int64(m.to.Size()):][:r.Dst.NumBytes()]
	if k.single(x.DType) {
		return runMoves[float32](m)
	}
	return runMoves[float64](m)
}

// A movingRun is one run of Moving.
type movingRun struct {
	*Moving
	*moveBlocks
	run  *bulk.Run
	x    *pieces.Operand
	out  []byte // packed elements of type to
	to   dtype.Type
	past bool // whether results are stored past the caches
	stop *atomic.Bool
}

// runMoves computes windows in T.
func runMoves[T float](m *movingRun) error {
	t := dtype.Of[T]()
	packed := m.x.InPlace()
	there := packed && m.x.DType == t && m.to == t && pieces.IsAligned(m.out)
	m.moveBlocks = newMoveBlocks(m.run.Args[0].Shape(), m.Axis, m.Width)
	m.cut(!packed, there && NewMover[T](m.Op, m.Width, m.stop).AtOnce(m.inner))
	m.share(m.Op, m.run.Room.Workers)

	// Results that stay in the caches are left to be written out by the system.
	touched := &bulk.Touched{}
	touched.Reads(m.x, m.extent)
	if m.past {
		touched.Writes(m.run.Dst, m.extent)
	} else {
		touched.Writes(m.run.Dst, nil)
	}
	return m.run.Pass.Exec(&moveJob[T]{m}, touched)
}

// A moveJob computes windows in T, chunk by chunk.
type moveJob[T float] struct{ *movingRun }

// NumChunks implements exec.Job.
func (j *moveJob[T]) NumChunks() int { return j.chunks() }
