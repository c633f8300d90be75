package work_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/mmapstore"
)

func TestEvalKeeps(t *testing.T) {
	s := evalStore(t)
	before, err := s.Stat(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	storetest.Eval(t, s, "x = (x > 2).astype(int8)", nil)
	after, err := s.Stat(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if after.DType != dtype.Int8 || after.Version() <= before.Version() || !after.Record.Created.Equal(before.Record.Created) {
		t.Errorf("after: %+v", after.Record)
	}
	if diff := cmp.Diff(before.Record.Attrs, after.Record.Attrs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before.Record.Dims, after.Record.Dims); diff != "" {
		t.Error(diff)
	}
}

// TestEvalCancelled leaves nothing but, in place, the mark.
func TestEvalCancelled(t *testing.T) {
	for text, inPlace := range map[string]bool{
		"c = large + 1": false, "large += 1": false, "large[1:] = 0; c = y": false, "large[:99000] = 1": true,
	} {
		s := evalStore(t)
		ctx, cancel := context.WithCancel(t.Context())
		o := &tstore.EvalOptions{InPlace: inPlace, Compute: compute.Options{Progress: func(compute.Progress) { cancel() }}}
		_, err := s.Eval(ctx, text, o)
		cancel()
		if err == nil {
			continue // it was done before it could be told
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", text, err)
		}
		if _, err := s.Lookup(t.Context(), "c"); !errors.Is(err, tstore.ErrNotFound) {
			t.Errorf("%s: c is there: %v", text, err)
		}
		if !inPlace {
			storetest.WantValues(t, s, "large", storetest.UpTo(100_000)...)
			storetest.WantNoLeftovers(t, s)
			continue
		}
		if _, err := s.Get(t.Context(), "large"); !errors.Is(err, tstore.ErrDirty) {
			t.Errorf("%s: half written: %v", text, err)
		}
		if _, err := s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"large"}}); err != nil {
			t.Error(err)
		}
	}
}

// TestEvalInParallel has many programs change the same tensors: none is lost.
func TestEvalInParallel(t *testing.T) {
	s := evalStore(t)
	const each = 10
	texts := []string{"x += 1", "y += 1; x += 1", "x += 1; y += 1", "v += 0; y[0] += 1; y[1] += 1"}
	errs := make(chan error)
	for _, text := range texts {
		go func() {
			for range each {
				r, err := s.Eval(t.Context(), text, nil)
				if err != nil {
					errs <- err
					return
				}
				r.Close()
			}
			errs <- nil
		}()
	}
	for range texts {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	storetest.WantValues(t, s, "x[0, 0]", 3*each)
	storetest.WantValues(t, s, "y", 10+3*each, 11+3*each)
}

// TestScratchInFiles checks that results beyond a part of the memory limit are in files.
func TestScratchInFiles(t *testing.T) {
	s := evalStore(t)
	for limit, want := range map[int64]bool{0: false, 1 << 20: true, 1 << 30: false} {
		o := &tstore.EvalOptions{Compute: compute.Options{MemoryLimit: limit}}
		r, err := s.Eval(t.Context(), "large + 1; large + 2", o)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Outputs[1].Tensor.Storage().Kind() == mmapstore.KindFile; got != want {
			t.Errorf("limit %d: in a file %t, want %t", limit, got, want)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	storetest.WantNoLeftovers(t, s)
}
