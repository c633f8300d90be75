package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// smallRuns is how many expressions the row "small" computes, as the other workers do.
const smallRuns = 1000

// A worker is tstore as a contender: the library over the tensors of a store. c is open for writing
// all the time.
type worker struct {
	store *tstore.Store
	hasty *tstore.Store // the same one, whose new elements are left to the system to write
	c     *tstore.Writable
	opts  compute.Options
	rows  map[string]row
}

// serve answers rows until in ends. args are the store and the number of threads.
func serve(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	if len(args) != 2 {
		return fmt.Errorf("worker: want a store and a number of threads, found %q", args)
	}

	threads, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(threads)

	w := &worker{opts: compute.Options{Parallelism: threads}, rows: map[string]row{coldRow: {id: coldRow}}}
	for _, r := range allRows() {
		w.rows[r.id] = r
	}

	if w.store, err = tstore.Open(ctx, args[0], nil); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if w.hasty, err = tstore.Open(ctx, args[0], &tstore.Options{Durability: tstore.DurabilityProcess}); err != nil {
		return err
	}

	fmt.Fprintln(out, "ready the library, built by", runtime.Version())
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fmt.Fprintln(out, w.answer(ctx, lines.Text()))
	}
	return lines.Err()
}

func (w *worker) close() error {
	var err error
	if w.c != nil {
		err = w.c.Close()
	}
	if w.hasty != nil {
		err = errors.Join(err, w.hasty.Close())
	}
	return errors.Join(err, w.store.Close())
}

// answer does a row once.
func (w *worker) answer(ctx context.Context, id string) string {
	r, ok := w.rows[id]
	if !ok {
		return "none"
	}
	seconds, check, err := w.do(ctx, &r)
	if err != nil {
		return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return fmt.Sprintf("ok %.9f %.9g", seconds, check)
}

func (w *worker) do(ctx context.Context, r *row) (seconds, check float64, err error) {
	switch r.id {
	case "new":
		return w.create(ctx, w.hasty)
	case "newsync":
		return w.create(ctx, w.store)
	case "small":
		return w.small(ctx)
	case coldRow:
		return w.eval(ctx, "sum(x)", 1)
	}
	return w.compute(ctx, r)
}

// compute runs the program of a row over open tensors.
func (w *worker) compute(ctx context.Context, r *row) (seconds, check float64, err error) {
	a, err := w.store.Get(ctx, "a"+r.chain())
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()

	b, err := w.store.Get(ctx, "b"+r.chain())
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()

	c, err := w.destination(ctx, r)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()

	operands := map[string]*view.Tensor{"a": a.Tensor, "b": b.Tensor, "c": c}
	env := compute.Env{
		Lookup:  func(name string) (*view.Tensor, error) { return operands[name], nil },
		InPlace: func(target string) (*view.Tensor, error) { return operands[target], nil },
	}

	start := time.Now()
	p, err := w.plan(ctx, r, env)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()

	runs := r.runs()
	for range runs {
		if err := p.Run(ctx); err != nil {
			return 0, 0, err
		}
	}

	seconds = time.Since(start).Seconds() / float64(runs)
	result := p.Result(0)
	if p.Outputs()[0].InPlace {
		result = c
	}

	check, err = sample(result)
	return seconds, check, err
}

func (w *worker) plan(ctx context.Context, r *row, env compute.Env) (*compute.Plan, error) {
	stmts, err := compute.ParseProgram(r.expr)
	if err != nil {
		return nil, err
	}
	o := w.opts
	o.MemoryLimit = cmp.Or(r.memory, o.MemoryLimit)
	return compute.NewPlan(ctx, stmts, env, &o)
}

// againRuns is how often the row "again" runs its plan, as the other workers do.
const againRuns = 10_000

func (r *row) runs() int {
	if r.again {
		return againRuns
	}
	return 1
}

// chain takes the operands, which are squares of float32, for what the row works on.
func (r *row) chain() string {
	switch {
	case r.matrix:
		return ""
	case r.again:
		return ".ravel()[:10000]"
	case r.typ() == dtype.Float32.String():
		return ".ravel()"
	}
	return ".ravel().view(" + r.typ() + ")"
}

// destination returns c as the row sees it, to be closed. c is opened for writing once, which marks
// its storage.
func (w *worker) destination(ctx context.Context, r *row) (*view.Tensor, error) {
	if w.c == nil {
		c, err := w.store.OpenWritable(ctx, "c")
		if err != nil {
			return nil, err
		}
		w.c = c
	}

	chain, err := view.ParseMethods(r.chain())
	if err != nil {
		return nil, err
	}

	l, t, err := chain.Apply(w.c.Layout(), w.c.DType())
	if err != nil {
		return nil, err
	}

	return view.NewTensor(w.c.Storage(), t, l)
}

// create makes a new tensor, which is deleted again.
func (w *worker) create(ctx context.Context, store *tstore.Store) (seconds, check float64, err error) {
	start := time.Now()
	result, err := store.Eval(ctx, "d = a + b", &tstore.EvalOptions{Compute: w.opts})
	if err != nil {
		return 0, 0, err
	}
	seconds = time.Since(start).Seconds()
	d, err := store.Get(ctx, "d")
	if err == nil {
		check, err = sample(d.Tensor)
		err = errors.Join(err, d.Close())
	}
	return seconds, check, errors.Join(err, result.Close(), store.Delete(ctx, "d"))
}

// small computes expressions on small tensors, one after the other.
func (w *worker) small(ctx context.Context) (seconds, check float64, err error) {
	return w.eval(ctx, "sqrt(p*p + q*q)", smallRuns)
}

// eval computes an expression alone a number of times, and returns the time of one.
func (w *worker) eval(ctx context.Context, text string, times int) (seconds, check float64, err error) {
	o := &tstore.EvalOptions{Compute: w.opts}
	start := time.Now()
	var result *tstore.EvalResult

	// A result holds memory until it is closed: close each before the next is made.
	for range times {
		if result != nil {
			if err := result.Close(); err != nil {
				return 0, 0, err
			}
		}
		if result, err = w.store.Eval(ctx, text, o); err != nil {
			return 0, 0, err
		}
	}

	seconds = time.Since(start).Seconds() / float64(times)
	check, err = sample(result.Outputs[0].Tensor.Tensor)
	return seconds, check, errors.Join(err, result.Close())
}

// sampleStep is the distance of the elements that the check of a result looks at.
const sampleStep = 4097

// sample returns the mean of elements spread over t, which is one element if t has no axes.
func sample(t *view.Tensor) (float64, error) {
	sum, count := 0.0, 0
	r := t.Reader()
	size := t.DType().Size()
	b := make([]byte, size)
	for i := 0; i < t.NumElems(); i += sampleStep {
		if _, err := r.ReadAt(b, int64(i)*int64(size)); err != nil {
			return 0, err
		}
		sum += dtype.Load(t.DType(), b).Float64()
		count++
	}
	return sum / float64(max(count, 1)), nil
}
