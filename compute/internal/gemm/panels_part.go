package gemm

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// Alone returns the product of the rows and columns of a part by themselves, whose sums go to c as
// Store takes them. They have the bits of those of the whole product. The elements of c are of the
// type that Sums returns.
func (p *Panels) Alone(at Part, c []byte) Spec {
	at = p.Elements(at)
	t := p.Sums()
	s := Spec{M: at.Rows, N: at.Cols, K: p.K, A: p.A, B: p.B, Workers: 1}
	s.A.Base = unsafe.Add(p.A.matrix(p.Batch, at.Batch), at.Row*p.A.Row)
	s.B.Base = unsafe.Add(p.B.matrix(p.Batch, at.Batch), at.Col*p.B.Col)
	s.C = Operand{Base: unsafe.Pointer(unsafe.SliceData(c)), Type: t, Row: at.Cols * t.Size(), Col: t.Size()}

	// Runs are laid out for all rows and columns.
	s.A.Batch, s.A.Runs = nil, nil
	s.B.Batch, s.B.Runs = nil, nil
	return s
}

// Sums returns the type of the sums of elements, before they are converted to that of C.
func (p *Panels) Sums() dtype.Type {
	if p.final != nil {
		return p.reg
	}
	return p.C.Type
}
