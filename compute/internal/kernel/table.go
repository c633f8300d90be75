package kernel

import (
	"maps"
	"sync"

	"github.com/tstore/tstore/dtype"
)

// numTypes is the number of element types, with [dtype.Invalid].
const numTypes = int(dtype.Complex128) + 1

// An entry says what a kernel computes.
type entry struct {
	op   Op
	typ  dtype.Type
	form Form
}

// A table holds the kernels written for one instruction set, or several tables merged.
type table struct {
	isa      string
	funcs    map[entry]Func
	converts [numTypes][numTypes]Func
	gathers  gathers
	streams  streams
}

func newTable(isa string) *table {
	return &table{isa: isa, funcs: map[entry]Func{}}
}

// set makes fn the kernel of op on operands of type typ (of b and c, for Where) in one form.
func (t *table) set(op Op, typ dtype.Type, form Form, fn Func) { t.funcs[entry{op, typ, form}] = fn }

// setConvert makes fn the conversion of a pair of types.
func (t *table) setConvert(from, to dtype.Type, fn Func) { t.converts[from][to] = fn }

// merge takes over all kernels of u, which replace those of t.
func (t *table) merge(u *table) {
	t.isa = u.isa
	maps.Copy(t.funcs, u.funcs)
	t.gathers.merge(&u.gathers)
	t.streams.merge(&u.streams)
	for from := range u.converts {
		for to, fn := range u.converts[from] {
			if fn != nil {
				t.converts[from][to] = fn
			}
		}
	}
}

// generic holds the kernels written in Go: every operation, in form 0 at least.
var generic = sync.OnceValue(func() *table {
	t := newTable("go")
	registerGo(t)
	registerMath(t)
	return t
})

// assembled holds one table for each instruction set that this CPU has and kernels are written for,
// the fastest last.
var assembled = sync.OnceValue(func() []*table {
	var tables []*table
	if hasAVX2() {
		t := newTable("avx2")
		registerAVX2(t)
		tables = append(tables, t)
	}
	if hasAVX512() {
		t := newTable("avx512")
		registerAVX512(t)
		tables = append(tables, t)
	}
	return tables
})

// best holds the fastest kernels of this CPU. Where assembly takes vectors only, a scalar is better
// made a vector than given to the kernel in Go that takes it.
var best = sync.OnceValue(func() *table {
	fast := newTable("go")
	for _, u := range assembled() {
		fast.merge(u)
	}
	t := newTable("go")
	t.merge(generic())
	maps.DeleteFunc(t.funcs, func(e entry, _ Func) bool { return fast.funcs[entry{e.op, e.typ, 0}] != nil })
	t.merge(fast)
	return t
})

// Lookup returns the fastest kernel of this CPU for op on operands of type t. For Where, t is the
// type of b and c. It returns nil if there is no kernel of this form. The zero Form exists for
// every op and t that have a ResultType. There may also be kernels for float16 and bfloat16, which
// have none: they widen two operands to float32 and round the result, which saves writing
// intermediate elements.
func Lookup(op Op, t dtype.Type, f Form) Func { return best().funcs[entry{op, t, f}] }

// Convert returns the kernel that converts elements of type from to type to, as [dtype.Convert]
// does. It exists for all types, including those without other operations.
func Convert(from, to dtype.Type) Func { return best().converts[from][to] }

// Generic returns what Lookup does, written in Go: its meaning.
func Generic(op Op, t dtype.Type, f Form) Func { return generic().funcs[entry{op, t, f}] }

// ISA names the instruction set of the fastest kernels here: "avx512", "avx2" or "go".
func ISA() string { return best().isa }
