package bulk

import (
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Touched lists the stretches of operands that the chunks of a job touch. The zero Touched is
// empty.
type Touched struct {
	Storages []*mmapstore.Storage // which guard the chunks
	Bytes    int64                // read and written, for progress
	Parts    []Part
}

// A Part is an operand or result of which each chunk touches a known stretch. In a mapped file the
// stretch is read ahead of the chunk, or written back behind it.
type Part struct {
	Tensor *view.Tensor
	Write  bool
	Extent Extent
}

// An Extent returns the elements, counted in C order from number first on, that a chunk touches,
// and those between them.
type Extent func(chunk int) (first, n int)

// Reads adds an operand. extent is nil if it can't be told which elements a chunk touches.
func (t *Touched) Reads(x *pieces.Operand, extent Extent) {
	t.Storages = append(t.Storages, x.Storages()...)
	t.Bytes += x.Tensor.NumBytes()
	if extent != nil && x.InPlace() {
		t.Parts = append(t.Parts, Part{Tensor: x.Tensor, Extent: extent})
	}
}

// Writes adds a result. extent is nil if it can't be told which elements a chunk touches.
func (t *Touched) Writes(dst *view.Tensor, extent Extent) {
	t.Storages = append(t.Storages, dst.Storage())
	t.Bytes += dst.NumBytes()
	if extent != nil {
		t.Parts = append(t.Parts, Part{Tensor: dst, Write: true, Extent: extent})
	}
}

// Bounds returns the bytes of a part, counted from its first element, that a chunk touches.
func (p *Part) Bounds(chunk int) (lo, hi int) {
	first, n := p.Extent(chunk)
	size := p.Tensor.DType().Size()
	return first * size, (first + n) * size
}
