package kernel_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// pointer returns the address of the first element.
func pointer[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// benchBytes is the size of the largest operand, about that of a register.
const benchBytes = 8 << 10

// Benchmark runs what Lookup returns, over operands in the first-level cache, in the forms that
// there are.
func Benchmark(b *testing.B) {
	a := newArena(b)
	rng := newRand()
	for op := kernel.Copy; op < kernel.NumOps; op++ {
		for _, typ := range dtype.All() {
			for form := range kernel.Form(16) {
				fn := kernel.Lookup(op, typ, form)
				if fn == nil {
					continue
				}
				b.Run(fmt.Sprintf("%v/%v/%s", op, typ, formName(op, form)), func(b *testing.B) {
					j := opJob(b, "", kernel.Entry{Op: op, Type: typ, Form: form}, fn)
					a.bench(b, j, func(b []byte, t dtype.Type) { fillFrom(b, t, rng) })
				})
			}
		}
	}
}

// BenchmarkConvert does the same for conversions.
func BenchmarkConvert(b *testing.B) {
	a := newArena(b)
	rng := newRand()
	for _, from := range dtype.All() {
		for _, to := range dtype.All() {
			b.Run(fmt.Sprintf("%v/%v", from, to), func(b *testing.B) {
				j := convertJob("", [2]dtype.Type{from, to}, kernel.Convert(from, to))
				a.bench(b, j, func(b []byte, t dtype.Type) { fillFrom(b, t, rng) })
			})
		}
	}
}

// bench calls the kernel of a job. SetBytes counts what it reads and writes.
func (a *arena) bench(b *testing.B, j *job, fill func(b []byte, t dtype.Type)) {
	size := j.result.Size()
	for _, typ := range j.operands {
		size = max(size, typ.Size())
	}
	j.n = min(benchBytes/size, maxElems)
	var args [4]unsafe.Pointer
	moved := j.n * j.result.Size()
	for i, typ := range j.operands {
		in := a.mem[i+1][:j.operandLen(i)*typ.Size()]
		fill(in, typ)
		args[i] = address(in)
		moved += len(in)
	}
	b.SetBytes(int64(moved))
	b.ReportAllocs()
	for b.Loop() {
		kernel.Call(j.fn, address(a.mem[0]), args[0], args[1], args[2], j.n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())*1000/float64(b.N)/float64(j.n), "ps/elem")
	for i := range a.mem {
		surround(a.mem[i])
	}
}

// formName spells a form: v for each vector and s for each scalar.
func formName(op kernel.Op, form kernel.Form) string {
	name := ""
	for i := range op.NumOperands() {
		name += string("vs"[form>>i&1])
	}
	return name
}
