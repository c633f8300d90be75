package correlate

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

// A summer computes tiles of results by sums of products. It belongs to one goroutine.
type summer[T Number] struct {
	*slider[T]
	padded      *padded[T]
	keeper      *keeper[T]
	elems       []T    // all planes of what a tile needs
	results     [2][]T // of a tile
	sums, rests []T
}

func newSummer[T Number](s *slider[T]) *summer[T] {
	d := &summer[T]{slider: s, padded: newPadded(s, s.x, s.sizes), keeper: newKeeper(s), elems: make([]T, s.planes()*s.planeElems())}
	d.padded.conjugate = s.ConjugateX
	for p := range s.planes() {
		d.results[p] = make([]T, s.tile[0]*s.tile[1])
	}
	d.sums, d.rests = make([]T, MaxBlock), make([]T, MaxBlock)
	return d
}

// sum computes a tile of the usual size at most.
func (d *summer[T]) sum(t tile) error {
	stride, plane := d.stride(), d.planeElems()
	var into [2][]T
	for p := range d.planes() {
		into[p] = d.elems[p*plane : (p+1)*plane]
	}
	need := tile{t.row + d.Origin[0], t.col + d.Origin[1], t.rows + d.Kernel[0] - 1, t.cols + d.Kernel[1] - 1}
	if err := d.padded.load(into, need, stride); err != nil {
		return err
	}

	// Sums are made in stripes: row by row, unless the last stripe of a row would reach into the
	// next one.
	if striped(t.cols) <= stride {
		for row := range t.rows {
			d.run(t, row*stride, t.cols)
		}
	} else {
		d.run(t, 0, (t.rows-1)*stride+t.cols) // with what is between rows, and belongs to none
	}
	if d.stop() {
		return nil
	}
	return d.keeper.store(t, d.results, t.cols)
}

// striped rounds a number of sums up to what a call makes.
func striped(n int) int { return (n + Stripe - 1) &^ (Stripe - 1) }

// run computes n sums that follow each other where the elements do, from one on.
func (d *summer[T]) run(t tile, first, n int) {
	for at := first; at < first+n && !d.stop(); at += MaxBlock {
		some := min(MaxBlock, first+n-at)
		for p := range d.planes() {
			d.taps[p].Add(d.sums[:striped(some)], d.rests[:striped(some)], d.elems[at:], d.stop)
			d.keep(t, p, at, d.sums[:some])
		}
	}
}

// keep copies sums. Some of them may lie between rows.
func (d *summer[T]) keep(t tile, plane, at int, sums []T) {
	stride := d.stride()
	for len(sums) > 0 {
		row, col := at/stride, at%stride
		n := min(len(sums), stride-col)
		if col < t.cols {
			copy(d.results[plane][row*t.cols+col:(row+1)*t.cols], sums[:n])
		}
		sums, at = sums[n:], at+n
	}
}

// A keeper stores tiles of results. It belongs to one goroutine.
type keeper[T Number] struct {
	*slider[T]
	wide   []complex128
	packed []byte
}

func newKeeper[T Number](s *slider[T]) *keeper[T] { return &keeper[T]{slider: s} }

// store converts planes of results, whose rows are stride elements apart, and writes them.
func (k *keeper[T]) store(t tile, planes [2][]T, stride int) error {
	size := k.DType.Size()
	if need := t.rows * t.cols * size; len(k.packed) < need {
		k.packed = pieces.AlignedBytes(need)
	}

	for row := range t.rows {
		to := k.packed[row*t.cols*size:][:t.cols*size]
		if k.planes() == 2 {
			k.pack(to, planes[0][row*stride:][:t.cols], planes[1][row*stride:][:t.cols])
		} else {
			pieces.Convert(k.DType, dtype.Of[T](), unsafe.Pointer(&to[0]), unsafe.Pointer(&planes[0][row*stride]), t.cols)
		}
	}

	// Full rows lie next to each other in the result: write them at once.
	if t.cols == k.Shape[1] {
		return k.write(k.packed[:t.rows*t.cols*size], t.row*t.cols)
	}

	for row := range t.rows {
		if err := k.write(k.packed[row*t.cols*size:][:t.cols*size], (t.row+row)*k.Shape[1]+t.col); err != nil {
			return err
		}
	}
	return nil
}

// write stores elements from number first on.
func (k *keeper[T]) write(b []byte, first int) error {
	_, err := k.out.WriteAt(b, int64(first)*int64(k.DType.Size()))
	return err
}

// pack makes complex numbers of their parts.
func (k *keeper[T]) pack(to []byte, re, im []T) {
	if len(k.wide) < len(re) {
		k.wide = make([]complex128, len(re))
	}
	for i, v := range re {
		k.wide[i] = complex(float64(v), float64(im[i]))
	}
	pieces.Convert(k.DType, dtype.Complex128, unsafe.Pointer(&to[0]), unsafe.Pointer(&k.wide[0]), len(re))
}
