package compute_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// inRuns says in an explanation that an operand of a product is copied to scratch.
const inRuns = "from scratch, in runs of"

// TestMatmulRuns multiplies matrices in files that are far larger than the memory limit, with and
// without scratch: with the bits of a product in memory, as a whole and from places within. An
// operand is copied to scratch once if tiles would read it here and there several times.
func TestMatmulRuns(t *testing.T) {
	for name, c := range map[string]struct {
		dt     dtype.Type
		x, y   []int
		text   string
		copies int
	}{
		"rows":         {dtype.Float32, []int{780, 1600}, []int{1600, 780}, "c = x @ y", 1},
		"rows of both": {dtype.Float32, []int{780, 1600}, []int{780, 1600}, "c = x @ y.T", 2},
		"transposed":   {dtype.Float32, []int{1600, 780}, []int{780, 1600}, "c = x.T @ y.T", 1},
		"wide":         {dtype.Float32, []int{780, 400}, []int{400, 3200}, "c = x @ y", 1},
		"by itself":    {dtype.Float32, []int{780, 1600}, []int{1}, "c = x @ x.T", 1},
		"complex":      {dtype.Complex64, []int{780, 900}, []int{400, 900}, "c = x @ y.T", 2},
		"narrow":       {dtype.Int16, []int{1030, 1600}, []int{1600, 1040}, "c = x @ y", 1},
		"whole runs":   {dtype.Float64, []int{600, 1280}, []int{1280, 600}, "c = x @ y", 1},
		"read once":    {dtype.Float32, []int{780, 1600}, []int{1600, 200}, "c = x @ y", 0},
		"one run":      {dtype.Float32, []int{780, 390}, []int{390, 780}, "c = x @ y", 0},
	} {
		everyday := []string{"rows of both", "by itself", "read once", "one run"}
		if !*compute.Long && !slices.Contains(everyday, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "whole runs" {
				t.Skip("a billion products, which take minutes in an emulator")
			}
			env := filesEnv(t, c.dt, c.x, c.y)
			want := newTarget(t, c.text, env, nil)
			if err := want.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			few := compute.Options{MemoryLimit: 1 << 20}
			for _, copies := range []int{0, c.copies} {
				if copies > 0 {
					few.Scratch = inFiles(t)
				}
				got := newTarget(t, c.text, env, &few)
				if n := strings.Count(got.String(), "keep "); n != copies {
					t.Errorf("%d copies are planned, expected %d\n%s", n, copies, got)
				}
				if strings.Contains(got.String(), inRuns) != (copies > 0) {
					t.Errorf("it is not explained what is copied\n%s", got)
				}
				if err := got.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.bytes(t), want.bytes(t)) {
					t.Error("other bits than in memory")
				}
			}
			if c.copies == 2 && c.dt == dtype.Float32 {
				goesOn(t, c.text, env, few, rand.New(rand.NewPCG(5, 5)))
			}
		})
	}
}

// TestMatmulNoScratch has no room for the copy of an operand.
func TestMatmulNoScratch(t *testing.T) {
	env := filesEnv(t, dtype.Float32, []int{780, 1600}, []int{1600, 780})
	p := newTarget(t, "c = x @ y", env, &compute.Options{MemoryLimit: 1 << 20, Scratch: func(int64) (*mmapstore.Storage, error) {
		return nil, syscall.ENOSPC
	}})
	if err := p.Run(t.Context()); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room for 4792320 bytes") {
		t.Errorf("got %v, expected that there is no space", err)
	}
}

// filesEnv returns the names x and y of matrices in files, of random elements. It skips the test if
// the build maps none.
func filesEnv(t *testing.T, dt dtype.Type, shapes ...[]int) compute.Env {
	t.Helper()
	operands := names{}
	for i, name := range []string{"x", "y"} {
		l, err := view.NewLayout(shapes[i]...)
		if err != nil {
			t.Fatal(err)
		}
		file := inFile(t, name, dt, l)
		if !file.Storage().FileBacked() {
			t.Skip("memory stands in for mappings of files, as in race builds")
		}
		operands[name] = file
		random := compute.FromTensor(randomMatrix(t, i+1, dtype.Float32, shapes[i]...)).Mul(compute.Scalar(1000)).AsType(dt)
		made, err := random.Eval(t.Context(), compute.Env{}, nil)
		if err == nil {
			err = errors.Join(view.Copy(t.Context(), file, made), made.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return operands.env()
}

// inFiles returns room in files without a name.
func inFiles(t *testing.T) func(int64) (*mmapstore.Storage, error) {
	dir := t.TempDir()
	return func(size int64) (*mmapstore.Storage, error) {
		return mmapstore.WithAllocator(mmapstore.File{Dir: dir}, size)
	}
}
