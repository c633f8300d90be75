package correlate

import (
	"errors"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A slider is one run of a convolution.
type slider[T Number] struct {
	*Convolution
	run    *bulk.Run
	x      *pieces.Operand
	sizes  [2]int // of x
	out    *view.Writer
	factor [2][]T // planes of the kernel, in the order in which they meet elements
	taps   [2]*Taps[T]
	stop   func() bool
}

// slideAll computes a convolution in T, by sums or by transforms.
func slideAll[T Number](k *Convolution, r *bulk.Run) (err error) {
	x, err := pieces.Open(r.Args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()

	// A vector is a matrix of one row.
	s := &slider[T]{Convolution: k, run: r, x: x, out: r.Dst.Writer(), stop: r.Pass.Stopped().Load}
	s.sizes = [2]int{1, r.Args[0].Shape()[r.Args[0].Rank()-1]}
	if r.Args[0].Rank() == 2 {
		s.sizes[0] = r.Args[0].Shape()[0]
	}

	// The kernel is in memory as a whole, before the first tile.
	if err := s.readKernel(r.Args[1]); err != nil {
		return err
	}
	if fast, ok := any(s).(*slider[float64]); ok && k.Method == MethodFourier {
		return fast.transform()
	}
	s.makeTaps()
	g := grid{of: k.Shape, tile: k.tile}
	return s.each(g, 1, func() func(tiles []tile) error {
		sum := newSummer(s).sum
		return func(tiles []tile) error { return sum(tiles[0]) }
	})
}

// readKernel reads all of the kernel.
func (s *slider[T]) readKernel(t *view.Tensor) (err error) {
	v, err := pieces.Open(t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()

	// Read the kernel as one row of x would be read. Reversed, it is the mirror image beyond its
	// own edge.
	l, all := newPadded(s, v, [2]int{1, v.NumElems}), tile{rows: 1, cols: v.NumElems}
	l.conjugate, l.edge = s.Conjugate, EdgeMirror
	if s.Reversed {
		all.col = -v.NumElems // in its mirror
	}
	for p := range s.planes() {
		s.factor[p] = make([]T, v.NumElems)
	}
	return mmapstore.GuardAll(func() error { return l.load(s.factor, all, 0) }, v.Storages()...)
}

// tapsAtATime is the number of elements of the kernel that taps are made of between two looks at
// stop.
const tapsAtATime = 1 << 16

// makeTaps makes the taps of each plane of results. The real part is the sum of real times real
// minus imaginary times imaginary parts. The imaginary part is the sum of the mixed products.
// makeTaps ends early once stop returns true.
func (s *slider[T]) makeTaps() {
	stride, plane := s.stride(), s.planeElems()
	for p := range s.planes() {
		n := len(s.factor[0]) * s.planes()
		t := &Taps[T]{Offsets: make([]int, 0, n), Values: make([]T, 0, n)}
		s.taps[p] = t

		for i := range s.factor[0] {
			if i%tapsAtATime == 0 && s.stop() {
				return
			}

			at := i/s.Kernel[1]*stride + i%s.Kernel[1]
			switch {
			case s.planes() == 1:
				t.Append(at, s.factor[0][i])
			case p == 0:
				t.Append(at, s.factor[0][i])
				t.Append(plane+at, -s.factor[1][i])
			default:
				t.Append(at, s.factor[1][i])
				t.Append(plane+at, s.factor[0][i])
			}
		}
	}
}

// each calls the functions of workers with all tiles of a grid, so many at a time.
func (s *slider[T]) each(g grid, together int, newWorker func() func(tiles []tile) error) error {
	chunks := (g.numTiles() + together - 1) / together
	of := func(chunk int) []tile {
		var tiles []tile
		for i := chunk * together; i < min((chunk+1)*together, g.numTiles()); i++ {
			tiles = append(tiles, g.at(i))
		}
		return tiles
	}
	touched := &bulk.Touched{}
	touched.Reads(s.x, func(chunk int) (first, n int) { return s.reads(of(chunk)) })
	touched.Writes(s.run.Dst, func(chunk int) (first, n int) { return s.writes(of(chunk)) })
	return s.run.Pass.Exec(exec.Chunks(chunks, func() func(int) error {
		work := newWorker()
		return func(chunk int) error { return work(of(chunk)) }
	}), touched)
}

// reads returns the elements of x from the first to the last one that tiles need.
func (s *slider[T]) reads(tiles []tile) (at, n int) {
	first, last := tiles[0], tiles[len(tiles)-1]
	top, bottom := first.row+s.Origin[0], last.row+last.rows+s.Origin[0]+s.Kernel[0]-1
	top, bottom = max(top, 0), min(bottom, s.sizes[0])
	left, right := 0, s.sizes[1]
	if s.sizes[0] == 1 {
		left, right = max(first.col+s.Origin[1], 0), min(last.col+last.cols+s.Origin[1]+s.Kernel[1]-1, s.sizes[1])
	}
	if top >= bottom || left >= right {
		return 0, 0
	}
	return top*s.sizes[1] + left, (bottom-1-top)*s.sizes[1] + right - left
}

// writes returns the results from the first to the last one of tiles.
func (s *slider[T]) writes(tiles []tile) (at, n int) {
	first, last := tiles[0], tiles[len(tiles)-1]
	at = first.row*s.Shape[1] + first.col
	return at, (last.row+last.rows-1)*s.Shape[1] + last.col + last.cols - at
}
