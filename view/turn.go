package view

import (
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/tstore/tstore/mmapstore"
)

// turnedBytes is the size from which a transposing move is shared out among
// goroutines: one alone waits for memory most of the time.
const turnedBytes = 8 << 20

// isTurned reports whether the plan walks a matrix across, in tiles.
func (p *movePlan) isTurned() bool {
	axes := p.axes()
	last := len(axes) - 1
	return last >= 1 && axes[last].src != 0 && tileAxis(axes[:last], axes[last]) >= 0
}

// numBytes is what the plan moves, in elements of size bytes.
func (p *movePlan) numBytes(size int) int {
	for _, a := range p.axes() {
		size *= a.n
	}
	return size
}

// turn carries out a plan whose source and destination share no bytes, in parts
// along the outermost axis, one for each processor. Each goroutine guards what
// it touches; the caller holds the pins.
func (c *copyJob) turn(p *movePlan, size int) error {
	outer := p.all[0]
	rows := (outer.n + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	rows = (rows + tileSide - 1) / tileSide * tileSide
	var g errgroup.Group
	for first := 0; first < outer.n; first += rows {
		part := *p
		part.all[0].n = min(rows, outer.n-first)
		part.dst += first * outer.dst
		part.src += first * outer.src
		g.Go(func() error {
			return mmapstore.GuardAll(func() error {
				part.move(c.db, c.sb, size)
				return nil
			}, c.dst.own.st, c.src.own.st)
		})
	}
	return g.Wait()
}
