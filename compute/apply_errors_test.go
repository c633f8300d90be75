package compute_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

func TestApplyErrors(t *testing.T) {
	x := int32s(t, tensortest.Layout{Shape: []int{6}, Strides: []int{1}, Span: 6}, 0)
	y := int32s(t, tensortest.Layout{Shape: []int{5}, Strides: []int{1}, Span: 5}, 0)
	same := int32s(t, tensortest.Layout{Shape: []int{6}, Strides: []int{0}, Span: 1}, 0)
	plus := func(v int32) int32 { return v + 1 }
	var shape *view.ShapeError
	for _, test := range []struct {
		name string
		err  error
		ok   func(error) bool
		text string
	}{
		{"destination type", compute.Apply(t.Context(), x, x, func(v int32) float32 { return 0 }, nil), nil, "the destination has elements of type int32, the function returns float32"},
		{"source type", compute.Apply(t.Context(), x, x, func(v int64) int32 { return 0 }, nil), nil, "operand 1 has elements of type int32, the function takes int64"},
		{"shape", compute.Apply(t.Context(), x, y, plus, nil), func(err error) bool { return errors.As(err, &shape) }, ""},
		{"repeats", compute.Apply(t.Context(), same, x, plus, nil), func(err error) bool { return errors.Is(err, view.ErrRepeats) }, ""},
		{"options", compute.Apply(t.Context(), x, x, plus, &compute.Options{Parallelism: -1}), nil, "parallelism -1"},
	} {
		switch {
		case test.err == nil:
			t.Errorf("%s: no error", test.name)
		case test.ok != nil && !test.ok(test.err), !strings.Contains(test.err.Error(), test.text):
			t.Errorf("%s: %v", test.name, test.err)
		}
	}
}

// A panic in one of several goroutines is one of the caller, and its goroutines have ended by then.
func TestApplyPanic(t *testing.T) {
	broken := errors.New("broken")
	x, err := view.FromSlice(make([]int32, 1<<20), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, workers := range workerCounts {
		var calls atomic.Int64
		caught := func() (p any) {
			defer func() { p = recover() }()
			err := compute.Apply(t.Context(), x, x, func(v int32) int32 {
				if calls.Add(1) == 50_000 {
					panic(broken)
				}
				return v
			}, &compute.Options{Parallelism: workers})
			t.Error("Apply returned", err)
			return nil
		}()
		p, ok := caught.(*compute.PanicError)
		if !ok || !errors.Is(p, broken) || !strings.Contains(string(p.Stack), "TestApplyPanic") {
			t.Errorf("%d workers: caught %v", workers, caught)
		}
		after := calls.Load()
		runtime.Gosched()
		if calls.Load() != after {
			t.Error("a goroutine goes on")
		}
	}
}

// runtime.Goexit, as a failed test calls it, ends the goroutine of the caller.
func TestApplyGoexit(t *testing.T) {
	x, err := view.FromSlice(make([]int32, 1<<20), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	returned, done := false, make(chan struct{})
	go func() {
		defer close(done)
		_ = compute.Apply(t.Context(), x, x, func(v int32) int32 { runtime.Goexit(); return v }, &compute.Options{Parallelism: 2})
		returned = true
	}()
	<-done
	if returned {
		t.Error("Apply returned")
	}
}

func TestApplyCancel(t *testing.T) {
	x, err := view.FromSlice(make([]int32, 1<<20), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	err = compute.Apply(ctx, x, x, func(v int32) int32 {
		switch n := calls.Add(1); {
		case n == 10:
			cancel()
		case n > 10:
			<-ctx.Done()
		}
		return v
	}, &compute.Options{Parallelism: 2})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, expected %v", err, context.Canceled)
	}
	if n := calls.Load(); n > 1<<18 {
		t.Errorf("%d elements after the cancel", n)
	}
}

func TestReducePanic(t *testing.T) {
	x, err := view.FromSlice(make([]int32, 1<<20), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	zero, add := func() int32 { return 0 }, func(a, b int32) int32 { return a + b }
	fail := func(a, b int32) int32 { panic("broken") }
	for name, functions := range map[string][2]func(a, b int32) int32{"step": {fail, add}, "merge": {add, fail}} {
		func() {
			defer func() {
				if p, ok := recover().(*compute.PanicError); !ok || p.Value != "broken" {
					t.Errorf("%s: caught %v", name, p)
				}
			}()
			_, err := compute.Reduce(t.Context(), x, zero, functions[0], functions[1], &compute.Options{Parallelism: 2})
			t.Error(name, "Reduce returned", err)
		}()
	}
	defer func() {
		if p, ok := recover().(*compute.PanicError); !ok || p.Value != "broken" {
			t.Errorf("without elements: caught %v", p)
		}
	}()
	if _, err := compute.Reduce(t.Context(), x, func() int { return 0 }, func(n int, v int64) int { return n }, func(a, b int) int { return a }, nil); err == nil {
		t.Error("no error for another type")
	}
	none := array[int32](t, nil, 0)
	_, err = compute.Reduce(t.Context(), none, func() int32 { panic("broken") }, add, add, nil)
	t.Error("without elements: Reduce returned", err)
}
