package tstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

func TestRemoveJobFreesTheSpace(t *testing.T) {
	s, file := jobStore(t)
	job := longWork[0].interrupted(t, s, file)
	freed, err := s.RemoveJob(t.Context(), job.ID())
	if err != nil || freed < jobBytes {
		t.Errorf("freed %d bytes, %v; want at least %d", freed, err, jobBytes)
	}
	wantNoJobs(t, s)
	collectsNothing(t, s)
	if _, err := s.RemoveJob(t.Context(), job.ID()); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("removed again: %v", err)
	}
}

func TestCancelJob(t *testing.T) {
	for _, l := range someWork() {
		t.Run(l.name, func(t *testing.T) {
			s, file := jobStore(t)
			want := l.wanted(t, s, file)
			cancelled := false
			err := l.do(t.Context(), s, file, mustResume, func(done int64) {
				if !cancelled && done > jobBytes/2 {
					cancelled = true
					if err := s.CancelJob(t.Context(), theJob(t, s).ID()); err != nil {
						t.Error(err)
					}
				}
			})
			if !errors.Is(err, tstore.ErrCancelled) {
				t.Fatalf("cancelled work: %v", err)
			}
			job := theJob(t, s)
			if job.State != catalog.JobCancelled || job.Running {
				t.Errorf("job: %+v", job)
			}
			wantResumed(t, s, job, want)
			wantNoJobs(t, s)
		})
	}
	s := newStore(t)
	if err := s.CancelJob(t.Context(), catalog.NewID()); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("cancelled nothing: %v", err)
	}
}

func TestFindJob(t *testing.T) {
	s, file := jobStore(t)
	job := longWork[2].interrupted(t, s, file)
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
