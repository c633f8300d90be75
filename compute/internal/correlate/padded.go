package correlate

import (
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

// An Edge says what is beyond the edges of x.
type Edge uint8

// The edges.
const (
	EdgeFill   Edge = iota // a number
	EdgeWrap               // x again
	EdgeMirror             // x, mirrored at its edge
)

// EdgeNames are the names of the edges.
var EdgeNames = []string{EdgeFill: "fill", EdgeWrap: "wrap", EdgeMirror: "symm"}

// place returns which of n elements stands at a place i, which may be beyond them, how many that
// follow it stand behind it, side by side, and whether those are in reverse order; at is -1 for
// none of them.
func (e Edge) place(i, n int) (at, run int, reversed bool) {
	switch {
	case i >= 0 && i < n:
		return i, n - i, false
	case e == EdgeWrap:
		at = (i%n + n) % n
		return at, n - at, false
	case e == EdgeMirror:
		at = (i%(2*n) + 2*n) % (2 * n)
		if at < n {
			return at, n - at, false
		}
		return 2*n - 1 - at, 2*n - at, true
	case i < 0:
		return -1, -i, false
	}
	return -1, int(^uint(0) >> 1), false
}

// A padded reads parts of an operand, and of what is beyond its edges, as planes of real numbers.
// It belongs to one goroutine.
type padded[T Number] struct {
	x         *pieces.Operand
	sizes     [2]int
	edge      Edge
	planes    int
	conjugate bool
	fill      [2]T
	stop      func() bool // makes load end early
	buf       []byte
	wide      []complex128
}

// windowPiece is the number of elements that are converted at a time.
const windowPiece = 4096

func newPadded[T Number](s *slider[T], x *pieces.Operand, sizes [2]int) *padded[T] {
	w := &padded[T]{x: x, sizes: sizes, edge: s.Edge, planes: s.planes(), stop: s.stop, buf: x.Buffer(windowPiece)}
	if w.planes == 2 {
		w.wide = make([]complex128, windowPiece)
	}
	if s.Fill.Type().Valid() {
		w.readFill(s.Fill)
	}
	return w
}

func (w *padded[T]) readFill(s dtype.Scalar) {
	if w.planes == 2 {
		c := s.Complex128()
		w.fill = [2]T{T(real(c)), T(imag(c))}
		return
	}
	var b [8]byte
	s.Convert(dtype.Of[T]()).Store(b[:])
	w.fill[0] = *(*T)(unsafe.Pointer(&b))
}

// load reads a part of x whose place counts from the first element of it. Rows of dst are stride
// elements apart.
func (w *padded[T]) load(dst [2][]T, t tile, stride int) error {
	for row := range t.rows {
		var to [2][]T
		for p := range w.planes {
			to[p] = dst[p][row*stride:][:t.cols]
		}
		from, _, _ := w.edge.place(t.row+row, w.sizes[0])
		if from < 0 {
			w.blank(to)
			continue
		}
		if err := w.row(to, from, t.col); err != nil {
			return err
		}
	}
	return nil
}

func (w *padded[T]) blank(to [2][]T) {
	for p := range w.planes {
		for i := range to[p] {
			to[p][i] = w.fill[p]
		}
	}
}

// row reads a part of a row from column col on. Columns beyond the edges get what the kind of edge
// says.
func (w *padded[T]) row(to [2][]T, row, col int) error {
	for len(to[0]) > 0 && !w.stop() {
		at, run, reversed := w.edge.place(col, w.sizes[1])
		run = min(run, len(to[0]), windowPiece)
		part := [2][]T{to[0][:run], to[1][:min(run, len(to[1]))]}

		switch {
		case at < 0:
			w.blank(part)
		// Reversed elements are read forwards, from the last one, and turned around below.
		case reversed:
			at -= run - 1
			fallthrough
		default:
			if err := w.read(part, row*w.sizes[1]+at); err != nil {
				return err
			}
		}

		if reversed {
			slices.Reverse(part[0])
			slices.Reverse(part[1])
		}

		to[0], to[1], col = to[0][run:], to[1][len(part[1]):], col+run
	}
	return nil
}

// read reads consecutive elements, and splits complex ones into their two planes.
func (w *padded[T]) read(to [2][]T, first int) error {
	n := len(to[0])
	b, err := w.x.Fetch(w.buf, first, n)
	if err != nil {
		return err
	}

	if w.planes == 1 {
		pieces.Convert(dtype.Of[T](), w.x.DType, unsafe.Pointer(&to[0][0]), unsafe.Pointer(&b[0]), n)
		return nil
	}

	pieces.Convert(dtype.Complex128, w.x.DType, unsafe.Pointer(&w.wide[0]), unsafe.Pointer(&b[0]), n)
	re, im := to[0], to[1][:n]
	for i, v := range w.wide[:n] {
		re[i], im[i] = T(real(v)), T(imag(v))
	}

	for i := range im {
		if w.conjugate {
			im[i] = -im[i]
		}
	}
	return nil
}
