package correlate

import (
	"math"
	"math/bits"
	"sync"
)

// fourierBlocks is how a convolution is cut for transforms: parts of the kernel meet blocks of x,
// whose rows lie one after the other as if they were one. A block gives as many results as rows and
// columns of it hold a whole part (overlap-save).
type fourierBlocks struct {
	size  [2]int // of a block
	part  [2]int // of the kernel, the last one may be smaller
	parts grid
}

// Sizes of blocks.
const (
	leastBlock = 1 << 12
	longPart   = 1 << 16 // elements of a part of one row
	widePart   = 1 << 14 // and of several rows
	highPart   = 1 << 7  // rows of a part
)

// newBlocks returns blocks of about four times the size of a part along each axis.
func (k *Convolution) newBlocks() fourierBlocks {
	var b fourierBlocks
	b.part = [2]int{min(k.Kernel[0], highPart), min(k.Kernel[1], longPart)}
	if k.Kernel[0] > 1 {
		b.part[1] = min(k.Kernel[1], widePart/powerOf2(b.part[0]))
	}
	b.parts = grid{of: k.Kernel, tile: b.part}

	// Blocks grow to a useful size along the axis that has more to give.
	var most [2]int
	for axis, n := range b.part {
		most[axis] = powerOf2(k.Shape[axis] + n - 1)
		b.size[axis] = min(4*powerOf2(n), most[axis])
		if n == 1 {
			b.size[axis] = 1
		}
	}

	for b.size[0]*b.size[1] < leastBlock && b.size != most {
		axis := 1
		if b.size[1] == most[1] || b.size[0] < b.size[1] && b.size[0] < most[0] {
			axis = 0
		}
		b.size[axis] *= 2
	}

	for b.size[0]*b.size[1] < 4 {
		b.size[1] *= 2
	}

	return b
}

// powerOf2 returns the least power of 2 that is not below n.
func powerOf2(n int) int { return 1 << bits.Len(uint(n-1)) }

func (b *fourierBlocks) elems() int { return b.size[0] * b.size[1] }

// results returns how many results a block gives along each axis.
func (b *fourierBlocks) results() [2]int {
	return [2]int{b.size[0] - b.part[0] + 1, b.size[1] - b.part[1] + 1}
}

func (b *fourierBlocks) sharedBytes() int64 {
	return 16 * int64(b.elems()) * int64(b.parts.numTiles()+1)
}

func (b *fourierBlocks) workerBytes() int64 { return 2 * 16 * int64(b.elems()) }

// What transforms cost: their work counts as transformWork products of sums for each element and
// stage. Less than leastWork products are summed up whatever that costs.
const (
	transformWork = 16
	leastWork     = 1 << 24
)

// saves reports whether transforms take less work than sums.
func (b *fourierBlocks) saves(k *Convolution) bool {
	count, each := float64(k.Shape[0])*float64(k.Shape[1]), b.results()
	products := count * float64(k.NumTaps()) * float64(k.planes()*k.planes())
	blocks := math.Ceil(float64(k.Shape[0])/float64(each[0])) * math.Ceil(float64(k.Shape[1])/float64(each[1]))
	if k.planes() == 1 {
		blocks = math.Ceil(blocks / 2)
	}
	parts, n := float64(b.parts.numTiles()), float64(b.elems())
	work := transformWork * n * math.Log2(n) * (blocks*(parts+1) + parts)
	return products >= leastWork && work < products
}

// A transformer is one run of a convolution by transforms.
type transformer struct {
	*slider[float64]
	fourier  *Fourier
	spectra  []Block // of the conjugates of the parts of the kernel
	greatest float64 // magnitude that elements may have
	makeTaps func()  // for sums, once
}

// transform computes all results. Of real elements, two blocks are transformed together, as real
// and as imaginary parts.
func (s *slider[T]) transform() error {
	t := &transformer{slider: any(s).(*slider[float64]), fourier: NewFourier(s.blocks.elems(), s.stop)}
	t.makeTaps = sync.OnceFunc(t.slider.makeTaps)
	t.makeSpectra()
	together := 3 - s.planes()
	g := grid{of: s.Shape, tile: s.blocks.results()}
	return s.each(g, together, func() func(tiles []tile) error { return newBlockWorker(t).run })
}

// makeSpectra transforms the parts of the kernel.
func (t *transformer) makeSpectra() {
	size := 0.0
	for i := range t.blocks.parts.numTiles() {
		if t.stop() {
			return
		}
		part, b := t.blocks.parts.at(i), NewBlock(t.blocks.elems())
		for row := range part.rows {
			from, to := (part.row+row)*t.Kernel[1]+part.col, row*t.blocks.size[1]
			copy(b.Re[to:], t.factor[0][from:][:part.cols])
			if t.planes() == 2 {
				copy(b.Im[to:], t.factor[1][from:][:part.cols])
			}
		}

		// Correlation takes conjugates; the division undoes the scale of a transform and its
		// inverse.
		for j := range b.Re {
			size += math.Abs(b.Re[j]) + math.Abs(b.Im[j])
			b.Re[j], b.Im[j] = b.Re[j]/float64(len(b.Re)), -b.Im[j]/float64(len(b.Re))
		}
		t.fourier.Forward(b, t.stop)
		t.spectra = append(t.spectra, b)
	}
	t.greatest = largeNumber / max(size, 1) / float64(t.blocks.elems())
}

// largeNumber is far from overflow.
const largeNumber = 1e300

// A blockWorker computes blocks of results. It belongs to one goroutine.
type blockWorker struct {
	*transformer
	padded   *padded[float64]
	keeper   *keeper[float64]
	summer   *summer[float64] // for blocks that hold what is no number; nil before the first one
	elems    Block
	products Block
}

func newBlockWorker(t *transformer) *blockWorker {
	w := &blockWorker{transformer: t, padded: newPadded(t.slider, t.x, t.sizes), keeper: newKeeper(t.slider)}
	w.padded.conjugate = t.ConjugateX
	w.elems, w.products = NewBlock(t.blocks.elems()), NewBlock(t.blocks.elems())
	return w
}

// run computes one block, or two of real elements.
func (w *blockWorker) run(tiles []tile) error {

	// Products of transforms add up over the parts of the kernel. What is no number would spread
	// over a whole block, so it goes through sums.
	w.products.Clear()
	for i, spectrum := range w.spectra {
		ok, err := w.load(tiles, w.blocks.parts.at(i))
		if err != nil || w.stop() {
			return err
		}
		if !ok {
			return w.sum(tiles)
		}
		w.fourier.Forward(w.elems, w.stop)
		w.products.AddProducts(w.elems, spectrum)
	}
	w.fourier.Inverse(w.products, w.stop)
	if w.stop() {
		return nil
	}

	// The two parts are the real and the imaginary part of one block, or two blocks of real
	// elements.
	planes := [2][]float64{w.products.Re, w.products.Im}
	if w.planes() == 2 {
		return w.keeper.store(tiles[0], planes, w.blocks.size[1])
	}
	for i, t := range tiles {
		if err := w.keeper.store(t, [2][]float64{planes[i]}, w.blocks.size[1]); err != nil {
			return err
		}
	}
	return nil
}

// load reads what blocks need of x for a part of the kernel, and reports whether transforms can be
// made of it.
func (w *blockWorker) load(tiles []tile, part tile) (ok bool, err error) {
	w.elems.Clear()
	planes := [2][]float64{w.elems.Re, w.elems.Im}
	for i, t := range tiles {
		need := tile{t.row + part.row + w.Origin[0], t.col + part.col + w.Origin[1], t.rows + part.rows - 1, t.cols + part.cols - 1}
		into := planes
		if w.planes() == 1 {
			into = [2][]float64{planes[i]}
		}
		if err := w.padded.load(into, need, w.blocks.size[1]); err != nil {
			return false, err
		}
	}
	return w.moderate(planes[0]) && w.moderate(planes[1]), nil
}

// moderate reports whether numbers are none that are infinite, NaN, or so large that transforms may
// overflow.
func (w *blockWorker) moderate(x []float64) bool {
	for _, v := range x {
		if !(math.Abs(v) <= w.greatest) {
			return false
		}
	}
	return true
}

// sum computes blocks by sums.
func (w *blockWorker) sum(tiles []tile) error {
	if w.summer == nil {
		w.makeTaps()
		w.summer = newSummer(w.slider)
	}
	for _, t := range tiles {
		g := grid{of: [2]int{t.rows, t.cols}, tile: w.tile}
		for i := range g.numTiles() {
			part := g.at(i)
			part.row, part.col = part.row+t.row, part.col+t.col
			if err := w.summer.sum(part); err != nil || w.stop() {
				return err
			}
		}
	}
	return nil
}
