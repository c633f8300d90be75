package tstore_test

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
)

// interruptEval interrupts statements in the middle of a pass.
func interruptEval(t *testing.T, s *tstore.Store, text string, pass int) tstore.Job {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := s.Eval(ctx, text, &tstore.EvalOptions{Journal: mustResume, Compute: compute.Options{
		MemoryLimit: littleMemory, Progress: func(at compute.Progress) {
			if at.Pass == pass && at.Done > at.Total/2 {
				cancel()
			}
		},
	}})
	var failed *tstore.JobError
	if !errors.As(err, &failed) || !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted in pass %d: %v", pass, err)
	}
	job := theJob(t, s)
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
			s, _ := jobStore(t)
			eval(t, s, test.text, nil)
			want := map[string][]byte{}
			for _, p := range test.parts {
				want[p.name] = stored(t, s, p.name)
				must(t, s.Delete(t.Context(), p.name))
			}
			job := interruptEval(t, s, test.text, test.pass)
			collectsNothing(t, s)
			for i, p := range test.parts {
				off := job.Checkpoint.Done*p.size - 1
				if p.all {
					off = int64(len(want[p.name])) - 1
				}
				id := job.ID().Part(i)
				flip(t, filepath.Join(s.Dir(), "tmp", id.String()+".npy"), 4096+off)
				want[p.name][off] ^= 1
			}
			if err := s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: told(nil)}); err != nil {
				t.Fatal(err)
			}
			for name, b := range want {
				if !bytes.Equal(stored(t, s, name), b) {
					t.Errorf("%s: what was done was computed again, or something else was", name)
				}
			}
			wantNoJobs(t, s)
			collectsNothing(t, s)
		})
	}
}

// TestResumeWithOtherOptions has more and less memory and other workers.
func TestResumeWithOtherOptions(t *testing.T) {
	t.Parallel()
	const text = "other = x.mean(axis=0); new = x - other; last = (new*0.3).T; total = last.sum()"
	names := []string{"other", "new", "last", "total"}
	for _, o := range []compute.Options{{MemoryLimit: 1, Parallelism: 1}, {MemoryLimit: 1 << 30, Parallelism: 3}} {
		s, _ := jobStore(t)
		eval(t, s, text, nil)
		want := map[string][]byte{}
		for _, name := range names {
			want[name] = read(t, s, name)
			must(t, s.Delete(t.Context(), name))
		}
		job := interruptEval(t, s, text, 2)
		must(t, s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: o}))
		for name, b := range want {
			if !bytes.Equal(read(t, s, name), b) {
				t.Errorf("%s has other elements than without an interruption", name)
			}
		}
		wantNoJobs(t, s)
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
		s, _ := jobStore(t)
		job := interruptEval(t, s, text, 1)
		create(t, s, "other", source(t, 0, 3))
		if err := s.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrConflict) {
			t.Fatalf("resumed: %v", err)
		}
		gone(t, s, "new")
		if now := theJob(t, s); now.Done != now.Total || now.State != catalog.JobFailed {
			t.Errorf("job: %+v", now)
		}
		collectsNothing(t, s)
		must(t, s.Rename(t.Context(), "other", "aside"))
		must(t, s.ResumeJob(t.Context(), job.ID(), nil))
		if len(read(t, s, "new")) != jobBytes || len(read(t, s, "other")) != jobBytes {
			t.Error("not all is there")
		}
		wantNoJobs(t, s)
	})
	t.Run("replaced", func(t *testing.T) {
		s, _ := jobStore(t)
		create(t, s, "new", source(t, 0, 3))
		create(t, s, "other", source(t, 0, 4))
		job := interruptEval(t, s, text, 1)
		must(t, s.Fill(t.Context(), "other", dtype.ScalarOf(1.0)))
		must(t, s.Delete(t.Context(), "new"))
		must(t, s.ResumeJob(t.Context(), job.ID(), nil))
		if len(read(t, s, "new")) != jobBytes || len(read(t, s, "other")) != jobBytes {
			t.Error("not replaced")
		}
	})
	t.Run("read and replaced", func(t *testing.T) {
		s, _ := jobStore(t)
		job := interruptEval(t, s, "new = v*2 + x; x = x*3", 1)
		must(t, s.Fill(t.Context(), "x[3, 3]", dtype.ScalarOf(1.0)))
		if err := s.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrInputChanged) {
			t.Fatalf("resumed: %v", err)
		}
		gone(t, s, "new")
		freed, err := s.RemoveJob(t.Context(), job.ID())
		if err != nil || freed < 2*jobBytes {
			t.Errorf("freed %d bytes, %v; want at least %d", freed, err, 2*jobBytes)
		}
		wantNoJobs(t, s)
		collectsNothing(t, s)
	})
}

// TestJobReplacesWhatItReads runs jobs that give a tensor which they read new elements.
func TestJobReplacesWhatItReads(t *testing.T) {
	for _, text := range []string{"x = x + 1", "y = x.sum(); x = y + 1", "x = x + 1; y = x.sum()"} {
		s := newStore(t)
		create(t, s, "x", source(t, 1, 3))
		if err := discard(s.Eval(t.Context(), text, &tstore.EvalOptions{Journal: tstore.Journal{Must: true}})); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if jobs, err := s.Jobs(t.Context()); err != nil || len(jobs) > 0 {
			t.Errorf("%s: jobs are left: %v, %v", text, jobs, err)
		}
	}
}
