package gemm

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// Panels are the operands of a product that something else multiplies, such as a GPU. They are
// packed, and its sums are stored, by the code of a Job. The rows, columns and steps of all parts
// count numbers of the register type: a complex element is two steps of both operands, and two
// columns.
type Panels struct{ *product }

// NewPanels returns the panels of a product.
func NewPanels(s Spec) *Panels { return &Panels{newProduct(s, variants[0])} }

// Type returns the type of the numbers: what Register returns.
func (p *Panels) Type() dtype.Type { return p.reg }

// Size returns the rows and columns of C, and the steps of its sums.
func (p *Panels) Size() (m, n, k int) { return p.M, p.cols, p.deep }

// Count returns the number of matrices.
func (p *Panels) Count() int { return p.count }

// Elements returns a part that counts elements, as Spec.Next and Spec.Last have it.
func (p *Panels) Elements(at Part) Part {
	at.Col, at.Cols, at.From, at.Long = at.Col/p.parts, at.Cols/p.parts, at.From/p.parts, at.Long/p.parts
	return at
}

// Store makes elements of C of the sums of a part: rows of at.Cols numbers, one after the other.
func (p *Panels) Store(at Part, sums []byte) {
	row := at.Cols * p.size
	c := unsafe.Add(p.C.matrix(p.Batch, at.Batch), at.Row*p.C.Row+at.Col/p.parts*p.C.Type.Size())
	if p.final != nil {
		p.finish(target{unsafe.Pointer(unsafe.SliceData(sums)), row, p.size}, c, at.Rows, at.Cols)
		return
	}
	for i := range at.Rows {
		copy(unsafe.Slice((*byte)(unsafe.Add(c, i*p.C.Row)), row), sums[i*row:])
	}
}

// A Packer packs panels. One goroutine uses it.
type Packer struct {
	*Panels
	room []byte
}

// NewPacker returns a Packer.
func (p *Panels) NewPacker() *Packer { return &Packer{Panels: p} }

const (
	// roomBytes is about the memory in which a Packer changes the type of elements.
	roomBytes = 256 << 10
	// blockWidth is how many numbers across are packed at a time where elements along k are closer
	// together: pages of few rows are then touched in turn.
	blockWidth = 64
)

// PackA packs rows [at.Row, at.Row+at.Rows) of A over the steps [at.From, at.From+at.Long): for each
// step the numbers of all rows, and zeros up to width numbers.
func (p *Packer) PackA(dst []byte, at Part, width int) {
	matrix := p.A.matrix(p.Batch, at.Batch)
	p.pack(dst, at, at.Rows, width, func(from int) (*source, unsafe.Pointer) { return p.placeA(matrix, at.Row, from) })
}

// PackB is PackA for columns of B.
func (p *Packer) PackB(dst []byte, at Part, width int) {
	matrix := p.B.matrix(p.Batch, at.Batch)
	p.pack(dst, at, at.Cols, width, func(from int) (*source, unsafe.Pointer) { return p.placeB(matrix, at.Col, from) })
}

// pack packs steps of one run at a time.
func (p *Packer) pack(dst []byte, at Part, count, width int, place func(from int) (*source, unsafe.Pointer)) {
	row := width * p.size
	for from, end := at.From, at.From+at.Long; from < end; {
		of, base := place(from)
		s := *of
		steps := min(end-from, p.run-from%p.run)
		if to := dst[(from-at.From)*row:]; s.across == s.size {
			steps = min(steps, max(roomBytes/row, 1)*s.twice)
			p.wide(to, &s, base, count, width, steps)
		} else {
			p.blocks(to, &s, base, count, width, steps)
		}
		from += steps
	}
}

// wide packs steps whose elements are side by side.
func (p *Packer) wide(dst []byte, s *source, base unsafe.Pointer, count, width, steps int) {
	s.width = width
	s.pack(unsafe.Pointer(&dst[0]), base, count/s.wide, steps, p.size, p.take(s.scratch(steps)))
}

// blocks packs steps block by block: into room, and from there to dst.
func (p *Packer) blocks(dst []byte, s *source, base unsafe.Pointer, count, width, steps int) {
	s.width = blockWidth
	panel := blockWidth * steps * p.size
	block := p.take(panel + s.scratch(steps))
	for first := 0; first < width; first += blockWidth {
		if there := min(blockWidth, count-first); there > 0 {
			from := unsafe.Add(base, first/s.wide*s.across)
			s.pack(block, from, there/s.wide, steps, p.size, unsafe.Add(block, panel))
		} else {
			clear(p.room[:panel])
		}
		full := min(blockWidth, width-first) * p.size
		for k := range steps {
			copy(dst[(k*width+first)*p.size:][:full], p.room[k*blockWidth*p.size:])
		}
	}
}

// take returns room of n bytes, with anything in it.
func (p *Packer) take(n int) unsafe.Pointer {
	if len(p.room) < n {
		p.room = newBuffer(n)
	}
	return unsafe.Pointer(&p.room[0])
}
