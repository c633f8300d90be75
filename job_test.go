package tstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// The work of the tests: a file, and a tensor of the same bytes, of jobRows ×
// jobCols float64.
const (
	jobRows, jobCols = 700, 1000
	jobBytes         = 8 * jobRows * jobCols
)

// jobStore makes a store with the tensors "x" and "v", and a file of elements.
func jobStore(t testing.TB) (s *tstore.Store, file string) {
	t.Helper()
	s = newStore(t)
	random := rand.New(rand.NewPCG(5, 5))
	data := make([]float64, jobRows*jobCols)
	for i := range data {
		data[i] = random.NormFloat64()
	}
	src, err := tstore.FromSlice(data, jobRows, jobCols)
	if err != nil {
		t.Fatal(err)
	}
	create(t, s, "x", src)
	create(t, s, "v", source(t, 1, jobCols))
	file = filepath.Join(t.TempDir(), "elements")
	writeFile(t, file, "header..."+string(read(t, s, "x")))
	return s, file
}

// stored returns the elements of a tensor as they are in its file.
func stored(t testing.TB, s *tstore.Store, name string) []byte {
	t.Helper()
	info, err := s.Stat(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(s.Dir(), filepath.FromSlash(info.Storage.File())))
	if err != nil {
		t.Fatal(err)
	}
	return b[4096:]
}

// read returns the bytes of a selector.
func read(t testing.TB, s *tstore.Store, sel string) []byte {
	t.Helper()
	x, err := s.Get(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	b, err := io.ReadAll(x.Tensor.Reader())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// long is long work that makes the tensor "new".
type long struct {
	name string
	do   func(ctx context.Context, s *tstore.Store, file string, j tstore.Journal, p func(done int64)) error
}

// littleMemory makes the pieces that are computed at a time small.
const littleMemory = 4 << 20

func told(p func(int64)) compute.Options {
	if p == nil {
		return compute.Options{MemoryLimit: littleMemory}
	}
	return compute.Options{MemoryLimit: littleMemory, Progress: func(at compute.Progress) {
		if at.Pass == at.Passes {
			p(at.Done * jobBytes / max(at.Total, 1))
		}
	}}
}

func importing(bigEndian bool) func(context.Context, *tstore.Store, string, tstore.Journal, func(int64)) error {
	return func(ctx context.Context, s *tstore.Store, file string, j tstore.Journal, p func(int64)) error {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		from := tstore.Origin{File: f, Offset: 9, BigEndian: bigEndian}
		return s.Import(ctx, "new", tstore.Source{
			Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{jobCols, jobRows}, Order: tstore.ColumnMajor, Dims: []string{"a", "b"}},
			Data: from.Data(dtype.Float64, jobBytes), Origin: &from, Progress: p,
		}, &tstore.ImportOptions{Journal: j})
	}
}

func copying(sel string) func(context.Context, *tstore.Store, string, tstore.Journal, func(int64)) error {
	return func(ctx context.Context, s *tstore.Store, _ string, j tstore.Journal, p func(int64)) error {
		return s.Copy(ctx, "new", sel, &tstore.ImportOptions{Journal: j, Eval: &tstore.EvalOptions{Compute: told(p)}})
	}
}

func evaluating(text string) func(context.Context, *tstore.Store, string, tstore.Journal, func(int64)) error {
	return func(ctx context.Context, s *tstore.Store, _ string, j tstore.Journal, p func(int64)) error {
		o := &tstore.EvalOptions{Journal: j, Compute: told(p), Vars: map[string]dtype.Scalar{"k": dtype.ScalarOf(float32(0.3))}}
		r, err := s.Eval(ctx, text, o)
		if err != nil {
			return err
		}
		return r.Close()
	}
}

var longWork = []long{
	{"import", importing(false)},
	{"import big-endian", importing(true)},
	{"copy", copying("x[:, ::-1]")},
	{"copy computed", copying("x.astype(int64)")},
	{"eval", evaluating("new = sqrt(x*x + k*v) - x.mean(axis=0)")},
}

var mustResume = tstore.Journal{Must: true}

// wanted is what the work makes without a journal. It leaves nothing.
func (l long) wanted(t testing.TB, s *tstore.Store, file string) []byte {
	t.Helper()
	if err := l.do(t.Context(), s, file, tstore.Journal{}, nil); err != nil {
		t.Fatal(err)
	}
	want := stored(t, s, "new")
	if err := s.Delete(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	return want
}

// interrupted is work that has been interrupted somewhere in the middle.
func (l long) interrupted(t testing.TB, s *tstore.Store, file string) tstore.Job {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := l.do(ctx, s, file, mustResume, func(done int64) {
		if done > jobBytes/2 {
			cancel()
		}
	})
	var failed *tstore.JobError
	if !errors.As(err, &failed) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "tstore job resume "+failed.ID.String()[:8]) {
		t.Fatalf("interrupted work: %v", err)
	}
	job := theJob(t, s)
	if job.ID() != failed.ID || job.Done != failed.Done || job.Done == 0 || job.Done == job.Total || job.Running || job.State != catalog.JobRunning {
		t.Fatalf("interrupted job: %+v, told: %+v", job, failed)
	}
	return job
}

// theJob is the only job there is.
func theJob(t testing.TB, s *tstore.Store) tstore.Job {
	t.Helper()
	jobs, err := s.Jobs(t.Context())
	if err != nil || len(jobs) != 1 {
		t.Fatalf("jobs: %+v, %v; want one", jobs, err)
	}
	return jobs[0]
}

func wantNoJobs(t testing.TB, s *tstore.Store) {
	t.Helper()
	if jobs, err := s.Jobs(t.Context()); err != nil || len(jobs) != 0 {
		t.Errorf("jobs: %+v, %v; want none", jobs, err)
	}
	if left, err := filepath.Glob(filepath.Join(s.Dir(), "tmp", "*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// wantWhole checks that what was imported is sealed, and verifies.
func wantWhole(t testing.TB, s *tstore.Store, name string) {
	t.Helper()
	r, err := s.Verify(t.Context(), &tstore.VerifyOptions{Selectors: []string{name}})
	if err != nil || len(r.Damage) > 0 {
		t.Errorf("verify: %+v, %v", r, err)
	}
	info, err := s.Stat(t.Context(), name)
	if err != nil || info.Storage.Seal == nil {
		t.Errorf("%s is not sealed (%v)", name, err)
	}
}

// collectsNothing runs gc and repair, which leave jobs alone.
func collectsNothing(t testing.TB, s *tstore.Store) {
	t.Helper()
	if removed, err := s.GC(t.Context(), nil); err != nil || len(removed) > 0 {
		t.Errorf("gc removed %+v, %v", removed, err)
	}
	if done, err := s.Repair(t.Context(), nil); err != nil || len(done) > 0 {
		t.Errorf("repair did %+v, %v", done, err)
	}
	if found, err := s.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("check found %+v, %v", found, err)
	}
}

func TestJobWithoutInterruption(t *testing.T) {
	for _, l := range longWork {
		t.Run(l.name, func(t *testing.T) {
			s, file := jobStore(t)
			want := l.wanted(t, s, file)
			if err := l.do(t.Context(), s, file, mustResume, nil); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(stored(t, s, "new"), want) {
				t.Error("other elements than without a journal")
			}
			wantNoJobs(t, s)
			if strings.HasPrefix(l.name, "import") {
				wantWhole(t, s, "new")
			}
		})
	}
}

func TestResumeJob(t *testing.T) {
	for _, l := range longWork {
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

// TestResumeDoesNotRedo changes a byte of what a job has done, which is then in
// the tensor: nothing of it is written, or summed, again.
func TestResumeDoesNotRedo(t *testing.T) {
	for _, l := range longWork {
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

func TestChangedInputs(t *testing.T) {
	tests := []struct {
		name   string
		work   long
		change func(s *tstore.Store, file string) error
	}{
		{"file is longer", longWork[0], func(_ *tstore.Store, file string) error { return os.WriteFile(file, make([]byte, 2*jobBytes), 0o644) }},
		{"file is touched", longWork[0], func(_ *tstore.Store, file string) error { return os.Chtimes(file, time.Time{}, time.Unix(99, 0)) }},
		{"file is gone", longWork[0], func(_ *tstore.Store, file string) error { return os.Remove(file) }},
		{"tensor of a copy is replaced", longWork[2], func(s *tstore.Store, _ string) error {
			return s.Replace(t.Context(), "x", source(t, 0, jobRows, jobCols))
		}},
		{"tensor of a copy is deleted", longWork[2], func(s *tstore.Store, _ string) error { return s.Delete(t.Context(), "x") }},
		{"an element changes", longWork[3], func(s *tstore.Store, _ string) error { return s.Fill(t.Context(), "x[3, 3]", dtype.ScalarOf(0.0)) }},
		{"an operand is replaced", longWork[4], func(s *tstore.Store, _ string) error { return s.Replace(t.Context(), "v", source(t, 0, jobCols)) }},
		{"an operand is deleted", longWork[4], func(s *tstore.Store, _ string) error { return s.Delete(t.Context(), "v") }},
		{"a lazy operand is defined anew", long{do: evaluating("new = x + two")}, func(s *tstore.Store, _ string) error {
			return s.Define(t.Context(), "two", "v*3", &tstore.DefineOptions{Replace: true})
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, file := jobStore(t)
			define(t, s, "two", "v*2")
			job := test.work.interrupted(t, s, file)
			if err := test.change(s, file); err != nil {
				t.Fatal(err)
			}
			err := s.ResumeJob(t.Context(), job.ID(), nil)
			if !errors.Is(err, tstore.ErrInputChanged) || !strings.Contains(err.Error(), "tstore job rm") {
				t.Errorf("resumed: %v", err)
			}
			if failed := theJob(t, s); failed.State != catalog.JobFailed || failed.Err == "" || failed.Done != job.Done {
				t.Errorf("job: %+v", failed)
			}
			if _, err := s.RemoveJob(t.Context(), job.ID()); err != nil {
				t.Error(err)
			}
			wantNoJobs(t, s)
		})
	}
}

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

// TestOneProcessResumes has a second one come while the first is at work.
func TestOneProcessResumes(t *testing.T) {
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

func TestCancelJob(t *testing.T) {
	for _, l := range longWork {
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
			if err := s.ResumeJob(t.Context(), job.ID(), nil); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(stored(t, s, "new"), want) {
				t.Error("other elements than without cancelling")
			}
			wantNoJobs(t, s)
		})
	}
	s := newStore(t)
	if err := s.CancelJob(t.Context(), catalog.NewID()); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("cancelled nothing: %v", err)
	}
}

func TestNotResumable(t *testing.T) {
	s, file := jobStore(t)
	define(t, s, "picked", "x[x[:, 0] > 0]")
	eval := func(text string, o tstore.EvalOptions) error {
		o.Journal = mustResume
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
			return s.Import(t.Context(), "new", source(t, 0, 5000), &tstore.ImportOptions{Journal: mustResume})
		}, "regular file"},
		"reduction":   {func() error { return eval("new = x.sum(axis=0)", tstore.EvalOptions{}) }, "reduction"},
		"running sum": {func() error { return eval("new = cumsum(x, axis=0)[::2]", tstore.EvalOptions{}) }, "running sum"},
		"mask":        {func() error { return eval("new = x[x[:, 0] > 0] + 1", tstore.EvalOptions{}) }, "mask"},
		"lazy mask":   {func() error { return eval("new = picked + 1", tstore.EvalOptions{}) }, "mask"},
		"statements":  {func() error { return eval("new = x + 1; other = x", tstore.EvalOptions{}) }, "several statements"},
		"change":      {func() error { return eval("x += 1", tstore.EvalOptions{}) }, "changes elements"},
		"in place":    {func() error { return eval("x = x + 1", tstore.EvalOptions{InPlace: true}) }, "in place"},
		"transaction": {func() error {
			return s.Update(t.Context(), func(tx *tstore.Tx) error {
				return longWork[0].do(t.Context(), tx.Store(), file, mustResume, nil)
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
	wantNoJobs(t, s)

	// What need not be a job is done.
	r, err := s.Eval(t.Context(), "total = x.sum(axis=0)", &tstore.EvalOptions{Journal: tstore.Journal{From: 1}})
	if err != nil || len(r.Outputs) != 1 {
		t.Errorf("a sum that need not be a job: %v", err)
	}
}

// TestBadWorkLeavesNoJob fails before anything is done.
func TestBadWorkLeavesNoJob(t *testing.T) {
	s, file := jobStore(t)
	create(t, s, "new", source(t, 0, 3))
	for _, l := range longWork[:4] {
		if err := l.do(t.Context(), s, file, mustResume, nil); !errors.Is(err, tstore.ErrExists) {
			t.Errorf("%s: %v, want ErrExists", l.name, err)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	from := tstore.Origin{File: f, Offset: jobBytes}
	err = s.Import(t.Context(), "other", tstore.Source{
		Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{jobRows}}, Data: from.Data(dtype.Float64, 8*jobRows), Origin: &from,
	}, &tstore.ImportOptions{Journal: mustResume})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is too short: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := importingAs(ctx, s, file, "other"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted at once: %v", err)
	}
	wantNoJobs(t, s)
}

func importingAs(ctx context.Context, s *tstore.Store, file, name string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	from := tstore.Origin{File: f, Offset: 9}
	return s.Import(ctx, name, tstore.Source{
		Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{jobRows * jobCols}}, Data: from.Data(dtype.Float64, jobBytes), Origin: &from,
	}, &tstore.ImportOptions{Journal: mustResume, Overwrite: true})
}

// TestNameTakenMeanwhile has another tensor take the name: the work is kept, and
// done as soon as the name is free.
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
	if err := s.ResumeJob(t.Context(), job.ID(), nil); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stored(t, s, "new"), want) {
		t.Error("other elements")
	}
	wantWhole(t, s, "new")
	wantNoJobs(t, s)
}

// TestLostFiles resumes jobs whose files are not what they should be: they start
// anew.
func TestLostFiles(t *testing.T) {
	for name, lose := range map[string]func(data, sums string) error{
		"data":      func(data, _ string) error { return os.Remove(data) },
		"sums":      func(_, sums string) error { return os.Remove(sums) },
		"cut sums":  func(_, sums string) error { return os.Truncate(sums, 8) },
		"cut data":  func(data, _ string) error { return os.Truncate(data, 5000) },
		"both":      func(data, sums string) error { return errors.Join(os.Remove(data), os.Remove(sums)) },
		"other sum": func(_, sums string) error { return os.WriteFile(sums, make([]byte, 1<<20), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			s, file := jobStore(t)
			want := longWork[0].wanted(t, s, file)
			job := longWork[0].interrupted(t, s, file)
			path := filepath.Join(s.Dir(), "tmp", job.ID().String())
			if err := lose(path+".npy", path+".1.sums"); err != nil {
				t.Fatal(err)
			}
			if err := s.ResumeJob(t.Context(), job.ID(), nil); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(stored(t, s, "new"), want) {
				t.Error("other elements than without an interruption")
			}
			wantWhole(t, s, "new")
			wantNoJobs(t, s)
		})
	}
}

// TestDiedBeforeCommit resumes a job whose process died after it gave the file its
// final name.
func TestDiedBeforeCommit(t *testing.T) {
	s, file := jobStore(t)
	want := longWork[0].wanted(t, s, file)
	job := longWork[0].interrupted(t, s, file)
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
	collectsNothing(t, s)
	flip(t, final, 4097)
	want[1] ^= 1
	if err := s.ResumeJob(t.Context(), job.ID(), nil); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stored(t, s, "new"), want) {
		t.Error("what was done was written again")
	}
	job = longWork[2].interruptedAs(t, s, file)
	final = filepath.Join(s.Dir(), filepath.FromSlash(catalog.Storage{ID: job.ID()}.File()))
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		t.Fatal(err)
	}
	move()
	if freed, err := s.RemoveJob(t.Context(), job.ID()); err != nil || freed < jobBytes {
		t.Errorf("freed %d, %v", freed, err)
	}
	if _, err := os.Stat(final); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of the removed job: %v", err)
	}
	wantNoJobs(t, s)
}

// interruptedAs is interrupted once "new" is out of the way.
func (l long) interruptedAs(t testing.TB, s *tstore.Store, file string) tstore.Job {
	t.Helper()
	if err := s.Delete(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	return l.interrupted(t, s, file)
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

// jobChild begins work, or goes on with the job that there is.
func jobChild(args []string) error {
	ctx := context.Background()
	dir, file, name := args[0], args[1], args[2]
	s, err := tstore.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	jobs, err := s.Jobs(ctx)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(os.Stdout, "begin\n"); err != nil {
		return err
	}
	if len(jobs) > 0 {
		return s.ResumeJob(ctx, jobs[0].ID(), nil)
	}
	work := longWork[slices.IndexFunc(longWork, func(l long) bool { return l.name == name })]
	return work.do(ctx, s, file, mustResume, nil)
}

// TestKillJob kills processes that work on a job at random moments, until one has
// finished it.
func TestKillJob(t *testing.T) {
	t.Logf("seed %d", *killSeed)
	rng := rand.New(rand.NewPCG(*killSeed, 7))
	for _, l := range longWork {
		t.Run(l.name, func(t *testing.T) {
			s, file := jobStore(t)
			want := l.wanted(t, s, file)
			kills := 0
			for done := int64(0); ; kills++ {
				patience := time.Duration(rng.Int64N(int64(60 * time.Millisecond)))
				if kills == 30 {
					patience = time.Minute
				}
				if runJobChild(t, s.Dir(), file, l.name, patience) {
					break
				}
				jobs, err := s.Jobs(t.Context())
				if err != nil || len(jobs) > 1 {
					t.Fatalf("jobs: %+v, %v", jobs, err)
				}
				if len(jobs) == 0 {
					if _, err := s.Stat(t.Context(), "new"); err == nil {
						break // killed once it had finished
					}
					continue // or before it began
				}
				if jobs[0].Done < done || jobs[0].Running {
					t.Errorf("after kill %d: %+v, done before were %d", kills, jobs[0], done)
				}
				done = jobs[0].Done
				if kills%3 == 0 {
					gcLeaves(t, s, jobs[0].ID())
				}
			}
			t.Logf("finished after %d kills", kills)
			if !bytes.Equal(stored(t, s, "new"), want) {
				t.Error("other elements than without kills")
			}
			if strings.HasPrefix(l.name, "import") {
				wantWhole(t, s, "new")
			}
			if _, err := s.GC(t.Context(), nil); err != nil {
				t.Error(err)
			}
			wantNoJobs(t, s)
			collectsNothing(t, s)
		})
	}
}

// gcLeaves runs gc and repair, which must not touch the job's data. Checksums that
// were about to be published are garbage.
func gcLeaves(t *testing.T, s *tstore.Store, id catalog.ID) {
	t.Helper()
	removed, err := s.GC(t.Context(), nil)
	if err != nil {
		t.Error(err)
	}
	for _, g := range removed {
		if strings.HasSuffix(g.File, id.String()+".npy") || g.File == "tmp/"+id.String()+".1.sums" {
			t.Errorf("gc removed %s", g.File)
		}
	}
	if _, err := s.Repair(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// runJobChild kills a child after some time, and reports whether it ended before.
func runJobChild(t *testing.T, dir, file, work string, patience time.Duration) (finished bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir, file, work)
	cmd.Env = append(os.Environ(), childEnv+"=job")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 6)); err == nil {
		defer time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }).Stop()
	}
	err = cmd.Wait()
	if stderr.Len() > 0 {
		t.Fatalf("the child failed: %s", stderr.String())
	}
	return err == nil
}

// TestFailAtEveryOperationOfJobs is TestFailAtEveryOperation for jobs, which the
// next process resumes if there is one.
func TestFailAtEveryOperationOfJobs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "elements")
	writeFile(t, file, strings.Repeat("elements", 40_000))
	resumed := func(do func(context.Context, *tstore.Store) error) func(context.Context, *tstore.Store) error {
		return func(ctx context.Context, s *tstore.Store) error {
			jobs, err := s.Jobs(ctx)
			if err != nil {
				return err
			}
			if len(jobs) > 0 {
				return s.ResumeJob(ctx, jobs[0].ID(), nil)
			}
			return do(ctx, s)
		}
	}
	x := upTo(6)
	failEverywhere(t, prepare, []change{
		{"import", resumed(func(ctx context.Context, s *tstore.Store) error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer f.Close()
			from := tstore.Origin{File: f}
			return s.Import(ctx, "new", tstore.Source{
				Spec: tstore.Spec{DType: dtype.Uint8, Shape: []int{320_000}}, Data: from.Data(dtype.Uint8, 320_000), Origin: &from,
			}, &tstore.ImportOptions{Journal: mustResume})
		}), x, x},
		{"eval", resumed(func(ctx context.Context, s *tstore.Store) error {
			r, err := s.Eval(ctx, "new = big*2 + untouched[1]", &tstore.EvalOptions{Journal: mustResume, Compute: told(nil)})
			if err != nil {
				return err
			}
			return r.Close()
		}), x, x},
	})
}
