package work_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/powercut"
	"github.com/tstore/tstore/internal/storetest"
)

// TestJobsStayThroughCompact resumes a job in the compacted store, and looks for it in vain in a
// restored one.
func TestJobsStayThroughCompact(t *testing.T) {
	const text = "new = x*2; other = new.sum(axis=0); none = x[:0]"
	s, _ := storetest.JobStore(t)
	storetest.Eval(t, s, text, nil)
	names := []string{"new", "other", "none"}
	want := map[string][]byte{}
	for _, name := range names {
		want[name] = storetest.Read(t, s, name)
		storetest.Must(t, s.Delete(t.Context(), name))
	}
	job := interruptEval(t, s, text, 2)
	backup, restored := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "r")
	if _, err := s.Backup(t.Context(), backup, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	storetest.CollectsNothing(t, s)
	storetest.Must(t, s.ResumeJob(t.Context(), job.ID(), nil))
	for name, b := range want {
		if !bytes.Equal(storetest.Read(t, s, name), b) {
			t.Errorf("%s has other elements than without an interruption", name)
		}
	}
	storetest.WantNoJobs(t, s)
	if _, err := tstore.Restore(t.Context(), []string{backup}, restored, nil); err != nil {
		t.Fatal(err)
	}
	back, err := tstore.Open(t.Context(), restored, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	storetest.WantNoJobs(t, back)
	storetest.CollectsNothing(t, back)
}

// TestCancelWhileAnotherResumes cancels statements that another process goes on with.
func TestCancelWhileAnotherResumes(t *testing.T) {
	s, _ := storetest.JobStore(t)
	job := interruptEval(t, s, "new = x*2; other = x - v; last = x.sum(axis=0)", 1)
	other, err := tstore.Open(t.Context(), s.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	cancelled := false
	err = s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: compute.Options{
		MemoryLimit: storetest.LittleMemory, Parallelism: 1, Progress: func(compute.Progress) {
			if cancelled {
				return
			}
			cancelled = true
			if err := other.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrBusy) {
				t.Errorf("resumed twice at once: %v", err)
			}
			storetest.Must(t, other.CancelJob(t.Context(), job.ID()))
		},
	}})
	if !errors.Is(err, tstore.ErrCancelled) {
		t.Fatalf("resumed and cancelled: %v", err)
	}
	storetest.Must(t, other.ResumeJob(t.Context(), job.ID(), nil))
	if len(storetest.Read(t, s, "new")) != storetest.JobBytes || len(storetest.Read(t, s, "last")) != 8*storetest.JobCols {
		t.Error("not all is there")
	}
	storetest.WantNoJobs(t, s)
}

// TestPowerCutOfJobs cuts the power while statements are a job: what they make is there wholly, or
// not at all and then the job, if it was noted, makes the same.
func TestPowerCutOfJobs(t *testing.T) {
	t.Parallel()
	const rows = 100_000
	sums, twice := storetest.UpTo(rows), storetest.UpTo(rows)
	for i := range sums {
		twice[i] *= 2
		if i > 0 {
			sums[i] += sums[i-1]
		}
	}
	made := map[string][]float64{"twice": twice, "total": {sums[rows-1]}, "sums": sums}
	steps := []storetest.PowerStep{
		{Name: "create", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Create(ctx, "x", storetest.Source(t, 0, rows))
		}, Effect: func(s storetest.State) { s["x"] = storetest.UpTo(rows) }, InPlace: ""},
		{Name: "job", Do: func(ctx context.Context, s *tstore.Store) error {
			r, err := s.Eval(ctx, "twice = x*2; total = x.sum(); sums = cumsum(x)", &tstore.EvalOptions{Journal: storetest.MustResume, Compute: storetest.Told(nil)})
			if err != nil {
				return err
			}
			return r.Close()
		}, Effect: func(s storetest.State) {
			for name, v := range made {
				s[name] = v
			}
		}, InPlace: ""},
	}
	log, states := storetest.RecordPower(t, steps)
	images, resumed, err := cutJobs(t, log, steps, states, made)
	if t.Logf("seed %d: %d states, a job in %d", *storetest.PowerSeed, images, resumed); err != nil || resumed == 0 {
		t.Errorf("%d jobs: %v", resumed, err)
	}
	if _, _, err := cutJobs(t, log.After(2).Without(powercut.Event.IsDataSync), steps, states, made); err == nil {
		t.Error("no sync of data: not noticed")
	}
}

// cutJobs looks at states after power cuts, and goes on with the jobs that are there.
func cutJobs(t *testing.T, log *powercut.Log, steps []storetest.PowerStep, states []storetest.State, made map[string][]float64) (images, resumed int, err error) {
	t.Helper()
	rng := rand.New(rand.NewPCG(*storetest.PowerSeed, 3))
	root := t.TempDir()
	each := float64(storetest.Few(200, 40)) / float64(log.Len())
	err = log.Cuts(func(c *powercut.Cut) error {
		if c.Mark < 1 || rng.Float64() >= each {
			return nil
		}
		dir := filepath.Join(root, fmt.Sprint(images))
		images++
		if err := c.Write(dir, rng, rng.Float64()); err != nil {
			return err
		}
		store := filepath.Join(dir, "s")
		again, err := resumeAll(t.Context(), store, made)
		if err == nil && again == 0 {
			err = storetest.LookFrom(t.Context(), store, steps, states, c.Mark)
		}
		if err != nil {
			return fmt.Errorf("power cut after event %d, mark %d: %w", c.N, c.Mark, err)
		}
		resumed += again
		return os.RemoveAll(dir)
	})
	return images, resumed, err
}

// resumeAll goes on with the job that there is, if there is one, which must make some tensors.
func resumeAll(ctx context.Context, dir string, want map[string][]float64) (jobs int, err error) {
	s, err := tstore.Open(ctx, dir, nil)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	list, err := s.Jobs(ctx)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	for _, name := range []string{"twice", "total", "sums"} {
		if _, err := s.Stat(ctx, name); !errors.Is(err, tstore.ErrNotFound) {
			return 0, fmt.Errorf("%s is there before the job has ended: %w", name, err)
		}
	}
	if err := s.ResumeJob(ctx, list[0].ID(), nil); err != nil {
		return 0, err
	}
	for name, v := range want {
		got, err := storetest.ReadAll(ctx, s, name)
		if err == nil && !slices.Equal(got, v) {
			err = errors.New("other elements than without a power cut")
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "tmp", "*.sums")); err != nil || len(left) > 0 {
		return 0, fmt.Errorf("left over: %s, %w", strings.Join(left, " "), err)
	}
	return 1, nil
}
