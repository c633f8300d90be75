package compute_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// names is an environment of tensors, all of which can be written in place if asked for by the
// name.
type names map[string]*view.Tensor

func (n names) env(inPlace ...string) compute.Env {
	find := func(name string) (*view.Tensor, error) {
		if t := n[name]; t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("there is no tensor %q", name)
	}
	return compute.Env{Lookup: find, InPlace: func(target string) (*view.Tensor, error) {
		if slices.Contains(inPlace, target) {
			return find(target)
		}
		return nil, nil
	}}
}

func array[T dtype.Element](t testing.TB, data []T, shape ...int) *view.Tensor {
	t.Helper()
	x, err := view.FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func newPlan(t *testing.T, text string, env compute.Env, o *compute.Options) *compute.Plan {
	t.Helper()
	stmts, err := compute.ParseProgram(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := compute.NewPlan(context.Background(), stmts, env, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func runPlan(t *testing.T, p *compute.Plan) {
	t.Helper()
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestOutputDims follows names of axes through expressions.
func TestOutputDims(t *testing.T) {
	a, v := array(t, []float64{1, 2, 3, 4, 5, 6}, 2, 3), array(t, []float64{1, 2, 3})
	env := names{"a": a, "v": v, "n": a}.env()
	env.Dims = func(name string) []string {
		return map[string][]string{"a": {"y", "x"}, "v": {"z"}, "n": {"bad"}}[name]
	}
	for text, want := range map[string][]string{
		"a": {"y", "x"}, "a + a[0]": {"y", "x"}, "a + v": {"y", ""}, "a + v + a": {"y", ""}, "a*0 - n": {"y", "x"}, "n + 1": nil, "v * v": {"z"},
		"a.T": {"x", "y"}, "sum(a, axis=0)": {"x"}, "sum(a, axis=0, keepdims=True)": {"y", "x"}, "a.mean() + v": {"z"}, "a[:, [0, 2]]": {"y", "x"},
		"a[[True, False]]": {"y", "x"}, "a.reshape(3, 2)": nil, "zeros(3)": nil, "a.ravel()": nil, "a.diagonal()": nil,
	} {
		p := newPlan(t, "s = "+text+"; t = s[..., ::-1]", env, nil)
		if got := p.Outputs()[0].Dims; !slices.Equal(got, want) {
			t.Errorf("%s: axes %q, want %q", text, got, want)
		}
		if got := p.Outputs()[1].Dims; len(p.Outputs()[0].Shape) > 0 && !slices.Equal(got, want) {
			t.Errorf("%s, by its name: axes %q, want %q", text, got, want)
		}
	}
	if p := newPlan(t, "a + v", names{"a": a, "v": v}.env(), nil); p.Outputs()[0].Dims != nil {
		t.Errorf("names of axes where there are none: %q", p.Outputs()[0].Dims)
	}
}

// text prints elements as NumPy does, on one line.
func text(t *testing.T, x *view.Tensor) string {
	t.Helper()
	var b strings.Builder
	if err := view.Fprint(&b, x, nil); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestPrograms(t *testing.T) {
	tests := []struct {
		name    string
		program string
		inPlace []string
		want    []string // of the outputs
		passes  int
	}{
		{"one expression", "a + 1", nil, []string{"[2. 3. 4. 5.]"}, 1},
		{"statements of one shape share a pass", "c = a + b; d = a * b", nil, []string{"[11. 22. 33. 44.]", "[ 10. 40. 90. 160.]"}, 1},
		{"a new name stands for its value", "c = a + b; d = c[::2] * 2; f = c.sum()", nil, []string{"[11. 22. 33. 44.]", "[22. 66.]", "110.0"}, 3},
		{"a replaced name is not stored", "c = a; c = c + 1; d = c", nil, []string{"", "[2. 3. 4. 5.]", "[2. 3. 4. 5.]"}, 1},
		{"reductions over the same axes share a pass", "(a - a.min()) / (a.max() - a.min())", nil, []string{"[0. 0.33333334 0.6666667 1. ]"}, 2},
		{"reduction of a reduction", "(a - a.mean()).sum()", nil, []string{"0.0"}, 2},
		{"in place", "a += b; c = a", []string{"a"}, []string{"[11. 22. 33. 44.]", "[11. 22. 33. 44.]"}, 2},
		{"a reduction stored twice", "c = a.sum(); d = a.sum(); f = c + d", nil, []string{"10.0", "10.0", "20.0"}, 2},
		{"a reduction stored and used", "c = cumsum(a); d = c[::-1] * c", nil, []string{"[ 1. 3. 6. 10.]", "[10. 18. 18. 10.]"}, 2},
		{"reversed in place", "a = a[::-1] + a", []string{"a"}, []string{"[5. 5. 5. 5.]"}, 2},
		{"shifted in place", "a[1:] = a[:-1]", []string{"a"}, []string{"[1. 2. 3.]"}, 2},
		{"a value is that of before", "c = a * 2; a += 1; d = a + c", []string{"a"}, []string{"[2. 4. 6. 8.]", "[2. 3. 4. 5.]", "[ 4. 7. 10. 13.]"}, 3},
		{"a value between two writes", "a += 1; c = a * 2; a += 1; d = c + a", []string{"a"}, []string{"[3. 4. 5. 6.]", "[ 4. 6. 8. 10.]", "[3. 4. 5. 6.]", "[ 7. 10. 13. 16.]"}, 4},
		{"a value of before, sliced", "c = a * 2; a += 1; d = c[::-2] + a[:2]", []string{"a"}, []string{"[2. 4. 6. 8.]", "[2. 3. 4. 5.]", "[10. 7.]"}, 3},
		{"a reduction of before", "m = a.max(); a += 1; d = m + a", []string{"a"}, []string{"4.0", "[2. 3. 4. 5.]", "[6. 7. 8. 9.]"}, 3},
		{"a value of before, written twice", "c = a + b; a += 1; b += c; d = c", []string{"a", "b"}, []string{"[11. 22. 33. 44.]", "[2. 3. 4. 5.]", "[21. 42. 63. 84.]", "[11. 22. 33. 44.]"}, 5},
		{"part in place", "a[::2] += 100 * b[:2]", []string{"a"}, []string{"[1001. 2003.]"}, 1},
		{"swap by way of a new name", "t = a + 0; a = b + 0; b = t", []string{"a", "b"}, []string{"[1. 2. 3. 4.]", "[10. 20. 30. 40.]", "[1. 2. 3. 4.]"}, 3},
		{"generated", "arange(4)[::-1] + a", nil, []string{"[4. 4. 4. 4.]"}, 1},
		{"by a mask", "a[a > 2] * 2", nil, []string{"[6. 8.]"}, 1},
		{"view of a reduction", "m.sum(axis=1)[::-1] + 1", nil, []string{"[12 4]"}, 2},
		{"no elements", "a[:0] + b[:0]", nil, []string{"[]"}, 1},
		{"a scan kept in place", "b = cumsum(a)", []string{"b"}, []string{"[ 1. 3. 6. 10.]"}, 1},
		{"a reduction kept in place", "b[1:3] = t.sum(axis=1)", []string{"b"}, []string{"[ 6. 22.]"}, 1},
		{"a scan of what it overwrites", "a = cumsum(a); a[1:] = sort(a[:-1])", []string{"a"}, []string{"[1. 1. 3. 6.]", "[1. 3. 6.]"}, 4},
		{"a scan in steps", "b[::2] = cumsum(a[:2])", []string{"b"}, []string{"[1. 3.]"}, 2},
		{"a scan in place, of another type", "m = cumsum(m < 3, axis=1, dtype=int8)", []string{"m"}, []string{"[[1 2 3] [0 0 0]]"}, 2},
		{"a scan in place and used again", "b = cumsum(a); b += 1; c = cumsum(a) * 2", []string{"b"}, []string{"[ 2. 4. 7. 11.]", "[ 2. 4. 7. 11.]", "[ 2. 6. 12. 20.]"}, 4},
		{"a scan in place and used before", "c = cumsum(a) * 2; b = cumsum(a)", []string{"b"}, []string{"[ 2. 6. 12. 20.]", "[ 1. 3. 6. 10.]"}, 3},
		{"a scan in place of what is still needed", "c = b * 2; b = cumsum(a); d = c + b", []string{"b"}, []string{"[20. 40. 60. 80.]", "[ 1. 3. 6. 10.]", "[21. 43. 66. 90.]"}, 4},
		{"scans in place, one of the other", "b = cumsum(a); a = sort(b)", []string{"a", "b"}, []string{"[ 1. 3. 6. 10.]", "[ 1. 3. 6. 10.]"}, 2},
		{"maximum saved", "a max= 2.5", []string{"a"}, []string{"[2.5 2.5 3. 4. ]"}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := names{
				"a": array(t, []float32{1, 2, 3, 4}, 4),
				"b": array(t, []float32{10, 20, 30, 40}, 4),
				"m": array(t, []int64{0, 1, 2, 3, 4, 4}, 2, 3),
				"t": array(t, []float32{0, 1, 2, 3, 4, 5, 6, 7}, 2, 4),
			}
			p := newPlan(t, test.program, n.env(test.inPlace...), nil)
			if got := strings.Count(p.String(), "\npass "); got != test.passes {
				t.Errorf("%d passes, want %d:\n%v", got, test.passes, p)
			}
			runPlan(t, p)
			for i, want := range test.want {
				result := p.Result(i)
				if p.Outputs()[i].Replaced {
					if result != nil {
						t.Errorf("statement %d is stored, though its name is replaced", i)
					}
					continue
				}
				if got := text(t, result); got != want {
					t.Errorf("statement %d: %s, want %s", i, got, want)
				}
			}
		})
	}
}

func TestSetDst(t *testing.T) {
	n := names{"a": array(t, []float32{1, 2}, 2)}
	p := newPlan(t, "c = a / 2", n.env(), nil)
	tests := []struct {
		name string
		dst  *view.Tensor
		want string
	}{
		{"another shape", array(t, make([]float32, 3), 3), "expected shape [2], found [3]"},
		{"another kind", array(t, make([]int32, 2), 2), "float32 elements cannot be stored as int32"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := p.SetDst(0, test.dst); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
	if err := p.SetDst(1, n["a"]); err == nil {
		t.Error("a statement that is not there took a destination")
	}
	dst := array(t, make([]float64, 2), 2)
	if err := p.SetDst(0, dst); err != nil {
		t.Fatal(err)
	}
	runPlan(t, p)
	if got, want := text(t, dst), "[0.5 1. ]"; got != want {
		t.Errorf("elements %s, want %s", got, want)
	}
	if p.Result(0) != dst {
		t.Error("the result is not the destination")
	}
}

func TestExplain(t *testing.T) {
	n := names{"a": array(t, make([]float32, 12), 3, 4), "b": array(t, make([]float32, 4), 4)}
	p := newPlan(t, "c = sqrt(a*a + b*b)", n.env(), nil)
	want := `pass 1 of 1: store c
  loops:  [3 4], the innermost last, in blocks of 2048 elements
  reads:  a float32, 48 B, contiguous
  reads:  b float32, 16 B, contiguous
  writes: c float32, 48 B, contiguous
    v0 float32 = input 0
    v1 float32 = Mul v0 v0
    v2 float32 = input 1
    v3 float32 = Mul v2 v2
    v4 float32 = Add v1 v3
    v5 float32 = Sqrt v4
    output 0 = v5
`
	if got := p.String(); !strings.Contains(got, want) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
	if strings.Contains(p.String(), "measured") {
		t.Error("measured before a run")
	}
	runPlan(t, p)
	if !strings.Contains(p.String(), "measured") {
		t.Errorf("nothing measured:\n%v", p)
	}
}

func TestClosedPlan(t *testing.T) {
	a := array(t, []float64{1, 2}, 2)
	p := newPlan(t, "a + 1", names{"a": a}.env(), nil)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context()); err == nil {
		t.Error("a closed plan runs")
	}
	if err := p.SetDst(0, a); err == nil {
		t.Error("a closed plan takes a destination")
	}
}

// TestRunsAgain runs a plan again, which works on what the first run has left.
func TestRunsAgain(t *testing.T) {
	n := names{"a": array(t, []float64{1, 2}, 2)}
	p := newPlan(t, "c = a + 1; a += 1; d = c*10", n.env("a"), nil)
	for _, want := range []string{"[20. 30.]", "[30. 40.]"} {
		runPlan(t, p)
		if got := text(t, p.Result(2)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestReductionsGoStraightToDestinations(t *testing.T) {
	n := names{"m": array(t, []int64{0, 1, 2, 3, 4, 5}, 2, 3)}
	room := array(t, make([]int64, 12), 12)
	part := func(selector string) *view.Tensor {
		p, err := room.Slice(selector)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	tests := []struct {
		name   string
		dst    *view.Tensor
		passes int
	}{
		{"as it is", array(t, make([]int64, 3), 3), 1},
		{"inside another tensor", part("1:4"), 1},
		{"with gaps", part("4:9:2"), 2},
		{"backwards", part("11:8:-1"), 2},
		{"of another type", array(t, make([]float64, 3), 3), 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlan(t, "c = m.sum(axis=0)", n.env(), nil)
			if err := p.SetDst(0, test.dst); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(p.String(), "\npass "); got != test.passes {
				t.Errorf("%d passes, want %d:\n%v", got, test.passes, p)
			}
			runPlan(t, p)
			if got, want := strings.ReplaceAll(text(t, test.dst), ".", ""), "[3 5 7]"; got != want {
				t.Errorf("elements %s, want %s", got, want)
			}
		})
	}
	if got, want := text(t, room), "[0 3 5 7 3 0 5 0 7 7 5 3]"; got != want {
		t.Errorf("around the destinations: %s, want %s", got, want)
	}
}
