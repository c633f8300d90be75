package ptx_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/ptxvm"
)

var long = flag.Bool("long", false, "run the sweeps whole, not in steps")

// TestFunctions compares the bits of every function with those of the Go function that it was
// translated from: of edges, all pairs of them, and of a sample.
func TestFunctions(t *testing.T) {
	names := slices.Sorted(maps.Keys(ptx.Functions()))
	if len(names) < 100 {
		t.Fatalf("there are %d functions, want 100 at least", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testFunction(t, newFunctionCase(t, name))
		})
	}
}

// A functionCase is a function and what it is to compute.
type functionCase struct {
	function *ptx.Function
	operands []dtype.Type
	result   dtype.Type
	want     func(dst unsafe.Pointer, args []unsafe.Pointer, n int)
}

// newFunctionCase finds what a name stands for: an operation and its type, or a conversion.
func newFunctionCase(t *testing.T, name string) *functionCase {
	c := &functionCase{function: ptx.FunctionOf(name)}
	first, second, _ := strings.Cut(name, " ")
	typ, err := dtype.Parse(second)
	if err != nil {
		t.Fatal(err)
	}

	switch first {
	case "To":
		c.operands, c.result = []dtype.Type{dtype.Float32}, typ
	case "Narrow":
		c.operands, c.result = []dtype.Type{dtype.Float64}, typ
	case "From":
		c.operands, c.result = []dtype.Type{typ}, dtype.Float32
	default:
		op := kernel.Neg
		for op.String() != first {
			op++
		}
		c.operands, c.result = slices.Repeat([]dtype.Type{typ}, op.NumOperands()), kernel.ResultType(op, typ)
		c.want = func(dst unsafe.Pointer, args []unsafe.Pointer, n int) {
			args = append(args, nil)
			kernel.Call(kernel.Generic(op, typ, 0), dst, args[0], args[1], nil, n)
		}
		return c
	}
	c.want = func(dst unsafe.Pointer, args []unsafe.Pointer, n int) {
		kernel.Call(kernel.Convert(c.operands[0], c.result), dst, args[0], nil, nil, n)
	}
	return c
}

// partsOf returns the types of the registers of an element.
func partsOf(t dtype.Type) []dtype.Type {
	switch t {
	case dtype.Complex64:
		return []dtype.Type{dtype.Float32, dtype.Float32}
	case dtype.Complex128:
		return []dtype.Type{dtype.Float64, dtype.Float64}
	}
	return []dtype.Type{t}
}

// memoryType is how a number is loaded into a register and stored: extended by its sign.
func memoryType(t dtype.Type) string {
	size := fmt.Sprint(8 * t.Size())
	switch {
	case t.Kind() == dtype.KindFloat && t.Size() >= 4:
		return "f" + size
	case t.Kind() == dtype.KindInt:
		return "s" + size
	}
	return "u" + size
}

// moduleHead is what the text of a module begins with.
const moduleHead = ".version 7.0\n.target sm_70\n.address_size 64\n"

// text returns a module with one entry, k.
func (c *functionCase) text() string {
	var head strings.Builder
	for _, t := range c.function.Tables {
		head.WriteString(t.Declaration())
	}
	return moduleHead + head.String() + c.entry("k")
}

// entry returns an entry that applies the function to the elements of operands.
func (c *functionCase) entry(name string) string {
	var loads, stores strings.Builder
	for i, typ := range c.function.Args {
		fmt.Fprintf(&loads, "\t.reg .%s %%x%d;\n", typ, i)
	}
	for i, typ := range c.function.Results {
		fmt.Fprintf(&loads, "\t.reg .%s %%y%d;\n", typ, i)
	}
	register := 0
	for k, t := range c.operands {
		fmt.Fprintf(&loads, "\tld.param.u64 %%address, [p%d];\n\tmad.wide.u32 %%address, %%i, %d, %%address;\n", k+1, t.Size())
		for part, p := range partsOf(t) {
			fmt.Fprintf(&loads, "\tld.global.%s %%x%d, [%%address+%d];\n", memoryType(p), register, part*p.Size())
			register++
		}
	}
	fmt.Fprintf(&stores, "\tld.param.u64 %%address, [p0];\n\tmad.wide.u32 %%address, %%i, %d, %%address;\n", c.result.Size())
	for part, p := range partsOf(c.result) {
		fmt.Fprintf(&stores, "\tst.global.%s [%%address+%d], %%y%d;\n", memoryType(p), part*p.Size(), part)
	}

	return fmt.Sprintf(`
.visible .entry %s(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 n)
{
	.reg .b64 %%address;
	.reg .b32 %%i, %%n, %%block, %%thread;
	.reg .pred %%outside;
	mov.u32 %%block, %%ctaid.x;
	mov.u32 %%thread, %%tid.x;
	mad.lo.u32 %%i, %%block, 128, %%thread;
	ld.param.u32 %%n, [n];
	setp.ge.u32 %%outside, %%i, %%n;
	@%%outside bra done;
%s%s%sdone:
	ret;
}
`, name, loads.String(), c.function.Text, stores.String())
}

// sampleSize is how many random arguments a function gets.
func sampleSize() int {
	switch {
	case *long:
		return 50_000
	case testing.Short():
		return 200
	}
	return 500
}

func testFunction(t *testing.T, c *functionCase) {
	args, n := c.arguments(rand.New(rand.NewPCG(1, uint64(len(c.function.Text)))), sampleSize())
	want := newAligned(n * c.result.Size())
	var pointers []unsafe.Pointer
	for _, a := range args {
		pointers = append(pointers, unsafe.Pointer(unsafe.SliceData(a)))
	}
	c.want(unsafe.Pointer(unsafe.SliceData(want)), pointers, n)

	var d ptxvm.Device
	m, err := d.Load(c.text())
	if err != nil {
		t.Fatal(err)
	}
	params := make([]uint64, 4)
	params[3] = uint64(n)
	out, err := d.Alloc(len(want))
	if err != nil {
		t.Fatal(err)
	}
	params[0] = out.Address()
	for k, a := range args {
		b, err := d.Alloc(len(a))
		if err == nil {
			err = b.Write(0, a)
		}
		if err != nil {
			t.Fatal(err)
		}
		params[1+k] = b.Address()
	}
	launch := &ptxvm.Launch{Grid: [3]int{(n + 127) / 128, 1, 1}, Block: [3]int{128, 1, 1}, Params: params}
	if err := m.Launch(context.Background(), "k", launch); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if err := out.Read(0, got); err != nil {
		t.Fatal(err)
	}

	size := c.result.Size()
	for i := range n {
		if g, w := got[i*size:][:size], want[i*size:][:size]; !sameBits(c.result, g, w) {
			t.Fatalf("argument %d of %d, %s: got %x, want %x", i, n, c.argument(args, i), g, w)
		}
	}
}

// argument prints the operands of one element.
func (c *functionCase) argument(args [][]byte, i int) string {
	var text []string
	for k, t := range c.operands {
		b := args[k][i*t.Size():][:t.Size()]
		text = append(text, fmt.Sprintf("%x (%v)", b, dtype.Load(t, b)))
	}
	return strings.Join(text, ", ")
}

// arguments returns the operands of n calls.
func (c *functionCase) arguments(r *rand.Rand, sample int) (args [][]byte, n int) {
	t := c.operands[0]
	parts := partsOf(t)
	columns := len(c.operands) * len(parts)
	edges := edgesOf(parts[0])
	var rows [][]uint64
	add := func(row ...uint64) { rows = append(rows, row) }

	switch columns {
	case 1:
		for _, x := range edges {
			add(x)
		}
	case 2:
		for _, x := range edges {
			for _, y := range edges {
				if *long || r.IntN(8) == 0 {
					add(x, y)
				}
			}
		}
	}
	if *long && columns == 1 && t == dtype.Float32 {
		for bits := uint64(0); bits < 1<<32; bits += stepFloat32 {
			add(bits)
		}
	}
	for range sample {
		row := make([]uint64, columns)
		for k := range row {
			row[k] = randomNumber(r, parts[0], edges)
		}
		add(row...)
	}

	for k := range c.operands {
		b := newAligned(len(rows) * t.Size())[:0]
		for _, row := range rows {
			for _, v := range row[k*len(parts):][:len(parts)] {
				b = append(b, binary.LittleEndian.AppendUint64(nil, v)[:parts[0].Size()]...)
			}
		}
		args = append(args, b)
	}
	return args, len(rows)
}

// stepFloat32 is how far apart the bits of arguments are in a sweep over all float32s: a prime, so
// that all exponents and low bits come up.
const stepFloat32 = 2003

// edgeFloats are where functions change what they do.
var edgeFloats = []float64{
	0, 5e-324, 1e-310, 0x1p-1022, 1e-300, 0x1p-149, 0x1p-126, 1e-20, 1e-8, 0.1, 0.25, 0.46, 0.5, 0.625, 0.7071067811865476,
	1, 1.5, 2, 3, math.Pi, 9.2, 10, 16, 20, 28, 40, 88, 89, 104, 105, 240, 448, 464, 465, 709, 710, 745, 746, 1000, 57344, 61440, 65504, 65520,
	1 << 20, 0x1p30, 0x1p31, 0x1p32, 1e15, 0x1p53, 1e22, 0x1p63, 1e38, math.MaxFloat32, 0x1p128, 1e100, 1e300, math.MaxFloat64, math.Inf(1), math.NaN(),
}

// edgesOf returns the bits of numbers at the edges of a type.
func edgesOf(t dtype.Type) (edges []uint64) {
	size := 8 * t.Size()
	if t.Kind() == dtype.KindFloat && size < 32 {
		for v := range uint64(1) << size { // all there are
			edges = append(edges, v)
		}
		return edges
	}
	for _, x := range edgeFloats {
		switch t {
		case dtype.Float64:
			edges = append(edges, math.Float64bits(x), math.Float64bits(-x))
		case dtype.Float32:
			edges = append(edges, uint64(math.Float32bits(float32(x))), uint64(math.Float32bits(float32(-x))))
		}
	}
	if edges == nil {
		top := uint64(1) << (size - 1)
		for _, v := range []uint64{0, 1, 2, 3, 5, 7, 10, 63, 64, 100, top - 1, top, top + 1} {
			edges = append(edges, v&(2*top-1), -v&(2*top-1))
		}
	}
	return edges
}

// randomNumber returns the bits of some number.
func randomNumber(r *rand.Rand, t dtype.Type, edges []uint64) uint64 {
	bits := func(x float64) uint64 {
		if t == dtype.Float32 {
			return uint64(math.Float32bits(float32(x)))
		}
		return math.Float64bits(x)
	}
	switch choice := r.IntN(6); {
	case choice == 0 || t.Kind() != dtype.KindFloat || t.Size() < 4:
		if t.Kind() != dtype.KindFloat && choice > 2 {
			return uint64(r.IntN(200)-100) & (1<<(8*t.Size()-1)<<1 - 1)
		}
		return r.Uint64() >> (64 - 8*t.Size())
	case choice == 1:
		return edges[r.IntN(len(edges))]
	case choice == 2:
		return bits(r.NormFloat64() * 4)
	case choice == 3:
		return bits(r.Float64()*1400 - 700)
	case choice == 4:
		return bits(math.Exp(r.NormFloat64() / 100))
	}
	return bits(math.Ldexp(r.Float64()-0.5, r.IntN(40)-20))
}

// newAligned returns n bytes that numbers of all types may lie in.
func newAligned(n int) []byte {
	words := make([]uint64, n/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)[:n]
}

// sameBits reports whether two elements are the same, or NaN in the same parts.
func sameBits(t dtype.Type, a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	size := partsOf(t)[0].Size()
	for at := 0; at < len(a); at += size {
		if !samePart(partsOf(t)[0], a[at:at+size], b[at:at+size]) {
			return false
		}
	}
	return true
}

func samePart(t dtype.Type, a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	x, y := dtype.Load(t, a).Float64(), dtype.Load(t, b).Float64()
	return t.Kind() == dtype.KindFloat && x != x && y != y
}
