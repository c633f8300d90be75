package tstore_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

func TestResumeJob(t *testing.T) {
	t.Parallel()
	for _, l := range someWork() {
		t.Run(l.name, func(t *testing.T) {
			s, file := jobStore(t)
			want := l.wanted(t, s, file)
			job := l.interrupted(t, s, file)
			collectsNothing(t, s)
			if _, err := s.CreateSnapshot(t.Context(), "between", ""); err != nil {
				t.Fatal(err)
			}
			first := int64(-1)
			err := s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: told(func(done int64) {
				if first < 0 {
					first = done
				}
			})})
			if err != nil {
				t.Fatal(err)
			}
			const piece = littleMemory / 16 // which progress is told to the next of
			if first < job.Done*jobBytes/job.Total-piece {
				t.Errorf("it went on at byte %d, of which %d were done", first, job.Done)
			}
			if !bytes.Equal(stored(t, s, "new"), want) {
				t.Error("other elements than without an interruption")
			}
			wantNoJobs(t, s)
			collectsNothing(t, s)
			if strings.HasPrefix(l.name, "import") {
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
			t.Run(l.name+"/"+at, func(t *testing.T) {
				s, file := jobStore(t)
				want := l.wanted(t, s, file)
				job := l.interrupted(t, s, file)
				off := int64(1)
				if at == "last" {
					off = job.Done - 1
				}
				flip(t, filepath.Join(s.Dir(), "tmp", job.ID().String()+".npy"), 4096+off)
				want[off] ^= 1
				if err := s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: told(nil)}); err != nil {
					t.Fatal(err)
				}
				if l.name == "import" || l.name == "import big-endian" {
					r, err := s.Verify(t.Context(), nil)
					if err != nil || len(r.Damage) != 1 || r.Damage[0].Offset != 4096+off/65536*65536 {
						t.Errorf("verify: %+v, %v", r, err)
					}
				}
				if !bytes.Equal(stored(t, s, "new"), want) {
					t.Error("what was done was written again, or something else was")
				}
			})
		}
	}
}

// flip changes the lowest bit of a byte of a file.
func flip(t testing.TB, path string, off int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	_, err = f.ReadAt(b, off)
	b[0] ^= 1
	_, werr := f.WriteAt(b, off)
	if err := errors.Join(err, werr); err != nil {
		t.Fatal(err)
	}
}

// TestOneProcessResumes has a second one come while the first is at work.
func TestOneProcessResumes(t *testing.T) {
	t.Parallel()
	s, file := jobStore(t)
	job := longWork[0].interrupted(t, s, file)
	other, err := tstore.Open(t.Context(), s.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tried := false
	err = s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: told(func(int64) {
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
		if !theJob(t, other).Running {
			t.Error("a job at work does not count as running")
		}
	})})
	if err != nil || !tried {
		t.Errorf("the first: %v, tried %t", err, tried)
	}
	wantNoJobs(t, s)
}

// TestNameTakenMeanwhile has another tensor take the name: the work is kept, and done as soon as
// the name is free.
func TestNameTakenMeanwhile(t *testing.T) {
	s, file := jobStore(t)
	want := longWork[0].wanted(t, s, file)
	job := longWork[0].interrupted(t, s, file)
	create(t, s, "new", source(t, 0, 3))
	if err := s.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrExists) {
		t.Fatalf("resumed: %v", err)
	}
	if now := theJob(t, s); now.Done != now.Total || now.State != catalog.JobFailed {
		t.Errorf("job: %+v", now)
	}
	collectsNothing(t, s)
	if err := s.Rename(t.Context(), "new", "aside"); err != nil {
		t.Fatal(err)
	}
	wantResumed(t, s, job, want)
	wantWhole(t, s, "new")
	wantNoJobs(t, s)
}

// TestOverwriteWhileNameComesAndGoes has others make, and delete, a tensor of the name at each
// moment of a job that may replace one.
func TestOverwriteWhileNameComesAndGoes(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 1, 3))
	other := impatient(t, s.Dir(), time.Millisecond)
	overwrite := func(ctx context.Context) error {
		return s.Copy(ctx, "new", "x", &tstore.ImportOptions{Overwrite: true, Journal: mustResume})
	}
	atEachMoment(t, func() error { return other.Create(t.Context(), "new", source(t, 7, 2)) }, func(ctx context.Context, _ func() bool) {
		must(t, overwrite(ctx))
		must(t, s.Delete(t.Context(), "new"))
	})
	atEachMoment(t, func() error { return other.Delete(t.Context(), "new") }, func(ctx context.Context, changed func() bool) {
		create(t, s, "new", source(t, 7, 2))
		must(t, overwrite(ctx))
		if !changed() {
			wantValues(t, s, "new", 1, 2, 3)
		}
		_ = s.Delete(t.Context(), "new")
	})
	wantNoJobs(t, s)
}
