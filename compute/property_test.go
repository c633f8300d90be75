package compute

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// randomProgram makes a program over tensors a, b and c, which it also lays out. The same seed
// makes the same.
type randomProgram struct {
	rng      *rand.Rand
	types    []dtype.Type
	operands map[string]*view.Tensor
	shape    []int
	tune     func(*Plan) // if not nil, changes plans before they run
}

var propertyTypes = map[string][]dtype.Type{
	"integers": {dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64},
	"floats":   {dtype.Float16, dtype.Float32, dtype.Float64},
	"narrow":   {dtype.BFloat16},
	"mixed":    {dtype.Bool, dtype.Int8, dtype.Int32, dtype.Uint16, dtype.Float16, dtype.Float32, dtype.Float64},
}

// newRandomProgram lays three tensors out: a as one of the catalogue, b in another order, c
// broadcast to their shape.
func newRandomProgram(t testing.TB, seed uint64, family string) *randomProgram {
	p := &randomProgram{rng: rand.New(rand.NewPCG(seed, 0)), types: propertyTypes[family], operands: map[string]*view.Tensor{}}
	layouts := tensortest.Layouts()
	l := layouts[p.rng.IntN(len(layouts))]
	p.shape = l.Shape
	t1 := p.types[p.rng.IntN(len(p.types))]
	p.operands["a"] = p.tensor(t, t1, l)
	p.operands["b"] = p.tensor(t, p.types[p.rng.IntN(len(p.types))], shuffled(p.rng, l.Shape))
	p.operands["c"] = p.tensor(t, t1, shuffled(p.rng, part(p.rng, l.Shape)))
	return p
}

// part returns a shape that stretches to another.
func part(rng *rand.Rand, shape []int) []int {
	shape = slices.Clone(shape[rng.IntN(len(shape)+1):])
	for axis := range shape {
		if rng.IntN(3) == 0 {
			shape[axis] = 1
		}
	}
	return shape
}

// shuffled lays a shape out with its axes in any order, turned and with gaps.
func shuffled(rng *rand.Rand, shape []int) tensortest.Layout {
	l := tensortest.Layout{Shape: shape, Strides: make([]int, len(shape)), Span: 1, Skew: rng.IntN(2) * 4}
	step := 1 + rng.IntN(2)
	for _, axis := range rng.Perm(len(shape)) {
		l.Strides[axis] = step
		reach := max(shape[axis]-1, 0) * step
		l.Span += reach
		step *= max(shape[axis], 1)
		if rng.IntN(3) == 0 {
			l.Strides[axis] *= -1
			l.Offset += reach
		}
	}
	return l
}

func (p *randomProgram) tensor(t testing.TB, dt dtype.Type, l tensortest.Layout) *view.Tensor {
	t.Helper()
	var values [41]dtype.Scalar
	for i := range values {
		values[i] = dtype.ScalarOf(float64(i-20) / 4).Convert(dt)
	}
	b := tensortest.Buffer(l.Span*dt.Size(), l.Skew)
	for i := 0; i < len(b); i += dt.Size() {
		values[p.rng.IntN(len(values))].Store(b[i:])
	}
	return layOut(t, b, dt, l)
}

// layOut makes a tensor over bytes, which is closed after the test.
func layOut(t testing.TB, b []byte, dt dtype.Type, l tensortest.Layout) *view.Tensor {
	t.Helper()
	layout, err := view.MakeLayout(l.Shape, l.Strides, l.Offset)
	if err != nil {
		t.Fatal(err)
	}
	st := mmapstore.FromBytes(b)
	x, err := view.NewTensor(st, dt, layout)
	if err := errors.Join(err, st.Release()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// expression returns a random tree as text.
func (p *randomProgram) expression(depth int) string {
	if depth == 0 || p.rng.IntN(10) == 0 {
		return p.pick("a", "b", "c", "a", "b", "2", "3")
	}
	x, y := p.expression(depth-1), p.expression(depth-1)
	if p.types[0] == dtype.BFloat16 || p.types[0] == dtype.Float16 {
		if p.rng.IntN(6) == 0 {
			return "(" + x + " / (" + y + " + 30))"
		}
	}
	switch p.rng.IntN(8) {
	case 0:
		return p.pick("abs", "square", "-", "+") + "(" + x + ")"
	case 1:
		return p.pick("minimum", "maximum") + "(" + x + ", " + y + ")"
	case 2:
		return fmt.Sprintf("where(%s %s %s, %s, %s)", x, p.pick("<", "<=", "==", "!=", ">"), y, y, x)
	default:
		return "(" + x + p.pick(" + ", " - ", " * ") + y + ")"
	}
}

func (p *randomProgram) pick(texts ...string) string { return texts[p.rng.IntN(len(texts))] }

// program returns the text of a program: a tree, a view of one, or what a reduction and a tree make
// together.
func (p *randomProgram) program() string {
	x := p.expression(1 + p.rng.IntN(4))
	switch rank := len(p.shape); {
	case rank > 0 && p.rng.IntN(4) == 0:
		return "(" + x + " + a)" + p.pick("[::-1]", "[..., ::2]", ".T", "[1:]", ".ravel()", "[..., newaxis]", ".T[::-1]")
	case rank > 0 && graph.NumElems(p.shape) > 0 && p.rng.IntN(4) == 0:
		return fmt.Sprintf("%s(%s + a, axis=%d) %s", p.pick("max", "min", "count_nonzero"), x, p.rng.IntN(rank), p.pick("", "* 2", "- 1"))
	case rank > 0 && p.rng.IntN(4) == 0:
		y := p.expression(1 + p.rng.IntN(3))
		axis := p.rng.IntN(rank)
		return fmt.Sprintf(p.pick("concatenate([%s + a, %s + a, b + a], axis=%d)", "concatenate([a, %s + a, concatenate([%s + a, a], %d)[::-1]])", "stack([%s + a, %s + a], axis=%d)*2",
			"concatenate([%s + a, %s + a], axis=%d)[..., ::-1] + 1", "concatenate([%s + a, a[:0], %s + a], axis=%d).T[1:]"), x, y, axis)
	case graph.NumElems(p.shape) > 0 && p.rng.IntN(6) == 0:
		return "(" + x + ") - max(a)"
	}
	return x
}

// compute runs a program with some options and returns the elements of its result, packed. If want
// is not nil, it is set to what the naive evaluator makes of some of them, all if they are few,
// before anything is written.
func (p *randomProgram) compute(t testing.TB, text string, o *Options, want *sampled) (result []byte, err error) {
	t.Helper()
	stmts, err := ParseProgram(text)
	if err != nil {
		return nil, err
	}
	env := Env{
		Lookup:  func(name string) (*view.Tensor, error) { return p.operands[name], nil },
		InPlace: func(target string) (*view.Tensor, error) { return p.operands[target], nil },
	}
	plan, err := NewPlan(t.Context(), stmts, env, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	if p.tune != nil {
		p.tune(plan)
	}
	if want != nil {
		value := plan.passes.Statements()[0].Value
		want.step = 1 + graph.NumElems(value.Shape)/maxSampled
		want.dtype = plan.Outputs()[0].DType
		want.elements = (&naive{t: t, memo: map[naiveKey]dtype.Scalar{}}).elements(value, want.step)
	}
	if err := plan.Run(t.Context()); err != nil {
		return nil, err
	}
	made := plan.Result(0)
	result = make([]byte, 0, made.NumBytes())
	err = made.Blocks(1<<16, func(b []byte) error {
		result = append(result, b...)
		return nil
	})
	return result, err
}

// maxSampled bounds how many elements of a result the naive evaluator computes.
const maxSampled = 300

// sampled are elements at equal distances.
type sampled struct {
	dtype    dtype.Type
	step     int
	elements []dtype.Scalar
}

// compare says where a result differs: all NaNs are one, and so are the two zeros.
func (s *sampled) compare(packed []byte) error {
	size := s.dtype.Size()
	for i, want := range s.elements {
		at := i * s.step
		if (at+1)*size > len(packed) {
			return fmt.Errorf("%d bytes of %v, want more than %d elements", len(packed), s.dtype, at)
		}
		if got := dtype.Load(s.dtype, packed[at*size:]); !sameScalar(got, want) {
			return fmt.Errorf("element %d: want %v, got %v", at, want, got)
		}
	}
	return nil
}

func sameScalar(x, y dtype.Scalar) bool {
	return x == y || x.Type() == y.Type() && (x.IsZero() && y.IsZero() || math.IsNaN(x.Float64()) && math.IsNaN(y.Float64()))
}

// workerOptions are ways to compute that must not show in any result.
var workerOptions = []*Options{{Parallelism: 1}, {Parallelism: 2}, {Parallelism: 3, MemoryLimit: 1 << 20}, {Parallelism: 7}, {MemoryLimit: 1 << 16}, {Parallelism: 2, Backend: BackendMachineCode}}

func TestRandomProgramsAsNaive(t *testing.T) {
	seeds := uint64(200)
	if raceEnabled || !*Long {
		seeds = 20
	}
	for family := range propertyTypes {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			done := uint64(0)
			for seed := range seeds {
				p := newRandomProgram(t, seed, family)
				text := p.program()
				var want sampled
				first, err := p.compute(t, text, nil, &want)
				if bad := (*ExprError)(nil); errors.As(err, &bad) {
					continue // such as a difference of bools, or a slice of a scalar
				}
				if err == nil {
					err = want.compare(first)
				}
				if err != nil {
					t.Fatalf("seed %d: %s of %v: %v", seed, text, p.shape, err)
				}
				done++
				for _, o := range workerOptions {
					if got, err := p.compute(t, text, o, nil); err != nil || !bytes.Equal(got, first) {
						t.Fatalf("seed %d, options %+v: %s of %v: another result, or %v", seed, *o, text, p.shape, err)
					}
				}
			}
			if done < seeds*3/4 {
				t.Errorf("only %d of %d programs could be bound", done, seeds)
			}
		})
	}
}

// Large operands, so that there are more chunks than workers.
func TestLargeProgramsAsNaive(t *testing.T) {
	const rows, columns = 300, 700
	tests := []struct {
		text  string
		types []dtype.Type
	}{
		{"(a*2 + b)*c - abs(b)", []dtype.Type{dtype.Float32, dtype.Int16}},
		{"a.T*2 + c[0, 0]", []dtype.Type{dtype.Float64, dtype.Uint8}},
		{"where(a[::-1] < b, b, c)[:, ::3]", []dtype.Type{dtype.Float16, dtype.Int64}},
		{"max(a*b, axis=0) - min(c)", []dtype.Type{dtype.Float32, dtype.Int32}},
		{"count_nonzero(a > b, axis=1) + 1", []dtype.Type{dtype.Float64, dtype.Int8}},
		{"sum(a - b + 3, axis=0)", []dtype.Type{dtype.Uint32, dtype.Int8}},
		{"sum(a, axis=(0, 1))", []dtype.Type{dtype.Int16}},
		{"a + b.astype(float64)", []dtype.Type{dtype.BFloat16}},
	}
	for _, test := range tests {
		if !*Long {
			test.types = test.types[:1]
		}
		for _, dt := range test.types {
			t.Run(test.text+" "+dt.String(), func(t *testing.T) {
				p := &randomProgram{rng: rand.New(rand.NewPCG(3, 4)), operands: map[string]*view.Tensor{}, shape: []int{rows, columns}}
				for _, name := range []string{"a", "b", "c"} {
					p.operands[name] = p.tensor(t, dt, shuffled(p.rng, p.shape))
				}
				var want sampled
				first, err := p.compute(t, test.text, &Options{Parallelism: 1}, &want)
				if err == nil {
					err = want.compare(first)
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range workerOptions {
					if got, err := p.compute(t, test.text, o, nil); err != nil || !bytes.Equal(got, first) {
						t.Errorf("options %+v: another result, or %v", *o, err)
					}
				}
			})
		}
	}
}

// Programs that write where they read: what is read is what was there before.
func TestAliasedDestinations(t *testing.T) {
	texts := []string{"d = s", "d = s + d", "d += s", "d -= 2*s", "d = s*s - d", "d max= s", "d = where(s > d, s, d) + 1", "d += max(s)"}
	for _, pair := range tensortest.Aliased() {
		for _, text := range texts {
			for _, dt := range []dtype.Type{dtype.Int32, dtype.Float16, dtype.Float64} {
				for _, o := range []*Options{{Parallelism: 1}, {Parallelism: 3}, {Parallelism: 1, Backend: BackendMachineCode}} {
					p := &randomProgram{rng: rand.New(rand.NewPCG(1, 2)), operands: map[string]*view.Tensor{}}
					both := p.tensor(t, dt, tensortest.Layout{Shape: []int{pair.Span()}, Strides: []int{1}, Span: pair.Span()})
					p.operands["d"], p.operands["s"] = over(t, both, pair.Dst), over(t, both, pair.Src)
					var want sampled
					got, err := p.compute(t, text, o, &want)
					if err == nil {
						err = want.compare(got)
					}
					if err != nil {
						t.Errorf("%s, %s, %v: %v", pair.Name, text, dt, err)
					}
				}
			}
		}
	}
}

// over lays another layout over the storage of a tensor.
func over(t testing.TB, x *view.Tensor, l tensortest.Layout) *view.Tensor {
	t.Helper()
	layout, err := view.MakeLayout(l.Shape, l.Strides, l.Offset)
	if err != nil {
		t.Fatal(err)
	}
	y, err := view.NewTensor(x.Storage(), x.DType(), layout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { y.Close() })
	return y
}
