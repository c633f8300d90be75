package tstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// The work of the tests: a file, and a tensor of the same bytes, of jobRows × jobCols float64.
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

// long is long work that makes the tensor "new", and more.
type long struct {
	name string
	do   func(ctx context.Context, s *tstore.Store, file string, j tstore.Journal, p func(done int64)) error
	more []string
}

// made are the elements of all that the work makes; of one tensor as they are in its file.
func (l long) made(t testing.TB, s *tstore.Store) []byte {
	t.Helper()
	if len(l.more) == 0 {
		return stored(t, s, "new")
	}
	b := read(t, s, "new")
	for _, name := range l.more {
		b = append(b, read(t, s, name)...)
	}
	return b
}

// unmake deletes what the work makes.
func (l long) unmake(t testing.TB, s *tstore.Store) {
	t.Helper()
	for _, name := range append([]string{"new"}, l.more...) {
		if err := s.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
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
	{"import", importing(false), nil},
	{"import big-endian", importing(true), nil},
	{"copy", copying("x[:, ::-1]"), nil},
	{"copy computed", copying("x.astype(int64)"), nil},
	{"eval", evaluating("new = sqrt(x*x + k*v) - x.mean(axis=0)"), nil},
}

// programs are work that makes several tensors.
var programs = []long{
	{"one pass", evaluating("new = sqrt(x*x + k*v); other = (x*2 - v).astype(float32)"), []string{"other"}},
	{"passes", evaluating("other = x.mean(axis=0); new = x - other; last = (new*k).T; total = last.sum()"), []string{"other", "last", "total"}},
	{"reductions", evaluating("other = x.std(axis=0); new = x.sum(axis=1); last = x.argmax(axis=0); total = x.max()"), []string{"other", "last", "total"}},
	{"scans", evaluating("new = cumsum(x, axis=0); other = cumsum(x.T.reshape(-1))"), []string{"other"}},
	{"products", evaluating("new = x.reshape(1400, 500)[:, :20] @ x.reshape(500, 1400)[:20]; other = x @ v"), []string{"other"}},
	{"replaced", evaluating("new = x*2; new = new + v; other = new.sum(axis=1)"), []string{"other"}},
}

// somePrograms is two of the programs, or with -long all.
func somePrograms() []long {
	if *wholeSweeps {
		return programs
	}
	return programs[1:3]
}

// someWork is an import and a computation, or with -long all of longWork.
func someWork() []long {
	if *wholeSweeps {
		return longWork
	}
	return []long{longWork[1], longWork[4]}
}

var mustResume = tstore.Journal{Must: true}

// wanted is what the work makes without a journal. It leaves nothing.
func (l long) wanted(t testing.TB, s *tstore.Store, file string) []byte {
	t.Helper()
	if err := l.do(t.Context(), s, file, tstore.Journal{}, nil); err != nil {
		t.Fatal(err)
	}
	want := l.made(t, s)
	l.unmake(t, s)
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

// wantResumed goes on with a job, which must make what the work makes without an interruption.
func wantResumed(t testing.TB, s *tstore.Store, job tstore.Job, want []byte) {
	t.Helper()
	if err := s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: told(nil)}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(stored(t, s, "new"), want) {
		t.Error("other elements than without an interruption")
	}
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
	t.Parallel()
	for _, l := range append(someWork(), somePrograms()...) {
		t.Run(l.name, func(t *testing.T) {
			s, file := jobStore(t)
			want := l.wanted(t, s, file)
			if err := l.do(t.Context(), s, file, mustResume, nil); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(l.made(t, s), want) {
				t.Error("other elements than without a journal")
			}
			wantNoJobs(t, s)
			if strings.HasPrefix(l.name, "import") {
				wantWhole(t, s, "new")
			}
		})
	}
}
