package work_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// blockBytes is the elements of x as blocks give them.
func blockBytes(t *testing.T, x compute.Elements) []byte {
	t.Helper()
	var all []byte
	storetest.Must(t, x.Blocks(0, func(b []byte) error {
		all = append(all, b...)
		return nil
	}))
	return all
}

// TestRead compares what is read from front to back with what Evaluate makes.
func TestRead(t *testing.T) {
	s := evalStore(t)
	mask, err := tstore.FromSlice([]bool{true, false, true}, 3)
	storetest.Must(t, err)
	storetest.Create(t, s, "mask", mask)
	storetest.Define(t, s, "lazy", "(x - x.mean(axis=0)) * y")
	storetest.Define(t, s, "running", "cumsum(large + lazy.max())")
	for _, sel := range []string{"x", "x.T", "v", "lazy", "lazy[1]", "lazy.T.reshape(-1)", "lazy[mask]", "running[::-7]", "running.reshape(100, -1)", "x[mask].T", "x[[2, 0], 1]", "x.astype(int8)", "x.T.reshape(-1)"} {
		want, err := s.Evaluate(t.Context(), sel)
		storetest.Must(t, err)
		r, err := s.Read(t.Context(), sel, nil)
		storetest.Must(t, err)
		if !bytes.Equal(blockBytes(t, r), blockBytes(t, want)) {
			t.Errorf("%s: other elements than those of Evaluate", sel)
		}
		info, err := s.StatEvaluated(t.Context(), sel)
		storetest.Must(t, err)
		for what, got := range map[string]*tstore.Info{"Read": r.Info, "StatEvaluated": info} {
			if got.DType != want.DType() || !slices.Equal(got.Layout.Shape(), want.Shape()) || got.Selector.String() != sel || got.Copied != want.Info.Copied {
				t.Errorf("%s: %s describes it as %+v, Evaluate as %+v", sel, what, got, want.Info)
			}
		}
		storetest.Must(t, errors.Join(r.Unchanged(), r.Close(), want.Close()))
	}
	o := &tstore.EvalOptions{Vars: map[string]dtype.Scalar{"k": dtype.ScalarOf(int64(3))}, DType: dtype.Int8}
	e, err := compute.Parse("y * k")
	storetest.Must(t, err)
	r, err := s.ReadExpr(t.Context(), e, o)
	storetest.Must(t, err)
	if got := blockBytes(t, r); !bytes.Equal(got, []byte{30, 33}) || r.Expr.String() != "astype(y * 3, int8)" {
		t.Errorf("%s: %v", r.Expr, got)
	}
	storetest.Must(t, errors.Join(r.Unchanged(), r.Close()))
	if _, err := s.ReadExpr(t.Context(), compute.Name("nosuch"), nil); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("an expression of nothing: %v", err)
	}
	if _, err := s.ReadExpr(t.Context(), compute.Expr{}, nil); err == nil {
		t.Error("no error of no expression")
	}
	storetest.Define(t, s, "broken", "y + 1")
	storetest.Must(t, s.Delete(t.Context(), "y"))
	for _, sel := range []string{"nosuch", "note", "x[5]", "x[[5]]", "x[nosuch]", "broken", "lazy[0]", "x["} {
		if r, err := s.Read(t.Context(), sel, nil); err == nil {
			t.Errorf("%s was opened: %v", sel, r.Close())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	storetest.Define(t, s, "ones", "zeros(100000000) + 1")
	r, err = s.Read(ctx, "ones", nil)
	storetest.Must(t, err)
	err = r.Blocks(0, func([]byte) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
	storetest.Must(t, r.Close())
}

// TestReadTakesLittle counts the room that is made while lazy names are read.
func TestReadTakesLittle(t *testing.T) {
	s := evalStore(t)
	storetest.Define(t, s, "huge", "arange(10**16).reshape(10000000, 1000000000) * 2")
	storetest.Define(t, s, "many", "zeros((1000, 10000)) + arange(10000)")
	storetest.Define(t, s, "centred", "many - many.mean(axis=0)")
	storetest.Define(t, s, "rows", "zeros((10**10, 1)) + large")
	enough := errors.New("enough")
	most := storetest.Few(1<<30, 1<<27)
	for name, want := range map[string]int64{"huge": 0, "rows": 0, "many": 0, "many.T.reshape(-1)": 0, "centred": 8 * 10_000, "many.astype(float32)": 0} {
		var made int64
		o := &tstore.EvalOptions{Compute: compute.Options{MemoryLimit: 64 << 20, Scratch: func(size int64) (*mmapstore.Storage, error) {
			made += size
			return mmapstore.New(size)
		}}}
		r, err := s.Read(t.Context(), name, o)
		storetest.Must(t, err)
		read := 0
		err = r.Blocks(0, func(b []byte) error {
			if read += len(b); read > most {
				return enough
			}
			return nil
		})
		if errors.Is(err, enough) {
			err = nil
		}
		storetest.Must(t, errors.Join(err, r.Close()))
		if made != want {
			t.Errorf("%s: room for %d bytes, want %d", name, made, want)
		}
	}
}

// TestReadAdopted changes a file of others while a lazy name that reads it is read.
func TestReadAdopted(t *testing.T) {
	s := evalStore(t)
	adopted := create1D(t, s)
	storetest.Define(t, s, "lazy", adopted+".sum() + zeros(200_000)")
	info, err := s.Stat(t.Context(), adopted)
	storetest.Must(t, err)
	r, err := s.Read(t.Context(), "lazy", nil)
	storetest.Must(t, err)
	defer r.Close()
	blockBytes(t, r)
	storetest.Must(t, r.Unchanged())
	f, err := os.OpenFile(filepath.Clean(info.Storage.Path), os.O_WRONLY|os.O_APPEND, 0)
	storetest.Must(t, err)
	_, err = f.Write([]byte{0})
	storetest.Must(t, errors.Join(err, f.Close()))
	if err := r.Unchanged(); err == nil {
		t.Error("no error after the file has changed")
	}
	storetest.Must(t, s.Delete(t.Context(), adopted)) // a check at the end would find it damaged
}

// TestEvaluateEdges computes corners of what is far larger than the machine.
func TestEvaluateEdges(t *testing.T) {
	s := evalStore(t)
	storetest.Define(t, s, "huge", "arange(10**18).reshape(1000000000, -1) * 2")
	x, err := s.EvaluateWith(t.Context(), "huge[::-1]", &tstore.EvalOptions{Edges: &view.PrintOptions{EdgeItems: 1}})
	storetest.Must(t, err)
	defer x.Close()
	if got, want := storetest.Elements(t, x.Tensor), []float64{2*1e18 - 2e9, 2*1e18 - 2, 0, 2e9 - 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := x.Info.Layout.Shape(), []int{1e9, 1e9}; !slices.Equal(got, want) || x.DType() != dtype.Int64 {
		t.Errorf("it has shape %v, want %v", got, want)
	}
	if _, err := s.EvaluateWith(t.Context(), "huge", &tstore.EvalOptions{Edges: &view.PrintOptions{EdgeItems: 1e6}}); err == nil {
		t.Error("no error of a summary that is not short")
	}
}
