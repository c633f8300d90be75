package kernel

import (
	"math/bits"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// An Entry says what a kernel of a Table computes.
type Entry struct {
	Op   Op
	Type dtype.Type
	Form Form
}

// A Table is what one instruction set has.
type Table struct {
	ISA      string
	Funcs    map[Entry]Func
	Streams  map[Entry]Func         // copies past the caches
	Converts map[[2]dtype.Type]Func // from, to
}

// GenericTable returns the kernels written in Go.
func GenericTable() Table { return exported(generic()) }

// AssembledTables returns the kernels of each instruction set that this CPU has.
func AssembledTables() []Table {
	var tables []Table
	for _, t := range assembled() {
		tables = append(tables, exported(t))
	}
	return tables
}

func exported(t *table) Table {
	out := Table{t.isa, map[Entry]Func{}, map[Entry]Func{}, exportedPairs(&t.converts)}
	for e, fn := range t.funcs {
		out.Funcs[Entry{e.op, e.typ, e.form}] = fn
	}
	for _, typ := range dtype.All() {
		for form, fn := range t.streams[bits.TrailingZeros(uint(typ.Size()))] {
			if fn != nil {
				out.Streams[Entry{Copy, typ, Form(form)}] = fn
			}
		}
	}
	return out
}

func exportedPairs(funcs *[numTypes][numTypes]Func) map[[2]dtype.Type]Func {
	out := map[[2]dtype.Type]Func{}
	for from := range funcs {
		for to, fn := range funcs[from] {
			if fn != nil {
				out[[2]dtype.Type{dtype.Type(from), dtype.Type(to)}] = fn
			}
		}
	}
	return out
}

// Sieves returns s of each instruction set that this CPU has, and in Go.
func Sieves(s Sieve) map[string]func(index []uint32, elems unsafe.Pointer, n int, b *SieveBounds, counts *SieveCounts) int {
	fns := map[string]Func{"go": nil}
	if hasAVX2() {
		fns["avx2"] = sievesAVX2[s]
	}
	if hasAVX512() {
		fns["avx512"] = sievesAVX512[s]
	}
	all := map[string]func([]uint32, unsafe.Pointer, int, *SieveBounds, *SieveCounts) int{}
	for name, fn := range fns {
		all[name] = func(index []uint32, elems unsafe.Pointer, n int, b *SieveBounds, counts *SieveCounts) int {
			return s.run(fn, index, elems, n, b, counts)
		}
	}
	return all
}

// Networks calls test with what makes the networks of each instruction set that this CPU has.
func Networks(test func(name string, lanes func(size int) int, network func(size, rows int) *Network)) {
	try := func(name string, n *networks) {
		test(name, n.lanes, func(size, rows int) *Network { return newNetwork(n, size, rows) })
	}
	if hasAVX2() {
		try("avx2", &networksAVX2)
	}
	if hasAVX512() {
		try("avx512", &networksAVX512)
	}
}
