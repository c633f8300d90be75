package kernel_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// maxElems bounds the elements of an operand here.
const maxElems = 4200

// A place says where operands lie: at the end or at the start of memory with a guard page beyond,
// and how many elements away from there.
type place struct {
	start bool
	skip  int
}

// An arena holds guarded memory for a result and four operands, full of canaries between the jobs,
// and copies of what they should hold.
type arena struct {
	mem  [5][]byte // 0 is for the result
	want []byte
	full [4][]byte // scalars, expanded
}

const arenaBytes = (maxElems+64)*16/4096*4096 + 8192

const canary = 0xa5 // in all memory that holds no elements

// newArena makes an arena, whose memory is looked through once more when the test ends.
func newArena(t testing.TB) *arena {
	a := makeArena(t)
	t.Cleanup(func() {
		for i, mem := range a.mem {
			if k := changed(mem); k >= 0 && !t.Failed() {
				t.Errorf("byte %d of memory %d changed, which lies beside the elements of some job", k, i)
			}
		}
	})
	return a
}

func makeArena(t testing.TB) *arena {
	a := &arena{want: make([]byte, arenaBytes)}
	for i := range a.mem {
		a.mem[i] = guarded(t, arenaBytes)
		surround(a.mem[i])
	}
	for i := range a.full {
		a.full[i] = make([]byte, arenaBytes)
	}
	return a
}

// at returns where n elements of t begin and end in one memory.
func (p place) at(t dtype.Type, n int) (lo, hi int) {
	size, skip := n*t.Size(), p.skip*t.Size()
	if p.start {
		return skip, skip + size
	}
	return arenaBytes - skip - size, arenaBytes - skip
}

// A job is one call of a kernel.
type job struct {
	name     string
	fn       kernel.Func
	meaning  kernel.Func // with vectors for all operands
	operands []dtype.Type
	result   dtype.Type
	form     kernel.Form
	aligned  bool // the result has to begin at a multiple of 64 bytes
	n        int
	places   [5]place // of the result and the operands
	alias    int      // the operand that the result replaces, -1 for none
}

func (j *job) String() string {
	return fmt.Sprintf("%s form %b n=%d places=%v alias=%d", j.name, j.form, j.n, j.places, j.alias)
}

// operandLen returns how many elements operand i has in memory.
func (j *job) operandLen(i int) int {
	if j.form>>i&1 != 0 {
		return 1
	}
	return j.n
}

// check fills the operands by fill, runs the kernel and compares what it makes with what its
// meaning makes: bit for bit but for NaNs. Nothing else in memory may change.
func (a *arena) check(t testing.TB, j *job, fill func(b []byte, t dtype.Type)) {
	t.Helper()
	var in [4][]byte
	var args, full [4]unsafe.Pointer
	for i, typ := range j.operands {
		lo, hi := j.places[i+1].at(typ, j.operandLen(i))
		in[i] = a.mem[i+1][lo:hi]
		fill(in[i], typ)
		args[i] = address(in[i])
		full[i] = a.expand(i, in[i], typ, j.n)
	}
	want := a.want[:j.n*j.result.Size()]
	j.meaning(address(a.want), full[0], full[1], full[2], full[3], j.n)

	lo, hi := j.places[0].at(j.result, j.n)
	dst := a.mem[0][lo:hi]
	if j.alias >= 0 {
		dst = in[j.alias][:len(want)]
	}
	j.call(t, address(dst), args)
	j.compare(t, dst, want, full)
	a.checkKept(t, j, in, len(dst))
	surround(dst)
	a.checkAround(t, j)
}

// call calls the kernel. A fault, which is where a guard page was touched, fails the test.
func (j *job) call(t testing.TB, dst unsafe.Pointer, args [4]unsafe.Pointer) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%v: fault, some byte beside the elements was read or written: %v", j, r)
		}
	}()
	kernel.Call(j.fn, dst, args[0], args[1], args[2], j.n)
}

func address(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// expand returns n elements, one at least: those of in, or its only one repeated.
func (a *arena) expand(i int, in []byte, typ dtype.Type, n int) unsafe.Pointer {
	full := a.full[i][:max(n, 1)*typ.Size()]
	for done := copy(full, in); done > 0 && done < len(full); {
		done += copy(full[done:], full[:done])
	}
	return address(full)
}

func (j *job) compare(t testing.TB, got, want []byte, full [4]unsafe.Pointer) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	size := j.result.Size()
	for k := range j.n {
		g, w := dtype.Load(j.result, got[k*size:]), dtype.Load(j.result, want[k*size:])
		if !sameValue(got[k*size:(k+1)*size], want[k*size:(k+1)*size], j.result) {
			t.Fatalf("%v: element %d is %s, want %s, of %s", j, k, show(g), show(w), j.showOperands(full, k))
		}
	}
}

// showOperands shows element k of each operand.
func (j *job) showOperands(full [4]unsafe.Pointer, k int) string {
	var text string
	for i, typ := range j.operands {
		b := unsafe.Slice((*byte)(unsafe.Add(full[i], k*typ.Size())), typ.Size())
		text += " " + show(dtype.Load(typ, b))
	}
	return text
}

// show returns a value and its bytes.
func show(s dtype.Scalar) string {
	b := make([]byte, s.Type().Size())
	s.Store(b)
	return fmt.Sprintf("%v (%x)", s, b)
}

// sameValue reports whether two elements have the same bits, or are NaN in the same parts.
func sameValue(got, want []byte, t dtype.Type) bool {
	switch t {
	case dtype.Complex64:
		return sameValue(got[:4], want[:4], dtype.Float32) && sameValue(got[4:], want[4:], dtype.Float32)
	case dtype.Complex128:
		return sameValue(got[:8], want[:8], dtype.Float64) && sameValue(got[8:], want[8:], dtype.Float64)
	case dtype.Bool:
		return got[0] == want[0] // Load takes any byte for a bool
	}
	g, w := dtype.Load(t, got), dtype.Load(t, want)
	if t.Kind() == dtype.KindFloat && g.Float64() != g.Float64() {
		return w.Float64() != w.Float64()
	}
	return g == w
}

// surround puts canaries into b.
func surround(b []byte) { copy(b, pattern) }

// checkKept finds operands that changed, but for what the result replaced, and puts canaries in
// their place.
func (a *arena) checkKept(t testing.TB, j *job, in [4][]byte, replaced int) {
	t.Helper()
	for i := range j.operands {
		kept, want := in[i], a.full[i][:len(in[i])]
		if i == j.alias {
			kept, want = kept[replaced:], want[replaced:]
		}
		if !bytes.Equal(kept, want) {
			t.Fatalf("%v: operand %d changed", j, i)
		}
		surround(kept)
	}
}

// checkAround finds bytes that changed near the elements.
func (a *arena) checkAround(t testing.TB, j *job) {
	t.Helper()
	for i := range len(j.operands) + 1 {
		typ, n := j.result, j.n
		if i > 0 {
			typ, n = j.operands[i-1], j.operandLen(i-1)
		}
		lo, hi := j.places[i].at(typ, n)
		lo, hi = max(lo-256, 0), min(hi+256, arenaBytes)
		if k := changed(a.mem[i][lo:hi]); k >= 0 {
			t.Fatalf("%v: byte %d of memory %d changed, which lies beside the elements", j, lo+k, i)
		}
	}
}

// pattern is memory that holds nothing.
var pattern = bytes.Repeat([]byte{canary}, arenaBytes)

// changed returns the place of the first byte that is not the canary, or -1.
func changed(b []byte) int {
	if bytes.Equal(b, pattern[:len(b)]) {
		return -1
	}
	for i, v := range b {
		if v != canary {
			return i
		}
	}
	return -1
}

// randomPlace returns a place for one operand.
func randomPlace(rng *rand.Rand) place {
	p := place{start: rng.IntN(4) == 0}
	if rng.IntN(3) == 0 {
		p.skip = rng.IntN(64)
	}
	return p
}
