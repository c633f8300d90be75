package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// beside are the steps of workers, and how often they are made. They don't write in place where
// they are killed: what is left then is for a person to say.
var beside = map[string]int{
	"create": 8, "import": 4, "pack": 3, "copy": 3, "view": 6, "rename": 2, "delete": 4, "replace": 4, "append": 12, "resize": 3,
	"fill": 10, "eval": 8, "define": 3, "redo": 2, "seal": 1, "unseal": 3, "attr": 1, "blob": 1, "keep": 3, "forget": 2,
	"restore": 1, "bring": 6, "update": 6, "transfer": 8, "look": 20, "total": 20, "gc": 3, "backup": 3,
}

// TestProcesses lets several processes do random steps to one store at the same time, kills some of
// them, and repeats what they did in the model, in the order of their commits.
func TestProcesses(t *testing.T) {
	seed, limit := firstSeed(), limitOf(time.Second)
	t.Logf("first seed %d", seed)
	began, histories, figures := time.Now(), 0, figures{}
	for ; time.Since(began) < limit; histories++ {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(histories))
		if err := together(t.Context(), dir, seed+uint64(histories), min(limit/2, 4*time.Second), &figures); err != nil {
			kept := filepath.Join(os.TempDir(), fmt.Sprintf("crashtest-%d", seed+uint64(histories)))
			_ = os.RemoveAll(kept)
			err = errors.Join(err, os.Rename(dir, kept))
			t.Fatalf("history %d (-seed %d), after %v: %v\nits files are in %s", histories+1, seed+uint64(histories), time.Since(began).Round(time.Millisecond), err, kept)
		}
	}
	t.Logf("%d histories in %v: %+v", histories, time.Since(began).Round(time.Millisecond), figures)
}

// figures count what was done.
type figures struct{ Steps, Refused, Beside, Doubt, Commits, Kills int }

// together makes one history.
func together(ctx context.Context, dir string, seed uint64, span time.Duration, f *figures) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	w, err := newWorld(ctx, dir)
	if err != nil {
		return err
	}
	if err := errors.Join(w.close(), os.WriteFile(commitsFile(dir), nil, 0o644)); err != nil {
		return err
	}
	kinds := map[string]int{}
	for kind, n := range beside {
		kinds[kind] = n
	}
	if err := race(job{Dir: dir, Store: w.store(), Seed: seed, Kinds: kinds}, rng, span, f); err != nil {
		return err
	}
	return judged(w, f)
}

// race runs processes, and kills one after the other if the history is one with kills.
func race(j job, rng *rand.Rand, span time.Duration, f *figures) error {
	deadline := time.Now().Add(span)
	killing := rng.IntN(3) > 0
	if !killing {
		j.Kinds["write"], j.Kinds["compact"] = 4, 0
	}
	var running []*child
	start := func() error {
		j.Goroutines, j.For = 1+rng.IntN(2), time.Until(deadline)
		c, err := startChild(j)
		running = append(running, c)
		j.Worker += j.Goroutines
		return err
	}
	for range 1 + rng.IntN(4) {
		if err := start(); err != nil {
			return err
		}
	}
	for killing && time.Until(deadline) > 300*time.Millisecond {
		time.Sleep(time.Duration(rng.IntN(200)) * time.Millisecond)
		i := rng.IntN(len(running))
		running[i].kill()
		f.Kills++
		if err := start(); err != nil {
			return err
		}
	}
	var errs []error
	for _, c := range running {
		errs = append(errs, c.wait())
	}
	return errors.Join(errs...)
}

// child is a process of workers.
type child struct {
	cmd    *exec.Cmd
	stderr strings.Builder
	killed bool
}

func startChild(j job) (*child, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	c.cmd.Stderr = &c.stderr
	return c, c.cmd.Start()
}

func (c *child) kill() {
	c.killed = true
	_ = c.cmd.Process.Kill()
}

func (c *child) wait() error {
	err := c.cmd.Wait()
	if c.killed && c.stderr.Len() == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("a process of workers: %w: %s", err, c.stderr.String())
	}
	return nil
}

// dropJobs removes what killed processes have begun to compute.
func (w *world) dropJobs() error {
	jobs, err := w.handles[0].Jobs(w.ctx)
	for _, j := range jobs {
		_, failed := w.handles[0].RemoveJob(w.ctx, j.ID())
		err = errors.Join(err, failed)
	}
	return err
}

// judged repeats the history of a store in the model, and compares what is left at the end.
func judged(w *world, f *figures) error {
	cat, err := catalog.Open(w.ctx, w.store(), nil)
	if err != nil {
		return err
	}
	last, err := cat.TxID()
	if err := errors.Join(err, cat.Close()); err != nil {
		return err
	}
	r, err := loadReplay(w.dir, last)
	if err != nil {
		return err
	}
	for _, o := range r.ops {
		f.Steps++
		switch o.kind {
		case "refused":
			f.Refused++
		case "beside":
			f.Beside++
		}
		if !o.ended || o.kind == "doubt" {
			f.Doubt++
		}
	}
	f.Commits += len(r.commits)
	if err := r.run(w.model); err != nil {
		return err
	}
	w.model = r.states[len(r.states)-1]
	if err := w.open(); err != nil {
		return err
	}
	_, err = w.handles[0].Repair(w.ctx, &tstore.RepairOptions{})
	if err := errors.Join(err, w.dropJobs(), w.close()); err != nil {
		return err
	}
	return w.finish()
}
