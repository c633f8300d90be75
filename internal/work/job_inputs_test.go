package work_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func TestChangedInputs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		work   storetest.Long
		change func(s *tstore.Store, file string) error
	}{
		{"file is longer", storetest.LongWork[0], func(_ *tstore.Store, file string) error {
			return os.WriteFile(file, make([]byte, 2*storetest.JobBytes), 0o644)
		}},
		{"file is touched", storetest.LongWork[0], func(_ *tstore.Store, file string) error { return os.Chtimes(file, time.Time{}, time.Unix(99, 0)) }},
		{"file is gone", storetest.LongWork[0], func(_ *tstore.Store, file string) error { return os.Remove(file) }},
		{"tensor of a copy is replaced", storetest.LongWork[2], func(s *tstore.Store, _ string) error {
			return s.Replace(t.Context(), "x", storetest.Source(t, 0, storetest.JobRows, storetest.JobCols))
		}},
		{"tensor of a copy is deleted", storetest.LongWork[2], func(s *tstore.Store, _ string) error { return s.Delete(t.Context(), "x") }},
		{"an element changes", storetest.LongWork[3], func(s *tstore.Store, _ string) error { return s.Fill(t.Context(), "x[3, 3]", dtype.ScalarOf(0.0)) }},
		{"an operand is replaced", storetest.LongWork[4], func(s *tstore.Store, _ string) error {
			return s.Replace(t.Context(), "v", storetest.Source(t, 0, storetest.JobCols))
		}},
		{"an operand is deleted", storetest.LongWork[4], func(s *tstore.Store, _ string) error { return s.Delete(t.Context(), "v") }},
		{"a lazy operand is defined anew", storetest.Long{Do: storetest.Evaluating("new = x + two")}, func(s *tstore.Store, _ string) error {
			return s.Define(t.Context(), "two", "v*3", &tstore.DefineOptions{Replace: true})
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, file := storetest.JobStore(t)
			storetest.Define(t, s, "two", "v*2")
			job := test.work.Interrupted(t, s, file)
			if err := test.change(s, file); err != nil {
				t.Fatal(err)
			}
			err := s.ResumeJob(t.Context(), job.ID(), nil)
			if !errors.Is(err, tstore.ErrInputChanged) || !strings.Contains(err.Error(), "tstore job rm") {
				t.Errorf("resumed: %v", err)
			}
			if failed := storetest.TheJob(t, s); failed.State != catalog.JobFailed || failed.Err == "" || failed.Done != job.Done {
				t.Errorf("job: %+v", failed)
			}
			if _, err := s.RemoveJob(t.Context(), job.ID()); err != nil {
				t.Error(err)
			}
			storetest.WantNoJobs(t, s)
		})
	}
}

func TestNotResumable(t *testing.T) {
	s, file := storetest.JobStore(t)
	storetest.Define(t, s, "picked", "x[x[:, 0] > 0]")
	eval := func(text string, o tstore.EvalOptions) error {
		o.Journal = storetest.MustResume
		r, err := s.Eval(t.Context(), text, &o)
		if err != nil {
			return err
		}
		return r.Close()
	}
	tests := map[string]struct {
		do   func() error
		want string
	}{
		"pipe": {func() error {
			return s.Import(t.Context(), "new", storetest.Source(t, 0, 5000), &tstore.ImportOptions{Journal: storetest.MustResume})
		}, "regular file"},
		"reduction":   {func() error { return eval("new = x.sum(axis=0)[::2]", tstore.EvalOptions{}) }, "reduction"},
		"sorting":     {func() error { return eval("new = sort(x, axis=0)", tstore.EvalOptions{}) }, "sorted"},
		"running sum": {func() error { return eval("new = cumsum(x, axis=0)[::2]", tstore.EvalOptions{}) }, "running sum"},
		"mask":        {func() error { return eval("new = x[x[:, 0] > 0] + 1", tstore.EvalOptions{}) }, "mask"},
		"lazy mask":   {func() error { return eval("new = picked + 1", tstore.EvalOptions{}) }, "mask"},
		"statements":  {func() error { return eval("new = x + 1; x += 1", tstore.EvalOptions{}) }, "changes elements"},
		"no name":     {func() error { return eval("new = x + 1; x[0]", tstore.EvalOptions{}) }, "has no name"},
		"change":      {func() error { return eval("x += 1", tstore.EvalOptions{}) }, "changes elements"},
		"in place":    {func() error { return eval("x = x + 1", tstore.EvalOptions{InPlace: true}) }, "in place"},
		"transaction": {func() error {
			return s.Update(t.Context(), func(tx *tstore.Tx) error {
				return storetest.LongWork[0].Do(t.Context(), tx.Store(), file, storetest.MustResume, nil)
			})
		}, "transaction"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := test.do(); !errors.Is(err, tstore.ErrNotResumable) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want ErrNotResumable with %q", err, test.want)
			}
		})
	}
	storetest.WantNoJobs(t, s)

	// What need not be a job is done.
	r, err := s.Eval(t.Context(), "total = sort(x, axis=0)", &tstore.EvalOptions{Journal: tstore.Journal{From: 1}})
	if err != nil || len(r.Outputs) != 1 {
		t.Errorf("what need not be a job: %v", err)
	}
}

// TestBadWorkLeavesNoJob fails before anything is done.
func TestBadWorkLeavesNoJob(t *testing.T) {
	s, file := storetest.JobStore(t)
	storetest.Create(t, s, "new", storetest.Source(t, 0, 3))
	for _, l := range storetest.LongWork[:4] {
		if err := l.Do(t.Context(), s, file, storetest.MustResume, nil); !errors.Is(err, tstore.ErrExists) {
			t.Errorf("%s: %v, want ErrExists", l.Name, err)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	from := tstore.Origin{File: f, Offset: storetest.JobBytes}
	err = s.Import(t.Context(), "other", tstore.Source{
		Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{storetest.JobRows}}, Data: from.Data(dtype.Float64, 8*storetest.JobRows), Origin: &from,
	}, &tstore.ImportOptions{Journal: storetest.MustResume})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is too short: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := importingAs(ctx, s, file, "other"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted at once: %v", err)
	}
	storetest.WantNoJobs(t, s)
}

func importingAs(ctx context.Context, s *tstore.Store, file, name string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	from := tstore.Origin{File: f, Offset: 9}
	return s.Import(ctx, name, tstore.Source{
		Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{storetest.JobRows * storetest.JobCols}}, Data: from.Data(dtype.Float64, storetest.JobBytes), Origin: &from,
	}, &tstore.ImportOptions{Journal: storetest.MustResume, Overwrite: true})
}
