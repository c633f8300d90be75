package compute_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// predicted is the line of a plan that says how much it reads and takes.
func predicted(t *testing.T, text string, env compute.Env) string {
	t.Helper()
	for line := range strings.Lines(newPlan(t, text, env, nil).String()) {
		if strings.HasPrefix(line, "predicted:") {
			return line
		}
	}
	t.Fatalf("%s: no prediction", text)
	return ""
}

// TestSlicesOfPicks checks that a slice of what indexes pick is what a slice of the indexes picks:
// as much is read, and the elements are the same.
func TestSlicesOfPicks(t *testing.T) {
	n := 1000 * 16
	x, p := make([]float32, n), make([]int64, 1000)
	for i := range x {
		x[i] = float32(i)
	}
	for i := range p {
		p[i] = int64(i * 7 % 1000)
	}
	lazy := parsed(t, "x[p]*2")
	env := names{"x": array(t, x, 1000, 16), "p": array(t, p, 1000)}.env()
	lookup := env.Lookup
	env.Lookup = func(name string) (*view.Tensor, error) { return lookup(name) }
	env.Expand = func(name string) (compute.Expr, bool, error) { return lazy, name == "train", nil }

	for _, test := range [][2]string{
		{"x[p][256:512]", "x[p[256:512]]"}, {"train[256:512]", "x[p[256:512]]*2"}, {"x[p][-3]", "x[p[-3]]"}, {"x[p][::100, ::-1]", "x[p[::100], ::-1]"},
		{"x.T[:, p][3:5, :10].T", "x[p[:10], 3:5]"}, {"(x + 1)[p, p % 16][5:7]", "(x + 1)[p[5:7], p[5:7] % 16]"}, {"x[permutation(3, 1000)][7:9]", "x[permutation(3, 1000)[7:9]]"},
		{"concatenate([x, x + 1])[p + 500][10:20]", "concatenate([x, x + 1])[p[10:20] + 500]"}, {"x[None, p][0][4:6]", "x[p[4:6]]"}, {"x[p][p][1:3]", "x[p][p[1:3]]"},
	} {
		if got, want := predicted(t, test[0], env), predicted(t, test[1], env); got != want {
			t.Errorf("%s\n  %s%s\n  %s", test[0], got, test[1], want)
		}
		var elems [2][]byte
		for i, text := range test {
			made, err := parsed(t, text).Eval(t.Context(), env, nil)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			elems[i] = packedBytes(t, made, 0)
			made.Close()
		}
		if !bytes.Equal(elems[0], elems[1]) {
			t.Errorf("%s has other elements than %s", test[0], test[1])
		}
	}
}

// TestPicksOutside checks indexes that are outside: the error names the index, and nothing has been
// stored.
func TestPicksOutside(t *testing.T) {
	for _, text := range []string{
		"d += x[i]", "d += x[i - 0]", "d += 1; d += x[i - 0]", "d += concatenate([x, x])[i*2 + 1]", "d += x[[2, 3, 0]][i % 3][:3] + x[argsort(i)*3]", "d += sum(x[i - 0])", "d += x[i.astype(uint64)]",
		"d += x[concatenate([i[:2], [-4]])]", "d += x[[0, 1, 2]][i - 0]", "d += 1; d += concatenate([x[i - 0], x])[:3]", "d += 1; d += concatenate([cumsum(x), x])[i*3]",
		"d += 1; d += x[argsort(x)][i - 0]",
	} {
		x, d := []float64{1, 2, 3}, []float64{10, 20, 30}
		env := names{"x": array(t, x, 3), "d": array(t, d, 3), "i": array(t, []int64{0, 5, 1}, 3)}.env()
		lookup := env.Lookup
		env.InPlace = func(target string) (*view.Tensor, error) { return lookup(target) }
		stmts, err := compute.ParseProgram(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compute.NewPlan(t.Context(), stmts, env, nil)
		if err == nil {
			err = p.Run(t.Context())
			p.Close()
		}
		if _, ok := errors.AsType[*view.IndexError](err); !ok {
			t.Errorf("%s: error %v, want an *IndexError", text, err)
		}
		if !slices.Equal(d, []float64{10, 20, 30}) {
			t.Errorf("%s: stored %v", text, d)
		}
	}
}

// TestPicksOfKept picks of what earlier passes keep, and by it, beside what is stored.
func TestPicksOfKept(t *testing.T) {
	for text, want := range map[string][]float64{
		"concatenate([cumsum(x), x])[i + 1]": {6, 3, 1}, "stack([cumsum(x), x])[0][i]": {3, 1, 6}, "x[i][argsort(-x)]": {3, 1, 2}, "concatenate([x, x])[argsort(i)][i]": {1, 2, 3},
	} {
		d := []float64{10, 20, 30}
		env := names{"d": array(t, d, 3), "x": array(t, []float64{1, 2, 3}, 3), "i": array(t, []int64{1, 0, 2}, 3)}.env()
		lookup := env.Lookup
		env.InPlace = func(target string) (*view.Tensor, error) { return lookup(target) }
		stmts, err := compute.ParseProgram("d += 1; d[:] = " + text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compute.NewPlan(t.Context(), stmts, env, nil)
		if err == nil {
			err = p.Run(t.Context())
			p.Close()
		}
		if err != nil || !slices.Equal(d, want) {
			t.Errorf("%s: got %v, want %v, error %v", text, d, want, err)
		}
	}
}

// TestPicksByOverwritten picks by indexes that are inside only once an earlier statement has stored.
func TestPicksByOverwritten(t *testing.T) {
	for _, text := range []string{"i -= 5; d[:] = x[i]", "i -= 5; d[:] = concatenate([x, x])[i]", "i[:] = i[::-1] - 5; d[:] = x[i][::-1]"} {
		d := []float64{10, 20, 30}
		env := names{"d": array(t, d, 3), "x": array(t, []float64{1, 2, 3}, 3), "i": array(t, []int64{7, 5, 6}, 3)}.env()
		lookup := env.Lookup
		env.InPlace = func(target string) (*view.Tensor, error) { return lookup(target) }
		stmts, err := compute.ParseProgram(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compute.NewPlan(t.Context(), stmts, env, nil)
		if err == nil {
			err = p.Run(t.Context())
			p.Close()
		}
		if err != nil || !slices.Equal(d, []float64{3, 1, 2}) {
			t.Errorf("%s: got %v, error %v", text, d, err)
		}
	}
}

// TestPicksByBlocks picks by as many computed indexes as are made at a time, into room that ends with
// them: the race detector finds pointers that move behind it.
func TestPicksByBlocks(t *testing.T) {
	const n = 3 << 10
	x := make([]float64, n)
	for k := range x {
		x[k] = float64(k)
	}
	env := names{"x": array(t, x, n), "i": array(t, make([]int64, n), n)}.env()
	for _, text := range []string{"x[i + 0]", "x[arange(3072)[::-1]]", "x[concatenate([i[1024:], i[:1024]]) + 1]", "x[x[i - 1].astype(int64)]"} {
		made, err := parsed(t, text).Eval(t.Context(), env, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		made.Close()
	}
}

// TestPicksInPlace picks of what is overwritten.
func TestPicksInPlace(t *testing.T) {
	for text, want := range map[string][]float64{
		"d = d[[2, 1, 0]]": {30, 20, 10}, "d += d[i]": {40, 30, 50}, "d = concatenate([d[1:], d[:1]])": {20, 30, 10}, "d = concatenate([d, d])[i + 1]": {10, 20, 30},
		"d = d[i]; d = d[i]": {20, 30, 10}, "d -= stack([d[i], d])[0]": {-20, 10, 10},
	} {
		d := []float64{10, 20, 30}
		env := names{"d": array(t, d, 3), "i": array(t, []int64{2, 0, 1}, 3)}.env()
		lookup := env.Lookup
		env.InPlace = func(target string) (*view.Tensor, error) { return lookup(target) }
		stmts, err := compute.ParseProgram(strings.ReplaceAll(text, "d = ", "d[:] = "))
		if err != nil {
			t.Fatal(err)
		}
		p, err := compute.NewPlan(t.Context(), stmts, env, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := p.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		p.Close()
		if !slices.Equal(d, want) {
			t.Errorf("%s: got %v, want %v", text, d, want)
		}
	}
}

// TestPicksTakeNoRoom streams what is picked with a memory limit of one byte: no room is made for
// elements.
func TestPicksTakeNoRoom(t *testing.T) {
	env := streamNames(t).env()
	for _, text := range []string{"x[permutation(1, 300)]*2", "x[:, permutation(1, 7)] + v", "concatenate([x, x])[permutation(2, 600)]", "sum(x[permutation(1, 300)], axis=2)[:3] * 0", "x[permutation(1, 300)].T"} {
		s := stream(t, text, env, &compute.Options{MemoryLimit: 1, Scratch: func(size int64) (*mmapstore.Storage, error) {
			if size > 300*7*4 {
				t.Errorf("%s: room for %d bytes", text, size)
			}
			return mmapstore.New(size)
		}})
		packedBytes(t, s, 0)
	}
}

// TestBatchesOfPicks compares the time of a batch of a shuffled lazy name with that of the same rows
// picked directly: it does not depend on how many rows there are.
func TestBatchesOfPicks(t *testing.T) {
	if testing.Short() {
		t.Skip("emulators take other times for parts of the work")
	}
	const rows, cols = 1 << 20, 8
	env := names{"x": array(t, make([]float32, rows*cols), rows, cols), "p": array(t, make([]int64, rows), rows)}.env()
	lazy := parsed(t, "x[p]")
	env.Expand = func(name string) (compute.Expr, bool, error) { return lazy, name == "train", nil }
	best := func(text string) time.Duration {
		e, least := parsed(t, text), time.Hour
		for range 50 {
			start := time.Now()
			made, err := e.Eval(t.Context(), env, nil)
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, time.Since(start))
			made.Close()
		}
		return least
	}
	direct, batch := best("x[p[256:2304]]"), best("train[256:2304]")
	t.Logf("directly %v, of the lazy name %v", direct, batch)
	if batch > 2*direct {
		t.Errorf("a batch takes %v, the same rows picked directly %v", batch, direct)
	}
}
