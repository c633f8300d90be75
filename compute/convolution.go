package compute

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/correlate"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A convolutionMethod says how sums of products are computed.
type convolutionMethod uint8

const (
	methodAuto convolutionMethod = iota
	methodDirect
	methodFourier
)

// A convolution is sums of products of args[0], x, and the kernel args[1], which is reversed for a convolution: result (i, j) is the
// sum of x(i + k + origin 0, j + l + origin 1) times kernel (k, l). What has one axis is one row of two.
type convolution struct {
	name, mode            string
	method                convolutionMethod
	dtype                 dtype.Type // of the results
	reversed              bool       // the kernel
	conjugate, conjugateX bool       // the kernel, or x
	kernel, shape, origin [2]int
	edge                  convolutionEdge
	fill                  dtype.Scalar

	tile   [2]int        // sizes of the results that are computed together by sums
	blocks fourierBlocks // where method is methodFourier
}

// String implements bulk.
func (k *convolution) String() string {
	text := fmt.Sprintf("%s, %q, with a kernel of %s from %v", k.name, k.mode, formatShape(k.kernel[:]), k.origin)
	if k.conjugateX {
		text += ", of conjugates"
	}
	if k.fill.Type().Valid() {
		text += fmt.Sprintf(", %q by %v", edgeNames[k.edge], k.fill)
	}
	if k.method == methodFourier {
		return fmt.Sprintf("%s, by transforms of %s", text, formatShape(k.blocks.size[:]))
	}
	return fmt.Sprintf("%s, by sums, %s at a time", text, formatShape(k.tile[:]))
}

// planes returns how many real numbers an element is.
func (k *convolution) planes() int {
	if k.dtype.Kind() == dtype.KindComplex {
		return 2
	}
	return 1
}

// register returns the type that the parts of elements are computed in.
func (k *convolution) register() dtype.Type {
	switch {
	case kindSetOf(k.dtype)&takesInexact != 0:
		return dtype.Float64
	case k.dtype.Size() == 8:
		return dtype.Int64
	}
	return dtype.Int32
}

// numTaps returns the number of elements of the kernel.
func (k *convolution) numTaps() int { return k.kernel[0] * k.kernel[1] }

// Sizes of what is summed up at a time.
const (
	tileElems   = 1 << 15 // results, unless the kernel is larger
	tileColumns = 1 << 12 // of several rows
	windowElems = 1 << 20 // elements for them, if the kernel allows that
)

// settle chooses the method and the sizes of tiles, and checks that they fit in memory.
func (k *convolution) settle(n *node, o *Options) error {
	k.settleTiles()
	if k.method != methodDirect && kindSetOf(k.dtype)&takesInexact != 0 {
		k.blocks = k.newBlocks()
		if k.method == methodAuto && k.blocks.saves(k) {
			k.method = methodFourier
			if !k.fits(n, o) {
				k.method = methodDirect
			}
		}
	}
	if k.method == methodAuto {
		k.method = methodDirect
	}
	if k.fits(n, o) {
		return nil
	}
	return fmt.Errorf("%s with a kernel of shape %s takes %s of memory, the limit is %s: raise it", k.name, formatShape(n.args[1].shape), formatBytes(k.memory(n, &Options{Parallelism: 1})), formatBytes(o.MemoryLimit))
}

// fits reports whether there is room for one worker: how many there are must not decide on the method, nor on success.
func (k *convolution) fits(n *node, o *Options) bool {
	return o.MemoryLimit <= 0 || k.memory(n, &Options{Parallelism: 1}) <= max(o.MemoryLimit, leastWindows)
}

// leastWindows is the memory that windows may take whatever the limit is.
const leastWindows = 8 << 20

func (k *convolution) settleTiles() {
	columns := tileColumns
	if k.shape[0] == 1 {
		columns = tileElems
	}
	columns = max(columns, k.kernel[1])
	if k.kernel[0]*(columns+k.kernel[1]) > windowElems {
		columns = max(correlate.Stripe, windowElems/k.kernel[0]-k.kernel[1])
	}
	k.tile[1] = min(k.shape[1], columns)
	wide := k.stride()
	rows := max(1, tileElems/wide, min(k.kernel[0], windowElems/wide-k.kernel[0]))
	k.tile[0] = min(k.shape[0], rows)
}

// stride returns the number of elements of a row that a tile needs.
func (k *convolution) stride() int { return k.tile[1] + k.kernel[1] - 1 }

// planeElems returns how many elements of a plane a tile needs.
func (k *convolution) planeElems() int {
	return (k.tile[0]+k.kernel[0]-1)*k.stride() + correlate.Stripe
}

// memory implements bulk.
func (k *convolution) memory(_ *node, o *Options) int64 {
	p := int64(k.planes())
	taps := int64(k.numTaps()) * p * (8 + p*16)
	each := 8*p*int64(k.planeElems()+k.tile[0]*k.tile[1]*2) + 4*8*correlate.MaxBlock
	if k.method == methodFourier {
		taps += k.blocks.sharedBytes()
		each += k.blocks.workerBytes()
	}
	return taps + int64(o.Parallelism)*each
}

// run implements bulk.
func (k *convolution) run(w *bulkWork) error {
	switch k.register() {
	case dtype.Float64:
		return slideAll[float64](k, w)
	case dtype.Int64:
		return slideAll[int64](k, w)
	default:
		return slideAll[int32](k, w)
	}
}

// A slider is one run of a convolution.
type slider[T correlate.Number] struct {
	*convolution
	work   *bulkWork
	x      *pieces.Operand
	sizes  [2]int // of x
	out    *view.Writer
	factor [2][]T // planes of the kernel, in the order in which they meet elements
	taps   [2]*correlate.Taps[T]
	stop   func() bool
}

func slideAll[T correlate.Number](k *convolution, w *bulkWork) (err error) {
	x, err := pieces.Open(w.args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	s := &slider[T]{convolution: k, work: w, x: x, out: w.dst.Writer(), stop: w.watch().Load}
	s.sizes = [2]int{1, w.args[0].Shape()[w.args[0].Rank()-1]}
	if w.args[0].Rank() == 2 {
		s.sizes[0] = w.args[0].Shape()[0]
	}
	if err := s.readKernel(w.args[1]); err != nil {
		return err
	}
	if fast, ok := any(s).(*slider[float64]); ok && k.method == methodFourier {
		return fast.transform()
	}
	s.makeTaps()
	g := grid{of: k.shape, tile: k.tile}
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
	l, all := newPadded(s, v, [2]int{1, v.NumElems}), tile{rows: 1, cols: v.NumElems}
	l.conjugate, l.edge = s.conjugate, edgeMirror
	if s.reversed {
		all.col = -v.NumElems // in its mirror
	}
	for p := range s.planes() {
		s.factor[p] = make([]T, v.NumElems)
	}
	return mmapstore.GuardAll(func() error { return l.load(s.factor, all, 0) }, v.Storages()...)
}

// tapsAtATime is the number of elements of the kernel that taps are made of between two looks at stop.
const tapsAtATime = 1 << 16

// makeTaps makes the taps of each plane of results: for the real part, real parts times real parts less imaginary ones times
// imaginary ones, and likewise for the imaginary part. It ends early once stop returns true.
func (s *slider[T]) makeTaps() {
	stride, plane := s.stride(), s.planeElems()
	for p := range s.planes() {
		n := len(s.factor[0]) * s.planes()
		t := &correlate.Taps[T]{Offsets: make([]int, 0, n), Values: make([]T, 0, n)}
		s.taps[p] = t
		for i := range s.factor[0] {
			if i%tapsAtATime == 0 && s.stop() {
				return
			}
			at := i/s.kernel[1]*stride + i%s.kernel[1]
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

// A grid cuts results into tiles, row by row.
type grid struct{ of, tile [2]int }

// A tile is a part of the results, or of x.
type tile struct{ row, col, rows, cols int }

func (g grid) across() int { return (g.of[1] + g.tile[1] - 1) / g.tile[1] }

func (g grid) numTiles() int { return (g.of[0] + g.tile[0] - 1) / g.tile[0] * g.across() }

func (g grid) at(i int) tile {
	t := tile{row: i / g.across() * g.tile[0], col: i % g.across() * g.tile[1]}
	t.rows, t.cols = min(g.tile[0], g.of[0]-t.row), min(g.tile[1], g.of[1]-t.col)
	return t
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
	m := &memory{storages: append(s.x.Storages(), s.work.dst.Storage()), bytes: s.x.Tensor.NumBytes() + s.work.dst.NumBytes()}
	if s.x.InPlace() {
		m.mapped(s.x.Tensor, s.x.Tensor.Layout(), false)
	}
	m.operands = append(m.operands, exec.Operand{})
	m.mapped(s.work.dst, s.work.dst.Layout(), true)
	j := chunkedBy{chunks, func() func(int) error {
		work := newWorker()
		return func(chunk int) error { return work(of(chunk)) }
	}}
	return s.work.exec(m, &slideJob{Job: j, extent: func(operand, chunk int) (lo, hi int) {
		tiles := of(chunk)
		if operand == 0 {
			return s.reads(tiles)
		}
		return s.writes(tiles)
	}})
}

// A slideJob is a job that says which bytes of x and of the results its chunks touch.
type slideJob struct {
	exec.Job
	extent func(operand, chunk int) (lo, hi int)
}

// Extent implements chunked.
func (j *slideJob) Extent(operand, chunk int) (lo, hi int) { return j.extent(operand, chunk) }

// reads returns the bytes of x from the first to the last one that tiles need.
func (s *slider[T]) reads(tiles []tile) (lo, hi int) {
	first, last := tiles[0], tiles[len(tiles)-1]
	top, bottom := first.row+s.origin[0], last.row+last.rows+s.origin[0]+s.kernel[0]-1
	top, bottom = max(top, 0), min(bottom, s.sizes[0])
	left, right := 0, s.sizes[1]
	if s.sizes[0] == 1 {
		left, right = max(first.col+s.origin[1], 0), min(last.col+last.cols+s.origin[1]+s.kernel[1]-1, s.sizes[1])
	}
	if top >= bottom || left >= right {
		return 0, 0
	}
	size := s.x.DType.Size()
	return (top*s.sizes[1] + left) * size, ((bottom-1)*s.sizes[1] + right) * size
}

// writes returns the bytes of the results from the first to the last one of tiles.
func (s *slider[T]) writes(tiles []tile) (lo, hi int) {
	first, last := tiles[0], tiles[len(tiles)-1]
	size := s.dtype.Size()
	return (first.row*s.shape[1] + first.col) * size, ((last.row+last.rows-1)*s.shape[1] + last.col + last.cols) * size
}
