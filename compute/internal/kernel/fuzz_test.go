package kernel_test

import (
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// FuzzKernels runs one operation by the kernels of every instruction set beside those in Go. The
// data are the bytes of all operands' elements, repeated as often as needed.
func FuzzKernels(f *testing.F) {
	for op := kernel.Copy; op < kernel.NumOps; op++ {
		f.Add(uint8(op), uint8(dtype.Float32), uint8(0), uint16(67), uint8(3), uint8(0), []byte("\x00\x00\x80\x3f\x00\x00\xc0\x7f"))
		f.Add(uint8(op), uint8(dtype.Int16), uint8(2), uint16(130), uint8(0), uint8(1), []byte("\x00\x80\xff\xff\x00\x01\x10"))
		for _, typ := range []dtype.Type{dtype.Bool, dtype.Int8, dtype.Uint64, dtype.Float64, dtype.Complex64} {
			special := pools[typ][:61*typ.Size()] // as many elements as divide no vector
			for form := range uint8(3) {
				if !*long && (int(op)+int(typ)+int(form))%3 != 0 {
					continue
				}
				f.Add(uint8(op), uint8(typ), form, uint16(40+17*int(form)), form, form, special)
			}
		}
	}
	f.Fuzz(func(t *testing.T, op, typ, form uint8, n uint16, skip, alias uint8, data []byte) {
		e := kernel.Entry{Op: kernel.Op(op), Type: dtype.Type(typ), Form: kernel.Form(form)}
		if kernel.Generic(e.Op, e.Type, 0) == nil || len(data) == 0 {
			t.Skip("not an operation")
		}
		a := newArena(t)
		for _, j := range jobsOf(t, e) {
			j.n = int(n) % maxElems
			for i := range j.places {
				j.places[i].skip = int(skip) % 64
			}
			j.alias = int(alias)%(len(j.operands)+1) - 1
			if !j.mayAlias() {
				j.alias = -1
			}
			if j.aligned {
				j.places[0] = place{start: true}
			}
			rest := data
			a.check(t, j, func(b []byte, _ dtype.Type) { rest = repeat(b, rest, data) })
		}
	})
}

// FuzzConverts does the same for conversions.
func FuzzConverts(f *testing.F) {
	for _, from := range dtype.All() {
		f.Add(uint8(from), uint8(dtype.Float32), uint16(67), uint8(3), []byte("\x00\x00\x80\x3f\x00\x00\xc0\x7f"))
		f.Add(uint8(from), uint8(dtype.Float16), uint16(33), uint8(3), []byte("\xff\xff\x7f\x47\x00\xf0\x7f\x47\x01"))
		f.Add(uint8(from), uint8(dtype.Int32), uint16(130), uint8(0), []byte("\x00\x80\xff\xff\x00\x01\x10"))
	}
	f.Fuzz(func(t *testing.T, from, to uint8, n uint16, skip uint8, data []byte) {
		pair := [2]dtype.Type{dtype.Type(from), dtype.Type(to)}
		if !pair[0].Valid() || !pair[1].Valid() || len(data) == 0 {
			t.Skip("not a pair of types")
		}
		a := newArena(t)
		for _, table := range append(kernel.AssembledTables(), kernel.GenericTable()) {
			fn := table.Converts[pair]
			if fn == nil {
				continue
			}
			j := convertJob(table.ISA, pair, fn)
			j.n, j.alias = int(n)%maxElems, -1
			for i := range j.places {
				j.places[i].skip = int(skip) % 64
			}
			rest := data
			a.check(t, j, func(b []byte, _ dtype.Type) { rest = repeat(b, rest, data) })
		}
	})
}

// jobsOf returns a job for each kernel of e that any instruction set has.
func jobsOf(t testing.TB, e kernel.Entry) []*job {
	var jobs []*job
	for _, table := range append(kernel.AssembledTables(), kernel.GenericTable()) {
		if fn := table.Funcs[e]; fn != nil {
			jobs = append(jobs, opJob(t, table.ISA, e, fn))
		}
		if fn := table.Streams[e]; fn != nil {
			j := opJob(t, table.ISA+" past the caches", e, fn)
			j.aligned = true
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// repeat fills b with data again and again, beginning with the rest of it, and returns what is left
// then.
func repeat(b, rest, data []byte) []byte {
	for len(b) > 0 {
		if len(rest) == 0 {
			rest = data
		}
		n := copy(b, rest)
		b, rest = b[n:], rest[n:]
	}
	return rest
}
