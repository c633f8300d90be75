package work_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// between is how many names stand between a and b, so that time passes between the look-ups of
// these.
const between = 20

// TestOneState reads sums that every commit leaves as they are, beside a process that changes two
// tensors in one transaction, and a goroutine that makes small changes in place.
func TestOneState(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "a", storetest.Constant(0, 10))
	storetest.Create(t, s, "b", storetest.Constant(0, 10))
	storetest.Create(t, s, "x", storetest.Constant(0, 100_001))
	sum, names := "a.sum()", []string{}
	for i := range between {
		name := fmt.Sprintf("c%d", i)
		storetest.Create(t, s, name, storetest.Constant(0, 2))
		sum, names = sum+" + "+name+".sum()", append(names, name)
	}
	storetest.Must(t, s.Define(ctx, "total", sum+" + b.sum()", nil))

	cmd := exec.Command(os.Args[0], s.Dir())
	cmd.Env = append(os.Environ(), storetest.ChildEnv+"=moving")
	stop, err := cmd.StdinPipe()
	storetest.Must(t, err)
	storetest.Must(t, cmd.Start())
	done, ended := make(chan struct{}), make(chan error)
	go func() {
		var err error
		for k := 1.0; err == nil; k++ {
			select {
			case <-done:
				ended <- nil
				return
			default:
				err = setEnds(ctx, s, k)
			}
		}
		ended <- err
	}()
	read := map[string]func() float64{
		"eval":     func() float64 { return evalBare(t, s, sum+" + b.sum()", nil)[0] },
		"lazy":     func() float64 { return evalBare(t, s, "total + 0", nil)[0] },
		"in place": func() float64 { return evalBare(t, s, "x.sum()", nil)[0] },
		"evaluate": func() float64 {
			x, err := s.Evaluate(ctx, "total")
			storetest.Must(t, err)
			defer x.Close()
			return storetest.Elements(t, x.Tensor)[0]
		},
		"read": func() float64 {
			r, err := s.Read(ctx, "total", nil)
			storetest.Must(t, err)
			v := 0.0
			err = r.Blocks(8, func(b []byte) error { v = dtype.Load(r.DType(), b).Float64(); return nil })
			storetest.Must(t, errors.Join(err, r.Unchanged(), r.Close()))
			return v
		},
		"get all": func() float64 {
			all, err := s.GetAll(ctx, append([]string{"a"}, append(names, "b")...)...)
			storetest.Must(t, err)
			total := 0.0
			for _, x := range all {
				for _, v := range storetest.Elements(t, x.Tensor) {
					total += v
				}
				storetest.Must(t, x.Close())
			}
			return total
		},
		"copy": func() float64 {
			storetest.Must(t, s.Copy(ctx, "copy", "total", &tstore.ImportOptions{Overwrite: true}))
			return storetest.Values(t, s, "copy")[0]
		},
	}
	for name, fn := range read {
		for range storetest.Few(15, 5) {
			if got := fn(); got != 0 {
				t.Errorf("%s: the sum is %v, and is 0 in every state", name, got)
				break
			}
		}
	}
	close(done)
	storetest.Must(t, errors.Join(<-ended, stop.Close(), cmd.Wait()))
}

// setEnds sets the ends of x, in one small change.
func setEnds(ctx context.Context, s *tstore.Store, k float64) error {
	return storetest.Discard(s.Eval(ctx, fmt.Sprintf("x[:100001:100000] = array([%[1]v, -%[1]v])", k), nil))
}

// movingChild moves amounts between two tensors until its input ends.
func movingChild(ctx context.Context, s *tstore.Store, _ []string) error {
	stop := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(stop)
	}()
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		if err := storetest.Discard(s.Eval(ctx, "a[3] -= 1; b[4] += 1", nil)); err != nil {
			return err
		}
	}
}

// TestChangedWhileComputed changes, while an expression is computed, what it reads: it is computed
// again, and in the end what would change it waits.
func TestChangedWhileComputed(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Constant(0, 300_000))
	for name, fn := range map[string]func(o *tstore.EvalOptions) error{
		"expression": func(o *tstore.EvalOptions) error {
			if got := evalBare(t, s, "(x * 2 + 1).sum()", o); got[0] != 300_000 {
				return fmt.Errorf("the sum is %v, and is 300000 in every state", got)
			}
			return nil
		},
		"program": func(o *tstore.EvalOptions) error {
			storetest.Eval(t, s, "y = x * 2", o)
			if got := evalBare(t, s, "y.sum()", nil); got[0] != 0 {
				return fmt.Errorf("the sum is %v, and is 0 in every state", got)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			tries, waited := 0, make(chan error, 1)
			o := &tstore.EvalOptions{Compute: compute.Options{Parallelism: 1, Progress: func(at compute.Progress) {
				if at.Done > 0 || at.Pass > 1 {
					return
				}
				tries++
				change := func() error { return setEnds(ctx, s, float64(tries)) }
				if tries <= 2 {
					storetest.Must(t, change())
				} else if tries == 3 {
					go func() { waited <- change() }()
					time.Sleep(20 * time.Millisecond)
					if len(waited) > 0 {
						t.Error("what is read for the third time was changed meanwhile")
					}
				}
			}}}
			storetest.Must(t, fn(o))
			if tries < 3 {
				t.Errorf("it was computed %d times, want 3 or more", tries)
			}
			if tries >= 3 {
				storetest.Must(t, <-waited)
			}
		})
	}
}

// TestChangedWhileRead changes what is computed as it is read: that can't be begun anew, and is
// told at the end.
func TestChangedWhileRead(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Constant(0, 300_000))
	for _, changes := range []bool{false, true} {
		err := s.Export(ctx, "x.astype(float32)", io.Discard, func(ctx context.Context, w io.Writer, x compute.Elements) error {
			if changes {
				return setEnds(ctx, s, 1)
			}
			return nil
		})
		if changes != errors.Is(err, tstore.ErrConflict) || changes && !strings.Contains(err.Error(), "snapshot") {
			t.Errorf("changed %t: %v", changes, err)
		}
	}
}

// TestTogether opens tensors and looks whether what they show is of one state.
func TestTogether(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Constant(0, 100_001))
	storetest.Create(t, s, "y", storetest.Constant(1, 3))
	if all, err := s.GetAll(ctx, "y", "nobody"); !errors.Is(err, tstore.ErrNotFound) || all != nil {
		t.Errorf("a name that is not there: %v, %v", all, err)
	}
	all, err := s.GetAll(ctx, "x[:10]", "y.T")
	storetest.Must(t, err)
	x, err := s.Evaluate(ctx, "y[[0, 2]]")
	storetest.Must(t, err)
	r, err := s.Read(ctx, "x.astype(float32)", nil)
	storetest.Must(t, err)
	for _, step := range []struct {
		name, change string
		torn         []tstore.Opened
		still        []tstore.Opened
	}{
		{name: "nothing", still: []tstore.Opened{all[0], all[1], x, r}},
		{name: "another", change: "z = ones(3)", still: []tstore.Opened{all[0], all[1], x, r}},
		{name: "in place", change: "x[0] = 5", torn: []tstore.Opened{all[0], r}, still: []tstore.Opened{all[1], x}},
		{name: "replaced", change: "y = ones(2)", torn: []tstore.Opened{all[1], x}},
	} {
		if step.change != "" {
			storetest.Eval(t, s, step.change, nil)
		}
		if err := s.OneState(ctx, step.still...); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		for i, o := range step.torn {
			if err := s.OneState(ctx, o); !errors.Is(err, tstore.ErrConflict) {
				t.Errorf("%s: %d: got %v, want ErrConflict", step.name, i, err)
			}
		}
	}
	storetest.Must(t, errors.Join(all[0].Close(), all[1].Close(), x.Close(), r.Close()))
}

// TestBusyStorageDoesNotStopReaders reads what a writer has locked all the time.
func TestBusyStorageDoesNotStopReaders(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "x", storetest.Constant(1, 3))
	storetest.Create(t, s, "y", storetest.Constant(1, 3))
	reader := storetest.Impatient(t, s.Dir(), time.Hour) // if it waits for locks, then for ever
	storetest.Must(t, s.Update(ctx, func(tx *tstore.Tx) error {
		if err := storetest.EvalIn(ctx, tx, "x[0] = 5; y[0] = 5"); err != nil {
			return err
		}
		if got := evalBare(t, reader, "x.sum() + y.sum()", nil); got[0] != 6 {
			t.Errorf("got %v, want 6", got)
		}
		return nil
	}))
}
