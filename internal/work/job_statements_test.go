package work_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// interruptEval interrupts statements in the middle of a pass.
func interruptEval(t *testing.T, s *tstore.Store, text string, pass int) tstore.Job {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := s.Eval(ctx, text, &tstore.EvalOptions{Journal: storetest.MustResume, Compute: compute.Options{
		MemoryLimit: storetest.LittleMemory, Progress: func(at compute.Progress) {
			if at.Pass == pass && at.Done > at.Total/2 {
				cancel()
			}
		},
	}})
	var failed *tstore.JobError
	if !errors.As(err, &failed) || !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted in pass %d: %v", pass, err)
	}
	job := storetest.TheJob(t, s)
	if job.Done == 0 || job.Done >= job.Total || int(job.Checkpoint.Pass) != pass-1 {
		t.Fatalf("interrupted job: %+v", job)
	}
	return job
}

// TestResumeStatements changes a byte of each tensor that a job has done, or done in part: they are
// then in the tensors, and nothing else is.
func TestResumeStatements(t *testing.T) {
	t.Parallel()
	type part struct {
		name string
		size int64 // of an element
		all  bool  // whether the tensor is done
	}
	tests := []struct {
		name, text string
		pass       int
		parts      []part
	}{
		{"one pass", "new = x*2 + v; other = (x*v).astype(float32)", 1, []part{{"new", 8, false}, {"other", 4, false}}},
		{"the second of two", "new = x*2 + v; other = new.sum(axis=0) - x", 3, []part{{"new", 8, true}, {"other", 8, false}}},
		{"a mean is computed again", "new = x - x.mean(axis=0); other = new*2", 2, []part{{"new", 8, false}, {"other", 8, false}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, _ := storetest.JobStore(t)
			storetest.Eval(t, s, test.text, nil)
			want := map[string][]byte{}
			for _, p := range test.parts {
				want[p.name] = storetest.Stored(t, s, p.name)
				storetest.Must(t, s.Delete(t.Context(), p.name))
			}
			job := interruptEval(t, s, test.text, test.pass)
			storetest.CollectsNothing(t, s)
			for i, p := range test.parts {
				off := job.Checkpoint.Done*p.size - 1
				if p.all {
					off = int64(len(want[p.name])) - 1
				}
				id := job.ID().Part(i)
				storetest.Flip(t, filepath.Join(s.Dir(), "tmp", id.String()+".npy"), 4096+off)
				want[p.name][off] ^= 1
			}
			if err := s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: storetest.Told(nil)}); err != nil {
				t.Fatal(err)
			}
			for name, b := range want {
				if !bytes.Equal(storetest.Stored(t, s, name), b) {
					t.Errorf("%s: what was done was computed again, or something else was", name)
				}
			}
			storetest.WantNoJobs(t, s)
			storetest.CollectsNothing(t, s)
		})
	}
}

// TestResumeWithOtherOptions has more and less memory and other workers.
func TestResumeWithOtherOptions(t *testing.T) {
	t.Parallel()
	const text = "other = x.mean(axis=0); new = x - other; last = (new*0.3).T; total = last.sum()"
	names := []string{"other", "new", "last", "total"}
	for _, o := range []compute.Options{{MemoryLimit: 1, Parallelism: 1}, {MemoryLimit: 1 << 30, Parallelism: 3}} {
		s, _ := storetest.JobStore(t)
		storetest.Eval(t, s, text, nil)
		want := map[string][]byte{}
		for _, name := range names {
			want[name] = storetest.Read(t, s, name)
			storetest.Must(t, s.Delete(t.Context(), name))
		}
		job := interruptEval(t, s, text, 2)
		storetest.Must(t, s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: o}))
		for name, b := range want {
			if !bytes.Equal(storetest.Read(t, s, name), b) {
				t.Errorf("%s has other elements than without an interruption", name)
			}
		}
		storetest.WantNoJobs(t, s)
	}
}

// TestStatementsAreOneTransaction has others take a name, and change what is replaced.
func TestStatementsAreOneTransaction(t *testing.T) {
	t.Parallel()
	const text = "new = x*2; other = x - v"
	gone := func(t *testing.T, s *tstore.Store, names ...string) {
		t.Helper()
		for _, name := range names {
			if _, err := s.Stat(t.Context(), name); !errors.Is(err, tstore.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	t.Run("name taken", func(t *testing.T) {
		s, _ := storetest.JobStore(t)
		job := interruptEval(t, s, text, 1)
		storetest.Create(t, s, "other", storetest.Source(t, 0, 3))
		if err := s.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrConflict) {
			t.Fatalf("resumed: %v", err)
		}
		gone(t, s, "new")
		if now := storetest.TheJob(t, s); now.Done != now.Total || now.State != catalog.JobFailed {
			t.Errorf("job: %+v", now)
		}
		storetest.CollectsNothing(t, s)
		storetest.Must(t, s.Rename(t.Context(), "other", "aside"))
		storetest.Must(t, s.ResumeJob(t.Context(), job.ID(), nil))
		if len(storetest.Read(t, s, "new")) != storetest.JobBytes || len(storetest.Read(t, s, "other")) != storetest.JobBytes {
			t.Error("not all is there")
		}
		storetest.WantNoJobs(t, s)
	})
	t.Run("replaced", func(t *testing.T) {
		s, _ := storetest.JobStore(t)
		storetest.Create(t, s, "new", storetest.Source(t, 0, 3))
		storetest.Create(t, s, "other", storetest.Source(t, 0, 4))
		job := interruptEval(t, s, text, 1)
		storetest.Must(t, s.Fill(t.Context(), "other", dtype.ScalarOf(1.0)))
		storetest.Must(t, s.Delete(t.Context(), "new"))
		storetest.Must(t, s.ResumeJob(t.Context(), job.ID(), nil))
		if len(storetest.Read(t, s, "new")) != storetest.JobBytes || len(storetest.Read(t, s, "other")) != storetest.JobBytes {
			t.Error("not replaced")
		}
	})
	t.Run("read and replaced", func(t *testing.T) {
		s, _ := storetest.JobStore(t)
		job := interruptEval(t, s, "new = v*2 + x; x = x*3", 1)
		storetest.Must(t, s.Fill(t.Context(), "x[3, 3]", dtype.ScalarOf(1.0)))
		if err := s.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrInputChanged) {
			t.Fatalf("resumed: %v", err)
		}
		gone(t, s, "new")
		freed, err := s.RemoveJob(t.Context(), job.ID())
		if err != nil || freed < 2*storetest.JobBytes {
			t.Errorf("freed %d bytes, %v; want at least %d", freed, err, 2*storetest.JobBytes)
		}
		storetest.WantNoJobs(t, s)
		storetest.CollectsNothing(t, s)
	})
}

// TestJobReplacesWhatItReads runs jobs that give a tensor which they read new elements.
func TestJobReplacesWhatItReads(t *testing.T) {
	for _, text := range []string{"x = x + 1", "y = x.sum(); x = y + 1", "x = x + 1; y = x.sum()"} {
		s := storetest.NewStore(t)
		storetest.Create(t, s, "x", storetest.Source(t, 1, 3))
		if err := storetest.Discard(s.Eval(t.Context(), text, &tstore.EvalOptions{Journal: tstore.Journal{Must: true}})); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if jobs, err := s.Jobs(t.Context()); err != nil || len(jobs) > 0 {
			t.Errorf("%s: jobs are left: %v, %v", text, jobs, err)
		}
	}
}
