package compute_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// counted are options that count the bytes of scratch that are taken.
func counted(o compute.Options) (*compute.Options, *int64) {
	var taken int64
	o.Scratch = func(size int64) (*mmapstore.Storage, error) {
		taken += size
		return mmapstore.New(size)
	}
	return &o, &taken
}

// evaluated is what view makes of a step on x, packed.
func evaluated(t *testing.T, x *view.Tensor, steps string) []byte {
	t.Helper()
	chain, err := view.ParseMethods(steps)
	if err != nil {
		t.Fatal(err)
	}
	made, err := chain.Eval(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	return packedBytes(t, made, 0)
}

// movedSteps are steps that copy elements, which a plan does when it runs.
var movedSteps = []string{
	".tile(3)", ".tile(2, 1, 2)", ".tile(1)", ".tile(0, 1)", ".repeat(3)", ".repeat(2, 0)", ".repeat(3, -1)", ".repeat(0, 0)", ".roll(1)", ".roll(-400)", ".roll(0)", ".roll(1, 0)",
	".roll(-7, -1)", ".roll((1, 2), (0, 1))", ".roll(5, (0, 1, 2))", ".copy().reshape(-1)", ".T.reshape(-1)", ".T.reshape(2, -1)", ".T.copy()[1:]", ".tile(2).roll(3, -1)", ".roll(3, 1).tile(2)[::3]",
	"[[3, -1, 3]]", "[:, [0, 5, 5, -1]]", "[[1, 2], :, [3, 4]]", "[..., [[0, 1], [2, 3]]]", "[1, [0], ::-2]", "[:, ::9, [7]].roll(1, 1)", ".T.repeat(2, 1)[[0, 0, 1]]",
	".roll(-1, 2).reshape(-1)", ".repeat(2, 1).repeat(2, 1)",
}

// TestMovedSteps compares plans with what view makes of the same elements, of some layouts and
// types, and in pieces.
func TestMovedSteps(t *testing.T) {
	const planes, rows, cols = 5, 56, 121
	const n = planes * rows * cols
	layouts := []tensortest.Layout{
		{Name: "C order", Strides: []int{rows * cols, cols, 1}, Span: n},
		{Name: "Fortran order", Strides: []int{1, planes, planes * rows}, Span: n},
		{Name: "reversed steps", Strides: []int{-2 * rows * cols, -2 * cols, 2}, Offset: 2 * (planes*rows*cols - cols), Span: 2 * n},
		{Name: "repeated", Strides: []int{0, 1, 0}, Span: rows},
	}
	for i, l := range layouts {
		l.Shape = []int{planes, rows, cols}
		for k, dt := range []dtype.Type{dtype.Float32, dtype.BFloat16, dtype.Bool, dtype.Complex128} {
			raw := tensortest.Buffer(l.Span*dt.Size(), 0)
			for i := range raw {
				raw[i] = byte(i*31 + i>>8)
				if dt == dtype.Bool {
					raw[i] &= 1
				} else if dt == dtype.BFloat16 {
					raw[i] &= 0x3f // numbers
				}
			}
			x := tensor(t, raw, dt, l)
			for _, steps := range movedSteps {
				want := evaluated(t, x, steps)
				for _, limit := range []int64{0, 1} {
					if !*compute.Long && int64(i+k)%2 != limit {
						continue
					}
					p := newTarget(t, "c = x"+steps, names{"x": x}.env(), &compute.Options{MemoryLimit: limit, Parallelism: 2})
					if err := p.Run(t.Context()); err != nil {
						t.Errorf("%s of %v %s: %v", steps, dt, l.Name, err)
					} else if !bytes.Equal(p.bytes(t), want) {
						t.Errorf("%s of %v %s, limit %d: other elements", steps, dt, l.Name, limit)
					}
				}
			}
		}
	}
}

// TestMovedStepsWithoutScratch checks that neither planning nor telling the plan makes anything,
// nor a run of steps that are the values of statements.
func TestMovedStepsWithoutScratch(t *testing.T) {
	x := array(t, make([]float32, 6*50*8), 6, 50, 8)
	env := names{"x": x, "y": array(t, make([]float32, 100), 100), "i": array(t, []int64{0, 5, -1}, 3)}.env()
	for text, most := range map[string]int64{
		"c = tile(x, 4)": 0, "c = x.repeat(3)": 0, "c = repeat(x, 2, 1)": 0, "c = roll(x, 1, 0)": 0, "c = roll(x, 7)": 0, "c = x.roll((1, 2), (0, 1)); d = tile(c, 2)": 0,
		"c = x.T.reshape(-1)": 0, "c = x.T.copy().reshape(3, -1)": 0, "c = tile(x.T[1:, ::2], (2, 1, 3))": 0, "c = roll(x.T, 1, 1)": 0, "c = repeat(arange(9), 3)": 0,
		"c = repeat(x.sum(axis=0), 2)": 4 * 50 * 8, "c = tile(exp(x), 4)": 4 * 6 * 50 * 8, "c = roll(exp(x), 4)": 4 * 6 * 50 * 8, "c = tile(y, 2) + 1": 4 * 200, "c = roll(x, 1, 0) - x": 4 * 6 * 50 * 8,
		"c = roll(x.T, 1)": 4 * 6 * 50 * 8, "c = x[i]": 0, "c = x[:, i, i].T": 0, "c = exp(x)[i]": 0, "c = x[i + 0]": 0, "c = broadcast_to(y, (6, 100))[i]": 0,
		"c = x[argsort(y[:6])]": 8 * 6, "c = concatenate([x, x*2, x[::-1]])": 0, "c = concatenate([x, exp(x)], axis=2)[1:].sum()": 0, "c = sum(stack([x.T, exp(x.T)], axis=1)*2)": 0,
		"c = concatenate([x, x])[:6] - x": 0, "c = pad(x, 3, 'wrap') + 1": 0, "c = gradient(x, axis=1)*2": 0, "c = tril(x)": 0, "c = concatenate([y, sort(y)])": 400, "c = permutation(1, 100_000)[5:9]": 0,
		"c = concatenate([x, x])[:, i]": 0,
	} {
		o, taken := counted(compute.Options{})
		p := newTarget(t, text, env, o)
		_ = p.String()
		if *taken != 0 {
			t.Errorf("%s: planning took %d bytes", text, *taken)
		}
		if err := p.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if *taken != most {
			t.Errorf("%s: running took %d bytes of scratch, want %d", text, *taken, most)
		}
	}
}

// TestMovedStepsAgain runs plans again over other elements.
func TestMovedStepsAgain(t *testing.T) {
	elems := make([]float32, 6*50*8)
	x := array(t, elems, 6, 50, 8)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, steps := range movedSteps {
		p := newTarget(t, "c = x"+steps, names{"x": x}.env(), nil)
		for range 2 {
			for i := range elems {
				elems[i] = rng.Float32()
			}
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(p.bytes(t), evaluated(t, x, steps)) {
				t.Errorf("%s: elements from before the run", steps)
			}
		}
	}
}

// TestPickedAgain runs a plan again with other indexes, and with some that are outside.
func TestPickedAgain(t *testing.T) {
	at := []int64{0, 2, -1}
	i := array(t, at, 3)
	n := names{"x": array(t, []float64{1, 2, 4, 8}, 4), "i": i}
	for program, inside := range map[string]string{"c = x[i]*2": "[ 8. 16. 2.]", "c = x[i] + x[i - 1]": "[ 6. 12. 9.]", "d = i * 1; c = x[d]": "[4. 8. 1.]"} {
		copy(at, []int64{0, 2, -1})
		p := newPlan(t, program, n.env(), nil)
		last := len(p.Outputs()) - 1
		for _, picks := range [][]int64{{1, 1, 1}, {2, 3, 0}} {
			copy(at, picks)
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		made := text(t, p.Result(last))
		if made != inside {
			t.Errorf("%s: %s, want %s", program, made, inside)
		}
		at[1] = 4
		var outside *view.IndexError
		if err := p.Run(t.Context()); !errors.As(err, &outside) || outside.Index != 4 {
			t.Errorf("%s with an index of 4: %v", program, err)
		}
	}
}

// TestMovedStepsInPlace writes where it reads, and in other orders than C.
func TestMovedStepsInPlace(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"x[...] = roll(x, 1, 0)", "[[4 5] [0 1] [2 3]]"},
		{"x[...] = roll(x, 1)", "[[5 0] [1 2] [3 4]]"},
		{"x[:2] = tile(x[1], (2, 1))", "[[2 3] [2 3] [4 5]]"},
		{"x[:, 0] = repeat(x[0, 1], 3)", "[[1 1] [1 3] [1 5]]"},
		{"x[:2] = x[1:].repeat(2)[1:5].reshape(2, 2)", "[[2 3] [3 4] [4 5]]"},
		{"x.T[...] = x.T.reshape(-1)[::-1].reshape(2, 3)", "[[5 4] [3 2] [1 0]]"},
		{"x.T[...] = roll(x.T, 1)", "[[5 4] [0 1] [2 3]]"},
		{"x[...] = x[[2, 0, 1]]", "[[4 5] [0 1] [2 3]]"},
		{"x[0] = 2; x[1:] = x[x[0]]", "[[2 2] [4 5] [4 5]]"},
		{"c = x[x[:2, 0]]; x[:2] = c; x[2] = x[1 - x[0, :2]][:, 0]", "[[0 1] [4 5] [4 0]]"},
		{"x[0] = 9; x[1:] = roll(x, 1, 0)[1:]", "[[9 9] [9 9] [2 3]]"},
		{"c = tile(x, 2); x[...] = c[:, 1:3]; x += roll(c, 1, 1)[:, :2]", "[[ 2 0] [ 6 4] [10 8]]"},
	} {
		x := array(t, []int64{0, 1, 2, 3, 4, 5}, 3, 2)
		if _, err := evaluate(t.Context(), test.text, map[string]*view.Tensor{"x": x}, nil); err != nil {
			t.Errorf("%s: %v", test.text, err)
		}
		if got := strings.ReplaceAll(text(t, x), "\n", ""); got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

// TestMovedStepsExplained looks at what is told of plans.
func TestMovedStepsExplained(t *testing.T) {
	n := names{"x": array(t, make([]float32, 12), 3, 4)}
	for text, wants := range map[string][2]string{
		"c = tile(x, 2)": {`c = view float32 (3, 8)
  repeat float32 (3, 2, 4)
    x float32 (3, 1, 4)
pass 1 of 1: store c
  loops:  [3 2 4], the innermost last, in blocks of 2048 elements
  reads:  x float32, 48 B, contiguous
  writes: c float32, 96 B, contiguous
    v0 float32 = input 0
    output 0 = v0
`, "predicted: reads 48 B, writes 96 B, "},
		"c = roll(x, 1, 0)": {`c = roll(1, 0) float32 (3, 4)
  x float32 (3, 4)
pass 1 of 1: store roll(1, 0) as c
`, "predicted: reads 48 B, writes 48 B, peak memory 0 B\n"},
	} {
		got := newTarget(t, text, n.env(), nil).String()
		if !strings.HasPrefix(got, wants[0]) || !strings.Contains(got, wants[1]) {
			t.Errorf("(-want +got):\n%s", cmp.Diff(wants[0]+wants[1], got))
		}
	}
}

// TestMovedStepsTooLarge has results that can't be addressed, and mistakes: planning says so.
func TestMovedStepsTooLarge(t *testing.T) {
	n := names{"x": array(t, make([]float64, 12), 3, 4)}
	for text, want := range map[string]string{
		"tile(x, 1 << 62)": "", "x.repeat(4611686018427387904)": "more elements than fit", "x.tile(100000000000000000)": "more than can be addressed", "x.roll(1, 2)": "axis 2", "x.tile(-1)": "-1 repetitions",
	} {
		stmts, err := compute.ParseProgram("c = " + text)
		if err == nil {
			_, err = compute.NewPlan(t.Context(), stmts, n.env(), nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// TestMovedStepsProgress looks at what is told while a plan runs: it only grows.
func TestMovedStepsProgress(t *testing.T) {
	x := array(t, make([]float32, 6<<20), 6, 1<<20)
	for _, text := range []string{"c = tile(x, 2)", "c = roll(x, (1, 3), (0, 1))"} {
		var told []compute.Progress
		p := newTarget(t, text, names{"x": x}.env(), &compute.Options{Progress: func(p compute.Progress) { told = append(told, p) }})
		if err := p.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(told) == 0 {
			t.Errorf("%s: no progress", text)
			continue
		}
		if !slices.IsSortedFunc(told, func(a, b compute.Progress) int { return int(a.Done - b.Done) }) {
			t.Errorf("%s: progress %v", text, told)
		}
		last := told[len(told)-1]
		if size := 2 * x.NumBytes(); last.Done > last.Total || last.Total < size || last.Passes != 1 {
			t.Errorf("%s: at last %s", text, fmt.Sprint(last))
		}
	}
}

// TestMovedStepsDoNotRedo changes what is done of results: it stays so when a run goes on.
func TestMovedStepsDoNotRedo(t *testing.T) {
	env, o := streamNames(t).env(), &compute.Options{MemoryLimit: 1}
	for _, text := range []string{"a = roll(x, (5, -9), (0, 2))", "a = roll(x, 7)", "a = tile(x, (1, 2))"} {
		first, want := newTarget(t, text, env, o), newTarget(t, text, env, o)
		at := first.runFrom(t, compute.Checkpoint{}, 2)[1]
		want.runFrom(t, compute.Checkpoint{}, -1)
		b, all := first.bytes(t), want.bytes(t)
		for i := range 4 * at.Done {
			b[i] ^= 1
			all[i] ^= 1
		}
		second := newTarget(t, text, env, o)
		second.fill(t, b)
		second.runFrom(t, at, -1)
		if at.Done == 0 || at.Done == at.Of || at.Bytes != int64(4*at.Done) || !bytes.Equal(second.bytes(t), all) {
			t.Errorf("%s: from %+v on: done again, or not done", text, at)
		}
	}
}

// TestPickedOutside picks by computed indexes of which one is outside: nothing is stored, also not
// where there are elements.
func TestPickedOutside(t *testing.T) {
	const n = 300_000
	a, b, c := make([]float32, n), make([]int32, n), make([]float32, n)
	for i := range n {
		a[i], b[i], c[i] = 1, int32(i), 2
	}
	b[n-1] = n
	operands := names{"a": fromSlice(t, a), "b": fromSlice(t, b), "c": fromSlice(t, c)}
	stmts, err := compute.ParseProgram("c = a[b + 0]")
	if err != nil {
		t.Fatal(err)
	}
	p, err := compute.NewPlan(t.Context(), stmts, operands.env("c"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var outside *view.IndexError
	if err := p.Run(t.Context()); !errors.As(err, &outside) {
		t.Errorf("got %v, expected an IndexError", err)
	}
	if i := slices.IndexFunc(c, func(v float32) bool { return v != 2 }); i >= 0 {
		t.Errorf("element %d was stored", i)
	}
}
