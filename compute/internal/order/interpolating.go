package order

import (
	"errors"
	"math"
	"sort"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
)

// Interpolating is the values, at the first operand, of the lines between points: those that the
// second operand, which ascends, and the third one have. All are float64. It is bulk.Work.
type Interpolating struct{}

// String implements bulk.Work.
func (*Interpolating) String() string { return "interpolate" }

// Memory implements bulk.Work.
func (*Interpolating) Memory(args []bulk.Array, room bulk.Room) int64 {
	return int64(room.Workers) * 16 * searchChunk
}

// points are the points that lines are drawn between.
type points struct{ x, y []float64 }

// Run implements bulk.Work.
func (*Interpolating) Run(r *bulk.Run) (err error) {
	var operands [3]*pieces.Operand
	for i := range operands {
		if operands[i], err = pieces.Open(r.Args[i]); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, operands[i].Close()) }()
	}
	x, xp, fp := operands[0], operands[1], operands[2]
	touched := &bulk.Touched{Storages: append(xp.Storages(), fp.Storages()...)}
	touched.Reads(x, nil)

	out := r.Dst.Writer()
	return r.Pass.Exec(exec.Chunks((x.NumElems+searchChunk-1)/searchChunk, func() func(int) error {
		buf, made := x.Buffer(searchChunk), make([]float64, searchChunk)
		bufX, bufY := xp.Buffer(xp.NumElems), fp.Buffer(fp.NumElems)
		var p points
		return func(chunk int) error {
			// Points are read once by each worker, where they don't lie packed.
			if p.x == nil {
				bx, err1 := xp.Fetch(bufX, 0, xp.NumElems)
				by, err2 := fp.Fetch(bufY, 0, fp.NumElems)
				if err := errors.Join(err1, err2); err != nil {
					return err
				}
				p = points{pieces.As[float64](bx), pieces.As[float64](by)}
			}

			first := chunk * searchChunk
			n := min(searchChunk, x.NumElems-first)
			b, err := x.Fetch(buf, first, n)
			if err != nil {
				return err
			}
			for i, v := range pieces.As[float64](b) {
				made[i] = p.at(v)
			}
			_, err = out.WriteAt(pieces.Bytes(made[:n]), int64(8*first))
			return err
		}
	}), touched)
}

// at returns the value at v, in the steps of numpy.interp.
func (p points) at(v float64) float64 {
	last := len(p.x) - 1
	switch {
	case math.IsNaN(v) && last > 0:
		return v
	case v < p.x[0]:
		return p.y[0]
	case !(v < p.x[last]):
		return p.y[last]
	}
	i := sort.Search(last, func(i int) bool { return p.x[i+1] > v })
	if p.x[i] == v {
		return p.y[i] // also where a line to an infinite point would give NaN
	}

	// A NaN beside an infinite point may be none seen from the other end.
	slope := (p.y[i+1] - p.y[i]) / (p.x[i+1] - p.x[i])
	made := float64(slope*(v-p.x[i])) + p.y[i]
	if math.IsNaN(made) {
		made = float64(slope*(v-p.x[i+1])) + p.y[i+1]
		if math.IsNaN(made) && p.y[i] == p.y[i+1] {
			made = p.y[i]
		}
	}
	return made
}
