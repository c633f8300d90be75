package work_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

func TestRemoveJobFreesTheSpace(t *testing.T) {
	s, file := storetest.JobStore(t)
	job := storetest.LongWork[0].Interrupted(t, s, file)
	freed, err := s.RemoveJob(t.Context(), job.ID())
	if err != nil || freed < storetest.JobBytes {
		t.Errorf("freed %d bytes, %v; want at least %d", freed, err, storetest.JobBytes)
	}
	storetest.WantNoJobs(t, s)
	storetest.CollectsNothing(t, s)
	if _, err := s.RemoveJob(t.Context(), job.ID()); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("removed again: %v", err)
	}
}

func TestCancelJob(t *testing.T) {
	for _, l := range someWork() {
		t.Run(l.Name, func(t *testing.T) {
			s, file := storetest.JobStore(t)
			want := l.Wanted(t, s, file)
			cancelled := false
			err := l.Do(t.Context(), s, file, storetest.MustResume, func(done int64) {
				if !cancelled && done > storetest.JobBytes/2 {
					cancelled = true
					if err := s.CancelJob(t.Context(), storetest.TheJob(t, s).ID()); err != nil {
						t.Error(err)
					}
				}
			})
			if !errors.Is(err, tstore.ErrCancelled) {
				t.Fatalf("cancelled work: %v", err)
			}
			job := storetest.TheJob(t, s)
			if job.State != catalog.JobCancelled || job.Running {
				t.Errorf("job: %+v", job)
			}
			wantResumed(t, s, job, want)
			storetest.WantNoJobs(t, s)
		})
	}
	s := storetest.NewStore(t)
	if err := s.CancelJob(t.Context(), catalog.NewID()); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("cancelled nothing: %v", err)
	}
}

func TestFindJob(t *testing.T) {
	s, file := storetest.JobStore(t)
	job := storetest.LongWork[2].Interrupted(t, s, file)
	id := job.ID().String()
	for _, text := range []string{id, id[:1], strings.ToUpper(id[:6])} {
		if got, err := s.FindJob(t.Context(), text); err != nil || got.ID() != job.ID() || got.What() != "x[:, ::-1]" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "zz", id + "0"} {
		if _, err := s.FindJob(t.Context(), text); !errors.Is(err, tstore.ErrNotFound) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := s.RemoveJob(t.Context(), job.ID()); err != nil {
		t.Error(err)
	}
}
