package gemm

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A product is what all chunks of a job share. Rows, columns and k count numbers of the register
// type.
type product struct {
	Spec
	reg   dtype.Type
	size  int // bytes of a number
	micro micro
	a, b  source
	runsA source // of Operand.Runs
	runsB source
	cols  int         // N in numbers
	deep  int         // K in numbers
	run   int         // numbers of k that are added up before the sum is rounded into C
	parts int         // numbers of an element of C
	final kernel.Func // makes elements of C of sums; nil if they are that already
	count int         // of products
}

func newProduct(s Spec, kernels map[dtype.Type]micro) *product {
	p := &product{Spec: s, reg: Register(s.C.Type), parts: 1, count: 1}
	p.size = p.reg.Size()
	var ok bool
	if p.micro, ok = kernels[p.reg]; !ok {
		p.micro = portable[p.reg]
	}

	p.a = newSource(&p.A, p.reg, s.A.Row, s.A.Col, p.micro.rows, false)
	p.b = newSource(&p.B, p.reg, s.B.Col, s.B.Row, p.micro.cols, true)

	// runsA and runsB read Operand.Runs, where the elements of a run are side by side.
	long := RunElems(s.C.Type)
	p.runsA = newSource(&p.A, p.reg, long*s.A.Type.Size(), s.A.Type.Size(), p.micro.rows, false)
	p.runsB = newSource(&p.B, p.reg, long*s.B.Type.Size(), s.B.Type.Size(), p.micro.cols, true)

	if s.C.Type.Kind() == dtype.KindComplex {
		p.parts = 2
	}
	p.cols, p.deep, p.run = s.N*p.parts, s.K*p.parts, RunLength(p.reg)

	if s.C.Type.Size() != p.size*p.parts || s.C.Type == dtype.Bool {
		p.final = kernel.Convert(p.reg, s.C.Type)
	}

	for _, n := range s.Batch {
		p.count *= n
	}

	return p
}

// RunLength returns the number of products for results of type t that are added up before the sum
// is rounded: it is a part of what a sum is, the same for all kernels. Panels of that length fit
// the first cache.
func RunLength(t dtype.Type) int {
	if Register(t).Size() == 8 {
		return 256
	}
	return 384
}

// RunElems is RunLength in elements: a complex one is two numbers.
func RunElems(t dtype.Type) int {
	if t.Kind() == dtype.KindComplex {
		return RunLength(t) / 2
	}
	return RunLength(t)
}

// Tile says how many rows and columns of results of type t the kernel of this CPU has in registers.
func Tile(t dtype.Type) string {
	m, ok := variants[0][Register(t)]
	if !ok {
		m = portable[Register(t)]
	}
	return fmt.Sprintf("%d × %d", m.rows, m.cols)
}

// runs returns the number of runs of a sum.
func (p *product) runs() int { return (p.deep + p.run - 1) / p.run }

// work returns the number of products of one matrix.
func (p *product) work() int { return p.M * p.cols * p.deep }

// placeA returns how rows of a matrix are packed from one on, over steps that begin at a number of k,
// and where they lie. Steps of a whole run of k may lie in Operand.Runs.
func (p *product) placeA(matrix unsafe.Pointer, row, from int) (*source, unsafe.Pointer) {
	if p.A.Runs != nil && p.isWhole(from) {
		at := (from/p.run*p.M+row)*p.runsA.across + from%p.run/p.a.twice*p.runsA.along
		return &p.runsA, unsafe.Add(p.A.Runs, at)
	}
	return &p.a, unsafe.Add(matrix, row*p.A.Row+from/p.a.twice*p.A.Col)
}

// placeB is placeA for columns, in numbers.
func (p *product) placeB(matrix unsafe.Pointer, col, from int) (*source, unsafe.Pointer) {
	if p.B.Runs != nil && p.isWhole(from) {
		at := (from/p.run*p.N+col/p.b.wide)*p.runsB.across + from%p.run/p.b.twice*p.runsB.along
		return &p.runsB, unsafe.Add(p.B.Runs, at)
	}
	return &p.b, unsafe.Add(matrix, col/p.b.wide*p.B.Col+from/p.b.twice*p.B.Row)
}

// isWhole reports whether the run of a number of k has all its steps.
func (p *product) isWhole(from int) bool { return from-from%p.run+p.run <= p.deep }

// packA packs rows [row, row+rows) of a matrix over kc numbers of a run.
func (p *product) packA(dst, matrix unsafe.Pointer, row, rows, from, kc int, room unsafe.Pointer) {
	s, at := p.placeA(matrix, row, from)
	s.pack(dst, at, rows, kc, p.size, room)
}

// packB packs columns [col, col+cols), in numbers.
func (p *product) packB(dst, matrix unsafe.Pointer, col, cols, from, kc int, room unsafe.Pointer) {
	s, at := p.placeB(matrix, col, from)
	s.pack(dst, at, cols/s.wide, kc, p.size, room)
}

// finish makes elements of C of rows of sums.
func (p *product) finish(sums target, c unsafe.Pointer, rows, cols int) {
	for i := range rows {
		convert(p.final, unsafe.Add(c, i*p.C.Row), unsafe.Add(sums.at, i*sums.stride), cols)
	}
}

// scratch returns the bytes that a worker needs to pack and for a tile.
func (p *product) scratch() int {
	return max(p.a.scratch(p.run), p.b.scratch(p.run))
}

// zero sets matrix number i of C to zeros, as sums of nothing are.
func (p *product) zero(i int) {
	c := p.C.matrix(p.Batch, i)
	for row := range p.M {
		clear(unsafe.Slice((*byte)(unsafe.Add(c, row*p.C.Row)), p.N*p.C.Type.Size()))
	}
}

// roundUp returns the smallest multiple of m that is n or more.
func roundUp(n, m int) int { return (n + m - 1) / m * m }

// ceil returns n/m, rounded up.
func ceil(n, m int) int { return (n + m - 1) / m }
