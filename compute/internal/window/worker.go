package window

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

// A moveWorker computes blocks of windows in T.
type moveWorker[T float] struct {
	*movingRun
	windows *Mover[T]
	buf     []byte
	typed   []T
	made    []T
	results []byte
}

// NewWorker implements exec.Job.
func (j *moveJob[T]) NewWorker() exec.Worker {
	return &moveWorker[T]{movingRun: j.movingRun, windows: NewMover[T](j.Op, j.width, j.stop), buf: j.x.Buffer(j.elems())}
}

// Run implements exec.Worker.
func (w *moveWorker[T]) Run(chunk int) error {
	for i := chunk * w.group; i < min((chunk+1)*w.group, w.blocks) && !w.stop.Load(); i++ {
		b := w.at(i)
		x, err := w.load(&b)
		if err != nil {
			return err
		}
		if b.start {
			w.blank(&b)
		}
		w.move(&b, x)
	}
	return nil
}

// load returns the elements of a block as T, packed.
func (w *moveWorker[T]) load(b *moveBlock) ([]T, error) {
	rows := b.rows + w.width - 1
	if w.inPlace || b.cols == w.inner {
		return w.fetch(nil, b.first, (rows-1)*w.inner+b.cols)
	}
	w.typed = enough(&w.typed, w.elems())
	for row := range rows {
		if _, err := w.fetch(w.typed[row*b.cols:][:b.cols], b.first+row*w.inner, b.cols); err != nil {
			return nil, err
		}
	}
	return w.typed[:rows*b.cols], nil
}

// fetch returns n elements from number first on: in dst, or anywhere if that is nil.
func (w *moveWorker[T]) fetch(dst []T, first, n int) ([]T, error) {
	b, err := w.x.Fetch(w.buf, first, n)
	if err != nil {
		return nil, err
	}
	if dst == nil {
		if w.x.DType == dtype.Of[T]() {
			return pieces.As[T](b), nil
		}
		w.typed = enough(&w.typed, w.elems())
		dst = w.typed[:n]
	}
	pieces.Convert(dtype.Of[T](), w.x.DType, unsafe.Pointer(&dst[0]), unsafe.Pointer(&b[0]), n)
	return dst, nil
}

// move stores the windows of a block.
func (w *moveWorker[T]) move(b *moveBlock, x []T) {
	at, n := b.first+(w.width-1)*w.inner, b.rows*b.cols
	if w.inPlace && b.lanes == 1 {
		w.windows.MoveLanes(pieces.As[T](w.out)[at:at+len(x)-(w.width-1)*w.inner], x, b.cols, w.inner, w.past)
		return
	}
	if b.lanes == 1 && b.cols == w.inner && w.to == dtype.Of[T]() && pieces.IsAligned(w.out) {
		w.windows.Move(pieces.As[T](w.out)[at:at+n], x, b.cols, w.past)
		return
	}

	// Results that do not fit where they belong are made beside, with no windows between lanes, and
	// converted.
	w.made = enough(&w.made, w.elems())
	made := w.made[:n]
	w.windows.Move(made, x, b.cols, false)
	lane, start := w.length*w.inner, (w.width-1)*w.inner
	for i := 1; i < b.lanes; i++ {
		spread(made[i*lane-start:i*lane], T(math.NaN()))
	}
	if b.cols == w.inner {
		w.store(at, made)
		return
	}
	for row := range b.rows {
		w.store(at+row*w.inner, made[row*b.cols:][:b.cols])
	}
}

// store puts results where they belong.
func (w *moveWorker[T]) store(at int, made []T) {
	size := w.to.Size()
	out := w.out[at*size:][:len(made)*size]
	if pieces.IsAligned(w.out) {
		pieces.Convert(w.to, dtype.Of[T](), unsafe.Pointer(&out[0]), unsafe.Pointer(&made[0]), len(made))
		return
	}
	if w.results == nil {
		w.results = pieces.AlignedBytes(w.elems() * size)
	}
	pieces.Convert(w.to, dtype.Of[T](), unsafe.Pointer(&w.results[0]), unsafe.Pointer(&made[0]), len(made))
	copy(out, w.results)
}

// blank stores what comes before the first windows of lanes.
func (w *moveWorker[T]) blank(b *moveBlock) {
	for row := 0; row < w.width-1; row++ {
		if b.cols == w.inner {
			w.none(b.first, (w.width-1)*w.inner)
			return
		}
		w.none(b.first+row*w.inner, b.cols)
	}
}

// none stores NaN in n elements.
func (w *moveWorker[T]) none(first, n int) {
	size := w.to.Size()
	out := w.out[first*size:][:n*size]
	if len(out) == 0 {
		return
	}
	none := dtype.ScalarOf(math.NaN()).Convert(w.to)
	none.Store(out)
	for done := size; done < len(out); done *= 2 {
		copy(out[done:], out[:done])
	}
}

// spread sets all elements of s.
func spread[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}
