package work_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// TestLostFiles resumes jobs whose files are not what they should be: they start anew.
func TestLostFiles(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(data, sums string) error{
		"data":      func(data, _ string) error { return os.Remove(data) },
		"sums":      func(_, sums string) error { return os.Remove(sums) },
		"cut sums":  func(_, sums string) error { return os.Truncate(sums, 8) },
		"cut data":  func(data, _ string) error { return os.Truncate(data, 5000) },
		"both":      func(data, sums string) error { return errors.Join(os.Remove(data), os.Remove(sums)) },
		"other sum": func(_, sums string) error { return os.WriteFile(sums, make([]byte, 1<<20), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			s, file := storetest.JobStore(t)
			want := storetest.LongWork[0].Wanted(t, s, file)
			job := storetest.LongWork[0].Interrupted(t, s, file)
			path := filepath.Join(s.Dir(), "tmp", job.ID().String())
			if err := lose(path+".npy", path+".1.sums"); err != nil {
				t.Fatal(err)
			}
			wantResumed(t, s, job, want)
			wantWhole(t, s, "new")
			storetest.WantNoJobs(t, s)
		})
	}
}

// TestLostFilesAndStopped resumes jobs whose elements are lost, in processes that stop at each
// operation until something is done again: none after them takes the new, empty file for the one
// that had what was done.
func TestLostFilesAndStopped(t *testing.T) {
	for _, l := range []storetest.Long{storetest.LongWork[0], storetest.LongWork[2], storetest.LongWork[4]} {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			s, file := storetest.JobStore(t)
			want := l.Wanted(t, s, file)
			for k := 1; ; k++ {
				job := l.Interrupted(t, s, file)
				storetest.Must(t, os.Remove(filepath.Join(s.Dir(), "tmp", job.ID().String()+".npy")))
				faulty := fsx.NewFaulty(fsx.OS)
				faulty.StopAt(k)
				failing, err := storetest.OpenOn(t.Context(), s.Dir(), faulty, nil)
				storetest.Must(t, err)
				stopped := failing.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: storetest.Told(nil)})
				failing.Close()
				if stopped == nil {
					t.Fatalf("operation %d failed, and nobody says so", k)
				}
				last := faulty.Log()[k-1]
				wantResumed(t, s, job, want)
				if t.Failed() {
					t.Fatalf("stopped at operation %v", last)
				}
				l.Unmake(t, s)
				if last.Kind == fsx.OpSync {
					break
				}
			}
			storetest.WantNoJobs(t, s)
		})
	}
}

// TestDiedBeforeCommit resumes a job whose process died after it gave the file its final name.
func TestDiedBeforeCommit(t *testing.T) {
	s, file := storetest.JobStore(t)
	want := storetest.LongWork[0].Wanted(t, s, file)
	job := storetest.LongWork[0].Interrupted(t, s, file)
	final := filepath.Join(s.Dir(), filepath.FromSlash(catalog.Storage{ID: job.ID()}.File()))
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		t.Fatal(err)
	}
	move := func() {
		if err := os.Rename(filepath.Join(s.Dir(), "tmp", job.ID().String()+".npy"), final); err != nil {
			t.Fatal(err)
		}
	}
	move()
	storetest.CollectsNothing(t, s)
	storetest.Flip(t, final, 4097)
	want[1] ^= 1
	wantResumed(t, s, job, want)
	job = storetest.LongWork[2].InterruptedAs(t, s, file)
	final = filepath.Join(s.Dir(), filepath.FromSlash(catalog.Storage{ID: job.ID()}.File()))
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		t.Fatal(err)
	}
	move()
	if freed, err := s.RemoveJob(t.Context(), job.ID()); err != nil || freed < storetest.JobBytes {
		t.Errorf("freed %d, %v", freed, err)
	}
	if _, err := os.Stat(final); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of the removed job: %v", err)
	}
	storetest.WantNoJobs(t, s)
}

// TestFailAtEveryOperationOfJobs is TestFailAtEveryOperation for jobs, which the next process
// resumes if there is one.
func TestFailAtEveryOperationOfJobs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "elements")
	storetest.WriteFile(t, file, strings.Repeat("elements", 40_000))
	resumed := func(do func(context.Context, *tstore.Store) error, want map[string][]float64) func(context.Context, *tstore.Store) error {
		return func(ctx context.Context, s *tstore.Store) error {
			jobs, err := s.Jobs(ctx)
			if err != nil {
				return err
			}
			if len(jobs) > 0 {
				err = s.ResumeJob(ctx, jobs[0].ID(), nil)
			} else {
				err = do(ctx, s)
			}
			if err != nil {
				return err
			}
			after, err := tstore.Open(ctx, s.Dir(), nil) // s may be unable to read
			if err != nil {
				return err
			}
			for name, elements := range want {
				got, failed := storetest.ReadAll(ctx, after, name)
				if failed == nil && !slices.Equal(got, elements) {
					failed = fmt.Errorf("%s has other elements than without a failure", name)
				}
				err = errors.Join(err, failed)
			}
			return errors.Join(err, after.Close())
		}
	}
	evaluated := func(text string) func(context.Context, *tstore.Store) error {
		return func(ctx context.Context, s *tstore.Store) error {
			r, err := s.Eval(ctx, text, &tstore.EvalOptions{Journal: storetest.MustResume, Compute: storetest.Told(nil)})
			if err != nil {
				return err
			}
			return r.Close()
		}
	}
	text := slices.Repeat([]float64{dtype.Load(dtype.Float64, []byte("elements")).Float64()}, 40_000)
	odd := storetest.UpTo(2 * storetest.CrashRows)
	next := slices.Clone(odd)
	for i := range odd {
		odd[i] = odd[i]*2 + 1
		next[i]++
	}
	x := storetest.UpTo(6)
	storetest.FailEverywhere(t, storetest.Prepare, []storetest.Change{
		{Name: "import", Do: resumed(func(ctx context.Context, s *tstore.Store) error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer f.Close()
			from := tstore.Origin{File: f}
			return s.Import(ctx, "new", tstore.Source{
				Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{40_000}}, Data: from.Data(dtype.Float64, 320_000), Origin: &from,
			}, &tstore.ImportOptions{Journal: storetest.MustResume})
		}, map[string][]float64{"new": text}), Before: x, After: x},
		{Name: "eval", Do: resumed(evaluated("new = big*2 + untouched[1]"), map[string][]float64{"new": odd}), Before: x, After: x},
		{Name: "statements", Do: resumed(evaluated("new = big + 1; last = new.max()"), map[string][]float64{"new": next, "last": {next[len(next)-1]}}), Before: x, After: x},
	})
}
