package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// A lateEnd is a context that ends when it has been looked at some times after begin.
type lateEnd struct {
	context.Context
	begun atomic.Bool
	looks atomic.Int64
	left  int64
}

func (c *lateEnd) Err() error {
	if c.begun.Load() && c.looks.Add(1) > c.left {
		return context.Canceled
	}
	return c.Context.Err()
}

// TestCancelledSync ends evaluations that have computed everything and make it durable, which takes
// longer than computing: they look at their context for each few megabytes.
func TestCancelledSync(t *testing.T) {
	t.Parallel()
	const n, looks = 5 << 20, 5 // 40 MiB
	tests := []struct {
		name, text string
		opts       tstore.EvalOptions
		says       string
	}{
		{"a new tensor", "c = x*2", tstore.EvalOptions{}, ""},
		{"a job", "c = x*2", tstore.EvalOptions{Journal: storetest.MustResume}, ""},
		{"changed elements", "x += 1", tstore.EvalOptions{}, ""},
		{"several statements", "d = x*2; x[1:] = 7", tstore.EvalOptions{}, ""},
		// Every byte of x changes, both times: where mappings are copies, each run of changed bytes
		// is a write of its own.
		{"in place", "x -= 2.1*x - pi", tstore.EvalOptions{InPlace: true}, "stays marked dirty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{n}}})
			run := func(left int64) (*lateEnd, error) {
				ctx := &lateEnd{Context: t.Context(), left: left}
				o := test.opts
				o.Compute.Progress = func(p compute.Progress) {
					if p.Done == p.Total && p.Pass == p.Passes {
						ctx.begun.Store(true)
					}
				}
				r, err := s.Eval(ctx, test.text, &o)
				if err == nil {
					err = r.Close()
				}
				return ctx, err
			}
			whole, err := run(1 << 30)
			if err != nil || whole.looks.Load() < looks {
				t.Errorf("%d looks at the context, want %d at least; error %v", whole.looks.Load(), looks, err)
			}
			_, err = run(looks - 1)
			if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error of one that has ended is %v", err)
			}
			if test.opts.InPlace {
				if _, err := s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"x"}}); err != nil {
					t.Error(err)
				}
			}
			if test.opts.Journal.Must {
				if _, err := s.RemoveJob(t.Context(), storetest.TheJob(t, s).ID()); err != nil {
					t.Error(err)
				}
			}
			storetest.WantNoJobs(t, s)
			storetest.CollectsNothing(t, s)
		})
	}
}

// TestCancelledDoesNotWait cancels an evaluation whose file takes the system long to take back: it
// has no name any more when Eval returns, and Close waits for the rest.
func TestCancelledDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, journal := range []tstore.Journal{{}, storetest.MustResume} {
		faulty, dir := fsx.NewFaulty(fsx.OS), storetest.NewStore(t).Dir()
		s, err := storetest.OpenOn(t.Context(), dir, faulty, nil)
		if err != nil {
			t.Fatal(err)
		}
		var closed atomic.Bool
		hold := make(chan struct{})
		faulty.FailIf(func(o fsx.Op) error {
			if o.Kind == fsx.OpClose && filepath.Base(filepath.Dir(o.Path)) == "tmp" {
				<-hold
				closed.Store(true)
			}
			return nil
		})
		ended := make(chan error)
		go func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := &tstore.EvalOptions{Journal: journal}
			o.Compute.Progress = func(compute.Progress) { cancel() }
			_, err := s.Eval(ctx, "c = arange(40000000.0)", o) // 320 MB
			ended <- err
		}()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			storetest.WantNoJobs(t, s)
			close(hold)
		case <-time.After(30 * time.Second):
			t.Error("a cancelled evaluation waits for its file")
			close(hold)
			<-ended
		}
		if err := s.Close(); err != nil || !closed.Load() {
			t.Errorf("closed %v before Close returned, error %v", closed.Load(), err)
		}
	}
}
