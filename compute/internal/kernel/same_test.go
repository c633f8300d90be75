package kernel_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// lengths are those around the vectors and unrolled loops of every instruction set.
func lengths() []int {
	if raceBuild {
		return fewLengths
	}
	var all []int
	for n := range 131 {
		all = append(all, n)
	}
	return append(all, 191, 255, 256, 257, 511, 513, 1000, 1024, 2049, 4099)
}

// fewLengths are for kernels whose loops have no cases.
var fewLengths = []int{0, 1, 2, 5, 64, 130, 1001}

// entries returns the keys in order, so that failures are the same in each run.
func entries(funcs map[kernel.Entry]kernel.Func) []kernel.Entry {
	return slices.SortedFunc(maps.Keys(funcs), func(a, b kernel.Entry) int {
		if a.Op != b.Op {
			return int(a.Op) - int(b.Op)
		}
		if a.Type != b.Type {
			return int(a.Type) - int(b.Type)
		}
		return int(a.Form) - int(b.Form)
	})
}

// TestAssembledAgainstGo runs all kernels of each instruction set beside those in Go.
func TestAssembledAgainstGo(t *testing.T) {
	for _, table := range kernel.AssembledTables() {
		a := newArena(t)
		for _, e := range entries(table.Funcs) {
			sweep(t, a, opJob(t, table.ISA, e, table.Funcs[e]), lengths())
		}
		for _, e := range entries(table.Streams) {
			j := opJob(t, table.ISA+" past the caches", e, table.Streams[e])
			j.aligned = true
			sweep(t, a, j, lengths())
		}
	}
}

// TestFormsInGo runs all kernels in Go, with scalars and in place, beside the ones whose operands
// are vectors.
func TestFormsInGo(t *testing.T) {
	a, table := newArena(t), kernel.GenericTable()
	for _, e := range entries(table.Funcs) {
		sweep(t, a, opJob(t, table.ISA, e, table.Funcs[e]), fewLengths)
	}
}

// TestLookupAgainstGo runs what Lookup returns in each form that any instruction set has.
func TestLookupAgainstGo(t *testing.T) {
	a := newArena(t)
	for _, table := range append(kernel.AssembledTables(), kernel.GenericTable()) {
		for _, e := range entries(table.Funcs) {
			if fn := kernel.Lookup(e.Op, e.Type, e.Form); fn != nil {
				sweep(t, a, opJob(t, "Lookup", e, fn), []int{0, 1, 77})
			}
		}
	}
}

// TestConverts runs the conversions of every table beside those of package dtype.
func TestConverts(t *testing.T) {
	a := newArena(t)
	for _, table := range kernel.AssembledTables() {
		for pair, fn := range table.Converts {
			sweep(t, a, convertJob(table.ISA, pair, fn), lengths())
		}
	}
	for pair, fn := range kernel.GenericTable().Converts {
		sweep(t, a, convertJob("go", pair, fn), fewLengths)
		sweep(t, a, convertJob("Lookup", pair, kernel.Convert(pair[0], pair[1])), fewLengths)
	}
}

// sweep runs one kernel over lengths, places and ways to replace an operand.
func sweep(t *testing.T, a *arena, j *job, lengths []int) {
	rng := newRand()
	fill := func(b []byte, t dtype.Type) { fillFrom(b, t, rng) }
	for _, j.n = range lengths {
		for j.alias = -1; j.alias < len(j.operands); j.alias++ {
			if !j.mayAlias() || j.n > 40 && rng.IntN(3) > 0 {
				continue
			}
			j.place(rng)
			a.check(t, j, fill)
		}
	}
}

// opJob returns the job that runs the kernel fn of e.
func opJob(t testing.TB, name string, e kernel.Entry, fn kernel.Func) *job {
	j := &job{
		name:    fmt.Sprintf("%s %v/%v", name, e.Op, e.Type),
		fn:      fn,
		meaning: kernel.Generic(e.Op, e.Type, 0),
		result:  kernel.ResultType(e.Op, e.Type),
		form:    e.Form,
	}
	if j.meaning == nil && (e.Type == dtype.Float16 || e.Type == dtype.BFloat16) {
		j.meaning, j.result = halfMeaning(e), e.Type
	}
	if j.meaning == nil || !j.result.Valid() {
		t.Fatalf("%s is there, but has no meaning: no kernel in Go", j.name)
	}
	for i := range e.Op.NumOperands() {
		typ := e.Type
		if e.Op == kernel.Where && i == 0 {
			typ = dtype.Bool
		}
		j.operands = append(j.operands, typ)
	}
	return j
}

// convertJob returns the job that runs the conversion fn of a pair of types.
func convertJob(name string, pair [2]dtype.Type, fn kernel.Func) *job {
	from, to := pair[0], pair[1]
	return &job{
		name: fmt.Sprintf("%s %v to %v", name, from, to),
		fn:   fn,
		meaning: func(dst, a, _, _, _ unsafe.Pointer, n int) {
			dtype.Convert(unsafe.Slice((*byte)(dst), n*to.Size()), to, unsafe.Slice((*byte)(a), n*from.Size()), from)
		},
		operands: []dtype.Type{from},
		result:   to,
	}
}

// mayAlias reports whether the result may replace the operand that the job says.
func (j *job) mayAlias() bool {
	if j.alias < 0 {
		return true
	}
	return !j.aligned && j.form>>j.alias&1 == 0 && j.operands[j.alias].Size() >= j.result.Size()
}

// place puts the operands anywhere, and the result as well, but for one that has to be aligned.
func (j *job) place(rng *rand.Rand) {
	for i := range j.places {
		j.places[i] = randomPlace(rng)
	}
	if !j.aligned {
		return
	}
	j.places[0] = place{start: true}
	if size := j.n * j.result.Size(); size%64 == 0 && rng.IntN(2) == 0 {
		j.places[0].start = false
	}
}
