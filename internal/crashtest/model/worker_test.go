package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// job is what a process of workers is told.
type job struct {
	Dir, Store string
	Worker     int // the number of the first goroutine
	Goroutines int
	Seed       uint64
	For        time.Duration
	Kinds      map[string]int
}

// work runs the workers of a process.
func work(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	ctx := context.Background()
	deadline := time.Now().Add(j.For)
	var all sync.WaitGroup
	errs := make([]error, j.Goroutines)
	for i := range j.Goroutines {
		all.Go(func() { errs[i] = j.run(ctx, j.Worker+i, deadline) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// worker does random steps and logs them.
type worker struct {
	n        int
	dir      string
	log, all *os.File
	store    *tstore.Store
	gen      *generator
	failed   error
}

func (j job) run(ctx context.Context, n int, deadline time.Time) error {
	w := &worker{n: n, dir: j.Dir}
	w.gen = &generator{rng: rand.New(rand.NewPCG(j.Seed, uint64(n))), weights: j.Kinds, handles: 1, steps: n * 10_000}
	for _, weight := range j.Kinds {
		w.gen.total += weight
	}
	var err error
	if w.log, err = os.OpenFile(workerFile(j.Dir, n), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
		return err
	}
	defer w.log.Close()
	if w.all, err = os.OpenFile(commitsFile(j.Dir), os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
		return err
	}
	defer w.all.Close()
	for op := 0; time.Now().Before(deadline) && w.failed == nil; op++ {
		if w.store == nil {
			if w.store, err = tstore.Open(ctx, j.Store, &tstore.Options{LockTimeout: 2 * time.Second}); err != nil {
				return err
			}
		}
		if err := w.once(ctx, op); err != nil {
			return err
		}
	}
	return errors.Join(w.failed, w.store.Close())
}

// once chooses a step, does it, and logs both.
func (w *worker) once(ctx context.Context, op int) error {
	seen, err := glimpse(ctx, w.store)
	if err != nil {
		return err
	}
	st := w.choose(seen)
	begin := entry{Op: op, Step: &st}
	if begin.At, err = w.size(); err != nil {
		return err
	}
	if err := writeLine(w.log, begin); err != nil {
		return err
	}
	end := entry{Op: op}
	end.Got, err = w.do(w.telling(ctx, op), st)
	end.Error, end.Kind = textOf(err), kindOfError(err)
	if end.At, err = w.size(); err != nil {
		return err
	}
	if end.Kind == "doubt" {
		err, w.store = w.store.Close(), nil
	}
	return errors.Join(err, writeLine(w.log, end))
}

func (w *worker) size() (int64, error) {
	fi, err := w.all.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

// telling is a context in which commits are logged.
func (w *worker) telling(ctx context.Context, op int) context.Context {
	return catalog.WithCommitting(ctx, func(tx *catalog.Tx, number uint64) {
		c, err := describe(tx, w.store.Dir(), w.n, op, number)
		if err == nil {
			err = writeLine(w.all, c)
		}
		w.failed = errors.Join(w.failed, err)
	})
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// kindOfError is "refused" if the state of the store is the reason, "beside" if others are who do
// something at the same time, and "doubt" if nobody knows what has happened.
func kindOfError(err error) string {
	beside := []error{tstore.ErrConflict, tstore.ErrLockTimeout, tstore.ErrBusy, tstore.ErrDirty, tstore.ErrInputChanged}
	switch {
	case err == nil:
		return ""
	case errors.Is(err, tstore.ErrInDoubt) || errors.Is(err, tstore.ErrPoisoned):
		return "doubt"
	case slices.ContainsFunc(beside, func(kind error) bool { return errors.Is(err, kind) }):
		return "beside"
	case errors.Is(err, errAbort), strings.Contains(err.Error(), "can't be part of a transaction"), strings.Contains(err.Error(), "can't be read before the commit"):
		return "beside" // what a transaction itself does
	}
	return "refused"
}

// choose makes a step that may fit what was seen.
func (w *worker) choose(seen *state) step {
	g := w.gen
	g.steps++
	st := step{Do: g.kind()}
	switch st.Do {
	case "look":
		st.Names = []string{g.name(seen)}
		if g.chance(20) && len(seen.snaps) > 0 {
			st.Names[0] += "@" + oneOf(g.rng, slices.Sorted(maps.Keys(seen.snaps)))
		}
	case "total":
		st.Expr = expr{Op: "sum", A: g.tensorName(seen), B: g.tensorName(seen)}
	case "update":
		g.subs(seen, &st, true)
	case "transfer":
		st.Do = "update"
		a, b, k := g.tensorName(seen), g.tensorName(seen), 1+int64(g.rng.IntN(99))
		st.Sub = []step{{Do: "eval", Stmts: []stmt{
			{Target: a, Part: part{Kind: "span", I: 0, J: 1}, Op: "-=", Expr: expr{Op: "const", K: k}},
			{Target: b, Part: part{Kind: "span", I: 1, J: 2}, Op: "+=", Expr: expr{Op: "const", K: k}},
		}}}
	default:
		g.detail(seen, &world{}, &st)
		st.Flag = st.Flag && st.Do != "eval"
	}
	return st
}

// do does a step, and returns what it has read.
func (w *worker) do(ctx context.Context, st step) (map[string]sight, error) {
	switch st.Do {
	case "look":
		s, err := see(ctx, w.store, st.Names[0])
		return map[string]sight{st.Names[0]: s}, err
	case "total":
		r, err := w.store.Eval(ctx, st.Expr.String(), nil)
		if err != nil {
			return nil, err
		}
		v, err := read(r.Outputs[0].Tensor.Tensor)
		return map[string]sight{"": {Sum: v.sum()}}, errors.Join(err, r.Close())
	case "backup":
		dir := filepath.Join(w.dir, fmt.Sprintf("backup%d", w.n))
		if _, err := w.store.Backup(ctx, dir, nil); err != nil {
			return nil, err
		}
		return seeAll(ctx, dir)
	}
	return nil, do(ctx, w.store, st, w.dir)
}

// see reads what a name stands for.
func see(ctx context.Context, s *tstore.Store, name string) (sight, error) {
	e, err := s.Lookup(ctx, name)
	if err != nil {
		return sight{Missing: true}, err
	}
	if e.Record.Kind == catalog.KindBlob {
		x, err := e.Record.Blob.Int()
		return sight{Sum: uint64(x)}, err
	}
	t, err := s.Evaluate(ctx, name)
	if errors.Is(err, tstore.ErrWrongKind) {
		return see(ctx, s, name) // it is a blob by now
	}
	if err != nil {
		return sight{}, err
	}
	v, err := read(t.Tensor)
	if err == nil {
		err = s.OneState(ctx, t)
	}

	// A small change in place shows in tensors that are open, also while they are read.
	if errors.Is(err, tstore.ErrConflict) {
		if err := t.Close(); err != nil {
			return sight{}, err
		}
		return see(ctx, s, name)
	}

	got := sight{Sum: v.sum()}
	if !t.Info.Copied {
		got.Version, got.Storage, got.Created = t.Info.Version(), t.Info.Record.Storage.String(), t.Info.Record.Created.UnixNano()
	}
	return got, errors.Join(err, t.Close())
}

// seeAll reads all of a store that nobody changes, with its snapshots.
func seeAll(ctx context.Context, dir string) (map[string]sight, error) {
	s, err := tstore.Open(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	snaps, err := s.Snapshots(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]sight{}
	for _, snap := range append([]catalog.Snapshot{{}}, snaps...) {
		for item, err := range s.List(ctx, &tstore.ListOptions{Recursive: true, Snapshot: snap.Name}) {
			if err != nil {
				return nil, err
			}
			if item.Record.Kind == catalog.KindLazy {
				continue
			}
			name := at(item.Name, snap.Name)
			if all[name], err = see(ctx, s, name); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return all, nil
}

// glimpse is as much of a store as a generator has to know. It may be out of date at once.
func glimpse(ctx context.Context, s *tstore.Store) (*state, error) {
	out := newState()
	for item, err := range s.List(ctx, &tstore.ListOptions{Recursive: true}) {
		if err != nil {
			return nil, err
		}
		o := &object{kind: item.Record.Kind}
		if strings.HasPrefix(item.Record.Formula.Text, "(") {
			o.expr = expr{Op: "copy"}
		}
		if o.kind == catalog.KindTensor {
			for _, n := range item.Record.Shape {
				o.shape = append(o.shape, int(n))
			}
			o.buf = out.number()
			out.bufs[o.buf] = &buffer{id: o.buf, dtype: item.Record.DType.String()}
		}
		out.put(item.Name, o)
	}
	snaps, err := s.Snapshots(ctx)
	for _, snap := range snaps {
		out.snaps[snap.Name] = out
	}
	return out, err
}
