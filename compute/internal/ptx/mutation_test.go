package ptx_test

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/ptx/ptxtest"
	"github.com/tstore/tstore/dtype"
)

// mutate changes all code that the tests run. TestMutations alone sets it.
var mutate = func(text string) string { return text }

// A mutation is a mistake in code: one match of an expression, or each, is replaced.
type mutation struct {
	name, find, replacement string
	match                   int // which one is replaced: from 0, or from the last, which is -1
	all                     bool
}

// apply returns the text with the mistake, and whether there was a place for it.
func (m *mutation) apply(text string) (string, bool) {
	find := regexp.MustCompile(m.find)
	if m.all {
		return find.ReplaceAllString(text, m.replacement), find.MatchString(text)
	}
	found := find.FindAllStringSubmatchIndex(text, -1)
	at := m.match
	if at < 0 {
		at += len(found)
	}
	if at < 0 || at >= len(found) {
		return text, false
	}
	changed := find.ExpandString(nil, m.replacement, text, found[at])
	return text[:found[at][0]] + string(changed) + text[found[at][1]:], true
}

// caught are mistakes that the comparisons, or the strictness of the interpreter, must find.
var caught = []struct {
	of        string
	run       func() error
	mutations []mutation
}{
	{"programs", runPrograms, []mutation{
		{name: "one element too many", find: `setp\.lt\.u64 (%p\d+, %q\d+, %q\d+)`, replacement: "setp.le.u64 $1", all: true},
		{name: "a store for which there is no element", find: `@%p\d+ st\.global`, replacement: "st.global", match: -1},
		{name: "vectors where there are fewer elements", find: `@!%p4 bra`, replacement: "@!%p1 bra", all: true},
		{name: "a vector that is not aligned", find: `(ld\.global\.v4\S+ \{[^}]*\}, \[%q\d+)\]`, replacement: "$1+4]"},
		{name: "a rounding left out", find: `mul\.rn\.f32`, replacement: "mul.f32", all: true},
		{name: "a product and a sum rounded once", find: `mul\.rn\.f32 (%\w+), (%\w+), (%\w+);\n\tadd\.rn\.f32 (%\w+), (%\w+), (%\w+);`, replacement: "fma.rn.f32 $4, $2, $3, $6;", all: true},
		{name: "columns and rows exchanged", find: `rem\.u32`, replacement: "div.u32", all: true},
		{name: "strides exchanged", find: `_stride0\]`, replacement: "_stride1]", all: true},
		{name: "an input taken for another", find: `\[in1\]`, replacement: "[in0]", all: true},
		{name: "the first element of a thread for each of its", find: `\+(4|8|12)\]`, replacement: "+0]", all: true},
		{name: "a block that has the elements of another", find: `%ctaid\.x`, replacement: "%tid.x"},
		{name: "a register that nobody sets", find: `\tadd\.rn\.f32 [^\n]*\n`, replacement: ""},
	}},
	{"folds", func() error { return runFolds(false, ptx.Packed) }, []mutation{
		{name: "elements taken before they are there", find: `bar\.sync 0;`, replacement: ""},
		{name: "elements replaced before they are taken", find: `bar\.sync 0;`, replacement: "", match: -1},
		{name: "elements behind the end of a segment", find: `(setp\.lt\.u64 %p3, %q\d+), %q\d+`, replacement: "$1, 1000000"},
		{name: "threads without a lane", find: `@%p0 (ld\.global)`, replacement: "$1"},
		{name: "the lanes of the first box for all", find: `(mul\.lo\.u64 %q\d+, %q\d+), %q\d+`, replacement: "$1, 0"},
		{name: "each element to each lane", find: `(add\.u32 (%r\d+), %r\d+), (%r\d+);\n\tbra`, replacement: "$1, 1;\n\tbra"},
		{name: "elements of a stage left out", find: `(sub\.u32 %r\d+, %r\d+), 512`, replacement: "$1, 511"},
		{name: "segments after the first left out", find: `(add\.u64 (%q\d+), %q\d+), 16;`, replacement: "$1, 4096;"},
		{name: "what rounding loses, with the wrong sign", find: `sub\.rn\.f64 (%d\d+), (%d\d+), (%d\d+)`, replacement: "sub.rn.f64 $1, $3, $2", match: 1},
		{name: "what rounding loses, not stored", find: `@%p0 st\.global[^\n]*\n`, replacement: "", match: -1},
		{name: "sums that begin anew", find: `@%p0 (ld\.global\.f64 %d0), [^\n]*;`, replacement: "mov.f64 %d0, 0d0000000000000000;"},
	}},
	{"folds of columns", func() error { return runFolds(true, ptx.Packed) }, []mutation{
		{name: "lanes that a box does not have", find: `@%p0 bra L1;\n`, replacement: ""},
		{name: "four rows where there are fewer", find: `(mad\.lo\.u64 %q\d+, %q\d+), 3, (%q\d+;\n\tsetp)`, replacement: "$1, 2, $2"},
		{name: "a row taken twice", find: `(mad\.lo\.u64 %q30, %q\d+), 4,`, replacement: "$1, 3,"},
		{name: "a row of another box", find: `(setp\.ge\.u64 %p5), `, replacement: "setp.gt.u64 %p5, "},
		{name: "blocks of one column of threads", find: `%ctaid\.y`, replacement: "%ctaid.x"},
	}},
	{"folds of inputs where they lie", func() error { return runFolds(false, ptx.Strided) }, []mutation{
		{name: "rows and columns exchanged", find: `div\.u32`, replacement: "rem.u32", all: true},
		{name: "elements counted from the first segment", find: `sub\.u64 (%q\d+), (%q\d+), %q\d+`, replacement: "mov.b64 $1, $2"},
		{name: "the address of another input", find: `\+40\]`, replacement: "+48]"},
		{name: "the columns of a segment for its rows", find: `\+24\]`, replacement: "+32]"},
		{name: "strides exchanged", find: `_stride0\]`, replacement: "_stride1]", all: true},
	}},
	{"products", runProducts, []mutation{
		{name: "the first stage not awaited", find: `cp\.async\.wait_all;`, replacement: ""},
		{name: "the next stage not awaited", find: `cp\.async\.wait_all;`, replacement: "", match: -1},
		{name: "no barrier behind the first stage", find: `bar\.sync 0;`, replacement: ""},
		{name: "no barrier behind the others", find: `bar\.sync 0;`, replacement: "", match: -1},
		{name: "both stages in one half", find: `xor\.b32 (%r\d+), (%r\d+), 8192`, replacement: "mov.b32 $1, $2"},
		{name: "runs twice as long", find: `(mov\.u32 %r\d+), 48;`, replacement: "$1, 96;", all: true},
		{name: "sums of a run in the next one", find: `mov\.f32 %s8, 0f00000000;`, replacement: "", match: -1},
		{name: "a product rounded before it is added", find: `fma\.rn\.f32 (%s\d+), (%s\d+), (%s\d+), (%s\d+)`, replacement: "mul.rn.f32 %s279, $2, $3;\n\tadd.rn.f32 $1, $4, %s279", all: true},
		{name: "a row too many", find: `setp\.lt\.u32 (%p9), `, replacement: "setp.le.u32 $1, "},
		{name: "steps behind the last", find: `setp\.lt\.u32 (%p0), `, replacement: "setp.le.u32 $1, ", all: true},
		{name: "not added to what is there", find: `setp\.ne\.u64 (%p2), (%q\d+), 0`, replacement: "setp.ne.u64 $1, $2, $2"},
	}},
}

// TestMutations makes mistakes in the code, one after the other, and expects each to be found:
// without -long each third of them.
func TestMutations(t *testing.T) {
	right := mutate
	defer func() { mutate = right }()
	for _, suite := range caught {
		mutate = right
		if err := suite.run(); err != nil {
			t.Fatalf("%s without a mistake: %v", suite.of, err)
		}
		for i, m := range suite.mutations {
			if !*long && i%3 > 0 {
				continue
			}
			made := false
			mutate = func(text string) string {
				changed, ok := m.apply(text)
				made = made || ok
				return changed
			}
			switch err := suite.run(); {
			case !made:
				t.Errorf("%s: there is no place for %q", suite.of, m.name)
			case err == nil:
				t.Errorf("%s: %q is not found", suite.of, m.name)
			}
		}
	}
}

// runPrograms runs a·b + a over operands of all layouts.
func runPrograms() error {
	p := &jit.Program{
		Inputs: []dtype.Type{dtype.Float32, dtype.Float32}, Outputs: []int{3},
		Ops: []jit.Op{
			{Op: kernel.Mul, Operand: dtype.Float32, Result: dtype.Float32, Args: [3]int{0, 1}},
			{Op: kernel.Add, Operand: dtype.Float32, Result: dtype.Float32, Args: [3]int{2, 0}},
		},
	}
	for i, layouts := range [][]ptx.Layout{{ptx.Packed, ptx.Packed}, {ptx.Packed, ptx.PerColumn}, {ptx.PerRow, ptx.Packed}, {ptx.Strided, ptx.Packed}} {
		c := &layoutCase{
			program: p, cols: 7, dims: []int{59, 37}, n: 59 * 37,
			layouts: &ptx.Layouts{Rank: 2, Inputs: layouts, Outputs: []ptx.Layout{ptx.Packed}},
		}
		if err := c.compare(rand.New(rand.NewPCG(1, uint64(i)))); err != nil {
			return err
		}
	}
	return nil
}

// runFolds adds up a·b + a of float64, in boxes with lanes of their own or not.
func runFolds(perLane bool, of ptx.Layout) error {
	p := &jit.Program{
		Inputs: []dtype.Type{dtype.Float64, dtype.Float64}, Folds: []jit.Fold{{Op: kernel.FoldSum, Value: 3}},
		Ops: []jit.Op{
			{Op: kernel.Mul, Operand: dtype.Float64, Result: dtype.Float64, Args: [3]int{0, 1}},
			{Op: kernel.Add, Operand: dtype.Float64, Result: dtype.Float64, Args: [3]int{2, 0}},
		},
	}
	for i := range uint64(12) {
		layouts := &ptx.Layouts{Inputs: []ptx.Layout{of, of}, Rank: 3, Rows: 1}
		k, err := ptx.CompileFolds(p, layouts, perLane)
		if err == nil {
			err = compareFolds(rand.New(rand.NewPCG(2, i)), p, layouts, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runProducts multiplies matrices in parts of tiles, of several runs, in one launch and in several.
func runProducts() error {
	for i, s := range [][3]int{{4, 9, 12}, {3, 2, 2*384 + 20}} {
		c := ptxtest.NewProduct(rand.New(rand.NewPCG(3, uint64(i))), dtype.Float32, s[0], s[1], s[2], 2000)
		if err := compareProduct(c, true); err != nil {
			return err
		}
	}
	return nil
}

// A mutation replaces what it says.
func TestMutation(t *testing.T) {
	tests := []struct {
		mutation
		want string
		ok   bool
	}{
		{mutation{find: `(b\d)`, replacement: "<$1>"}, "a1 <b2> b3", true},
		{mutation{find: `b\d`, match: -1}, "a1 b2 ", true},
		{mutation{find: `\d`, replacement: "0", all: true}, "a0 b0 b0", true},
		{mutation{find: `b\d`, match: 2}, "a1 b2 b3", false},
		{mutation{find: `c`, all: true}, "a1 b2 b3", false},
	}
	for _, tt := range tests {
		if got, ok := tt.apply("a1 b2 b3"); got != tt.want || ok != tt.ok {
			t.Errorf("%+v: got %q, %v", tt, got, ok)
		}
	}
}
