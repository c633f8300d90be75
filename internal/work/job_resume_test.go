package work_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

func TestResumeJob(t *testing.T) {
	t.Parallel()
	for _, l := range someWork() {
		t.Run(l.Name, func(t *testing.T) {
			s, file := storetest.JobStore(t)
			want := l.Wanted(t, s, file)
			job := l.Interrupted(t, s, file)
			storetest.CollectsNothing(t, s)
			if _, err := s.CreateSnapshot(t.Context(), "between", ""); err != nil {
				t.Fatal(err)
			}
			first := int64(-1)
			err := s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: storetest.Told(func(done int64) {
				if first < 0 {
					first = done
				}
			})})
			if err != nil {
				t.Fatal(err)
			}
			const piece = storetest.LittleMemory / 16 // which progress is told to the next of
			if first < job.Done*storetest.JobBytes/job.Total-piece {
				t.Errorf("it went on at byte %d, of which %d were done", first, job.Done)
			}
			if !bytes.Equal(storetest.Stored(t, s, "new"), want) {
				t.Error("other elements than without an interruption")
			}
			storetest.WantNoJobs(t, s)
			storetest.CollectsNothing(t, s)
			if strings.HasPrefix(l.Name, "import") {
				wantWhole(t, s, "new")
			}
			if err := s.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrNotFound) {
				t.Errorf("resumed again: %v", err)
			}
		})
	}
}

// TestResumeDoesNotRedo changes a byte of what a job has done, which is then in the tensor: nothing
// of it is written, or summed, again.
func TestResumeDoesNotRedo(t *testing.T) {
	t.Parallel()
	for _, l := range someWork() {
		for _, at := range []string{"first", "last"} {
			t.Run(l.Name+"/"+at, func(t *testing.T) {
				s, file := storetest.JobStore(t)
				want := l.Wanted(t, s, file)
				job := l.Interrupted(t, s, file)
				off := int64(1)
				if at == "last" {
					off = job.Done - 1
				}
				storetest.Flip(t, filepath.Join(s.Dir(), "tmp", job.ID().String()+".npy"), 4096+off)
				want[off] ^= 1
				if err := s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: storetest.Told(nil)}); err != nil {
					t.Fatal(err)
				}
				if l.Name == "import" || l.Name == "import big-endian" {
					r, err := s.Verify(t.Context(), nil)
					if err != nil || len(r.Damage) != 1 || r.Damage[0].Offset != 4096+off/65536*65536 {
						t.Errorf("verify: %+v, %v", r, err)
					}
				}
				if !bytes.Equal(storetest.Stored(t, s, "new"), want) {
					t.Error("what was done was written again, or something else was")
				}
			})
		}
	}
}

// TestOneProcessResumes has a second one come while the first is at work.
func TestOneProcessResumes(t *testing.T) {
	t.Parallel()
	s, file := storetest.JobStore(t)
	job := storetest.LongWork[0].Interrupted(t, s, file)
	other, err := tstore.Open(t.Context(), s.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tried := false
	err = s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: storetest.Told(func(int64) {
		if tried {
			return
		}
		tried = true
		if err := other.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrBusy) {
			t.Errorf("the second: %v, want ErrBusy", err)
		}
		if _, err := other.RemoveJob(t.Context(), job.ID()); !errors.Is(err, tstore.ErrBusy) {
			t.Errorf("removed at work: %v, want ErrBusy", err)
		}
		if !storetest.TheJob(t, other).Running {
			t.Error("a job at work does not count as running")
		}
	})})
	if err != nil || !tried {
		t.Errorf("the first: %v, tried %t", err, tried)
	}
	storetest.WantNoJobs(t, s)
}

// TestNameTakenMeanwhile has another tensor take the name: the work is kept, and done as soon as
// the name is free.
func TestNameTakenMeanwhile(t *testing.T) {
	s, file := storetest.JobStore(t)
	want := storetest.LongWork[0].Wanted(t, s, file)
	job := storetest.LongWork[0].Interrupted(t, s, file)
	storetest.Create(t, s, "new", storetest.Source(t, 0, 3))
	if err := s.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrExists) {
		t.Fatalf("resumed: %v", err)
	}
	if now := storetest.TheJob(t, s); now.Done != now.Total || now.State != catalog.JobFailed {
		t.Errorf("job: %+v", now)
	}
	storetest.CollectsNothing(t, s)
	if err := s.Rename(t.Context(), "new", "aside"); err != nil {
		t.Fatal(err)
	}
	wantResumed(t, s, job, want)
	wantWhole(t, s, "new")
	storetest.WantNoJobs(t, s)
}

// TestOverwriteWhileNameComesAndGoes has others make, and delete, a tensor of the name at each
// moment of a job that may replace one.
func TestOverwriteWhileNameComesAndGoes(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 1, 3))
	other := storetest.Impatient(t, s.Dir(), time.Millisecond)
	overwrite := func(ctx context.Context) error {
		return s.Copy(ctx, "new", "x", &tstore.ImportOptions{Overwrite: true, Journal: storetest.MustResume})
	}
	storetest.AtEachMoment(t, func() error { return other.Create(t.Context(), "new", storetest.Source(t, 7, 2)) }, func(ctx context.Context, _ func() bool) {
		storetest.Must(t, overwrite(ctx))
		storetest.Must(t, s.Delete(t.Context(), "new"))
	})
	storetest.AtEachMoment(t, func() error { return other.Delete(t.Context(), "new") }, func(ctx context.Context, changed func() bool) {
		storetest.Create(t, s, "new", storetest.Source(t, 7, 2))
		storetest.Must(t, overwrite(ctx))
		if !changed() {
			storetest.WantValues(t, s, "new", 1, 2, 3)
		}
		_ = s.Delete(t.Context(), "new")
	})
	storetest.WantNoJobs(t, s)
}
