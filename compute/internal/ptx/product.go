package ptx

import (
	"fmt"
	"strings"

	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/dtype"
)

// ProductText returns a module that multiplies two panels of matrices: C = A·B, or C += A·B, where
// A has m columns of k elements, and B has n. So a row of A and one of B belong to one step of the
// sums. They are computed in one of the types that gemm.Register returns, and are what package gemm
// says: the sums of runs, added in order. A launch that adds to C begins a new run.
//
// The parameters of the entry, [ProductEntry], have 8 bytes each: the addresses of A, B and C; m, n
// and k, which are at least 1 and less than 2³¹; the bytes between rows of A, of B and of C; and 1
// to add the product to C, else 0. Addresses and rows of A and B are multiples of 16 bytes. Rows of
// A and B are read up to multiples of the rows and columns of a [Tile]: what is behind m and n may
// be anything. The grid has the tiles of a row of C along x, and those of a column along y.
//
// With copies, elements are taken to shared memory by cp.async, for sm_80 and later.
func ProductText(t dtype.Type, copies bool) string {
	p := &product{
		emitter: newEmitter(), typ: registerType(t), num: numberType(t), size: t.Size(),
		run: gemm.RunLength(t) / depth, copies: copies,
	}
	p.tile.edges[0], p.tile.edges[1] = Tile(t)
	p.entry()

	target := "sm_70"
	if copies {
		target = "sm_80"
	}
	var params []string
	for _, name := range []string{"a", "b", "c", "m", "n", "k", "row_a", "row_b", "row_c", "adds"} {
		params = append(params, ".param .b64 "+name)
	}
	return fmt.Sprintf(".version 7.0\n.target %s\n.address_size 64\n\n.visible .entry %s(%s)\n.maxntid %d\n{\n\t.shared .align 16 .b8 panels[%d];\n%s%s\tret;\n}\n",
		target, ProductEntry, strings.Join(params, ", "), ProductThreads, 2*p.half(), p.declarations(), p.code.String())
}

const (
	// ProductEntry is the name of the entry of products.
	ProductEntry = "product"
	// ProductThreads is the number of threads of a block of theirs.
	ProductThreads = 256

	depth = 8 // the steps whose elements are in shared memory at once
)

// Tile returns the rows and columns of C that a block computes: those for whose sums, and for what
// is added to them, its threads have registers.
func Tile(t dtype.Type) (rows, cols int) {
	if t.Size() == 8 {
		return 128, 64
	}
	return 128, 128
}

// threadsAcross is the number of threads that share the rows, or the columns, of a tile.
const threadsAcross = 16

// A product emits the code of a product. A stage is a part of both panels, some steps deep. Shared
// memory has two halves: the block multiplies a stage in one of them, while the next stage is on
// its way to the other.
type product struct {
	*emitter
	typ, num string // the types of registers, and of instructions
	size     int    // bytes of an element
	run      int    // stages of a run
	copies   bool

	panels [2]panel
	k      string // the steps in all
	first  string // the first step of the stage that is multiplied
	inUse  string // the half that it is in, as bytes from the first one
	tile   tile
}

// half is what one stage takes in shared memory: its part of A, and then that of B.
func (p *product) half() int { return depth * (p.tile.edges[0] + p.tile.edges[1]) * p.size }

// param loads a parameter, and narrow one that has 32 bits.
func (p *product) param(name string) string  { return p.emit("b64", "ld.param.b64", "["+name+"]") }
func (p *product) narrow(name string) string { return p.emit("b32", "cvt.u32.u64", p.param(name)) }

// when emits what only threads do for which a predicate is true.
func (p *product) when(predicate string, do func()) {
	past := p.newLabel()
	p.line("@!%s bra %s", predicate, past)
	do()
	p.mark(past)
}

// entry emits the stages, one after the other.
func (p *product) entry() {
	p.begin()
	p.clear()

	// The first stage, on its own.
	stage := p.emit("b32", "mov.u32", "0")
	p.fetch(stage, p.inUse)
	p.deliver(p.inUse)
	p.line("bar.sync 0")

	loop, done := p.newLabel(), p.newLabel()
	left := p.emit("b32", "mov.u32", text(p.run)) // stages of the run
	p.mark(loop)
	next, other := p.emit("b32", "add.u32", p.first, text(depth)), p.emit("b32", "xor.b32", p.inUse, text(p.half()))
	more := p.emit("pred", "setp.lt.u32", next, p.k)

	// Nobody has read the other half since the last barrier: the next stage may go there.
	p.when(more, func() { p.fetch(next, other) })
	p.multiply()
	p.when(more, func() { p.deliver(other) })
	p.line("bar.sync 0")

	// At the end of a run, and of all, the sums go to C.
	p.set(left, "sub.u32", left, "1")
	ends := p.emit("pred", "setp.eq.u32", left, "0")
	ends = p.emit("pred", "or.pred", ends, p.emit("pred", "not.pred", more))
	p.when(ends, func() {
		p.flush()
		p.clear()
		p.set(left, "mov.u32", text(p.run))
	})

	p.line("@!%s bra %s", more, done)
	p.set(p.first, "mov.u32", next)
	p.set(p.inUse, "mov.u32", other)
	p.line("bra %s", loop)
	p.mark(done)
}

// begin emits where the thread is and what it works on.
func (p *product) begin() {
	thread := p.emit("b32", "mov.u32", "%tid.x")
	p.k = p.narrow("k")
	p.first, p.inUse = p.emit("b32", "mov.u32", "0"), p.emit("b32", "mov.u32", "0")

	// Sixteen threads side by side share the rows of A, and every sixteenth the columns of B.
	down, across := p.emit("b32", "shr.u32", thread, "4"), p.emit("b32", "and.b32", thread, "15")
	rows, cols := p.emit("b32", "mov.u32", "%ctaid.y"), p.emit("b32", "mov.u32", "%ctaid.x")
	p.panels[0] = p.newPanel("a", thread, rows, down, p.tile.edges[0], 0)
	p.panels[1] = p.newPanel("b", thread, cols, across, p.tile.edges[1], depth*p.tile.edges[0]*p.size)
	p.beginTile(rows, cols, down, across)
}
