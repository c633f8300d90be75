//go:build !race && !windows

package compute_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// TestTruncatedFile cuts a mapped file while it is open: a fault in any worker is an error. Under
// the race detector a copy stands in for the mapping, and Windows cuts no mapped file.
func TestTruncatedFile(t *testing.T) {
	const n = 1 << 20
	path := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(path, make([]byte, 4*n), 0o666); err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.Map(path, 0, -1, mmapstore.ReadOnly, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := view.NewLayout(1024, n/1024)
	if err != nil {
		t.Fatal(err)
	}
	x, err := view.NewTensor(st, dtype.Float32, l)
	if err := errors.Join(err, st.Release(), os.Truncate(path, n)); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for name, y := range map[string]*view.Tensor{"contiguous": x, "transposed": x.Transpose()} {
		var fault *mmapstore.FaultError
		if _, err := compute.Stats(t.Context(), y); !errors.As(err, &fault) || !errors.Is(err, mmapstore.ErrTruncated) {
			t.Errorf("stats, %s: %v", name, err)
		}
		if _, err := compute.Diff(t.Context(), y, y, compute.DiffOptions{}); !errors.As(err, &fault) {
			t.Errorf("diff, %s: %v", name, err)
		}
		d := devicetest.New(nil)
		for _, o := range []*compute.Options{{Backend: compute.BackendKernels}, {Backend: compute.BackendMachineCode}, {Device: d}} {
			for _, e := range []compute.Expr{compute.FromTensor(y).Mul(compute.Scalar(2)).Add(compute.FromTensor(y)), compute.Sum(compute.FromTensor(y).Mul(compute.FromTensor(y)), compute.ReduceOptions{})} {
				if _, err := e.Eval(t.Context(), compute.Env{}, o); !errors.As(err, &fault) || !errors.Is(err, mmapstore.ErrTruncated) {
					t.Errorf("%v by %+v, %s: %v", e, *o, name, err)
				}
			}
		}
		if err := errors.Join(append(d.Mistakes(), d.Close())...); err != nil {
			t.Errorf("device, %s: %v", name, err)
		}
		dst, err := view.FromSlice(make([]float32, n), y.Shape()...)
		if err != nil {
			t.Fatal(err)
		}
		err = compute.Apply(t.Context(), dst, y, func(v float32) float32 { return v }, nil)
		if err := errors.Join(err, dst.Close()); !errors.As(err, &fault) {
			t.Errorf("apply, %s: %v", name, err)
		}
		_, err = compute.Reduce(t.Context(), y, func() float32 { return 0 }, func(a, v float32) float32 { return a + v }, func(a, b float32) float32 { return a + b }, nil)
		if !errors.As(err, &fault) {
			t.Errorf("reduce, %s: %v", name, err)
		}
	}
}

// TestTruncatedFileOfProduct multiplies by a device what lies in a file that was cut, and stores in
// it: a fault is an error, and nothing is left on the device.
func TestTruncatedFileOfProduct(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(path, make([]byte, 4*1200*400), 0o666); err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.Map(path, 0, -1, mmapstore.Shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := view.NewLayout(1200, 400)
	if err != nil {
		t.Fatal(err)
	}
	x, err := view.NewTensor(st, dtype.Float32, l)
	if err := errors.Join(err, st.Release(), os.Truncate(path, 1<<20)); err != nil {
		t.Fatal(err)
	}
	defer x.Close()

	long, wide := randomMatrix(t, 1, dtype.Float32, 1200, 2), randomMatrix(t, 2, dtype.Float32, 2, 400)
	env := names{"x": x, "long": long, "wide": wide}.env()
	for _, text := range []string{"z = x @ wide.T", "z = long.T @ x", "z = long @ wide"} {
		d := devicetest.New(nil)
		stmts, err := compute.ParseProgram(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compute.NewPlan(t.Context(), stmts, env, &compute.Options{Device: d, Parallelism: 3})
		if err != nil {
			t.Fatal(err)
		}
		if text == "z = long @ wide" {
			err = p.SetDst(0, x)
		}
		err = errors.Join(err, p.Run(t.Context()))
		var fault *mmapstore.FaultError
		if !errors.As(err, &fault) || !errors.Is(err, mmapstore.ErrTruncated) {
			t.Errorf("%s: %v", text, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if live := d.Live(); live != (devicetest.Live{}) || d.Stats().Launches == 0 && d.Calls(devicetest.Stage) == 0 {
			t.Errorf("%s: it is left on the device: %+v", text, live)
		}
	}
}
