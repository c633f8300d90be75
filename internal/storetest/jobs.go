package storetest

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// The work of jobs in tests: a file, and a tensor of the same bytes, of JobRows × JobCols float64.
const (
	JobRows, JobCols = 700, 1000
	JobBytes         = 8 * JobRows * JobCols
)

// JobStore makes a store with the tensors "x" and "v", and a file of elements.
func JobStore(t testing.TB) (s *tstore.Store, file string) {
	t.Helper()
	s = NewStore(t)
	random := rand.New(rand.NewPCG(5, 5))
	data := make([]float64, JobRows*JobCols)
	for i := range data {
		data[i] = random.NormFloat64()
	}
	src, err := tstore.FromSlice(data, JobRows, JobCols)
	if err != nil {
		t.Fatal(err)
	}
	Create(t, s, "x", src)
	Create(t, s, "v", Source(t, 1, JobCols))
	file = filepath.Join(t.TempDir(), "elements")
	WriteFile(t, file, "header..."+string(Read(t, s, "x")))
	return s, file
}

// Stored returns the elements of a tensor as they are in its file.
func Stored(t testing.TB, s *tstore.Store, name string) []byte {
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

// Read returns the bytes of a selector.
func Read(t testing.TB, s *tstore.Store, sel string) []byte {
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

// Long is long work that makes the tensor "new", and more.
type Long struct {
	Name string
	Do   func(ctx context.Context, s *tstore.Store, file string, j tstore.Journal, p func(done int64)) error
	More []string // the names of what it makes besides new
}

// Made are the elements of all that the work makes; of one tensor as they are in its file.
func (l Long) Made(t testing.TB, s *tstore.Store) []byte {
	t.Helper()
	if len(l.More) == 0 {
		return Stored(t, s, "new")
	}
	b := Read(t, s, "new")
	for _, name := range l.More {
		b = append(b, Read(t, s, name)...)
	}
	return b
}

// Unmake deletes what the work makes.
func (l Long) Unmake(t testing.TB, s *tstore.Store) {
	t.Helper()
	for _, name := range append([]string{"new"}, l.More...) {
		if err := s.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
}

// LittleMemory makes the pieces that are computed at a time small.
const LittleMemory = 4 << 20

// Told are options of computing that tell p of their progress.
func Told(p func(int64)) compute.Options {
	if p == nil {
		return compute.Options{MemoryLimit: LittleMemory}
	}
	return compute.Options{MemoryLimit: LittleMemory, Progress: func(at compute.Progress) {
		if at.Pass == at.Passes {
			p(at.Done * JobBytes / max(at.Total, 1))
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
			Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{JobCols, JobRows}, Order: tstore.ColumnMajor, Dims: []string{"a", "b"}},
			Data: from.Data(dtype.Float64, JobBytes), Origin: &from, Progress: p,
		}, &tstore.ImportOptions{Journal: j})
	}
}

func copying(sel string) func(context.Context, *tstore.Store, string, tstore.Journal, func(int64)) error {
	return func(ctx context.Context, s *tstore.Store, _ string, j tstore.Journal, p func(int64)) error {
		return s.Copy(ctx, "new", sel, &tstore.ImportOptions{Journal: j, Eval: &tstore.EvalOptions{Compute: Told(p)}})
	}
}

// Evaluating is work that evaluates statements.
func Evaluating(text string) func(context.Context, *tstore.Store, string, tstore.Journal, func(int64)) error {
	return func(ctx context.Context, s *tstore.Store, _ string, j tstore.Journal, p func(int64)) error {
		o := &tstore.EvalOptions{Journal: j, Compute: Told(p), Vars: map[string]dtype.Scalar{"k": dtype.ScalarOf(float32(0.3))}}
		r, err := s.Eval(ctx, text, o)
		if err != nil {
			return err
		}
		return r.Close()
	}
}

// LongWork is work of each kind that can be a job.
var LongWork = []Long{
	{"import", importing(false), nil},
	{"import big-endian", importing(true), nil},
	{"copy", copying("x[:, ::-1]"), nil},
	{"copy computed", copying("x.astype(int64)"), nil},
	{"eval", Evaluating("new = sqrt(x*x + k*v) - x.mean(axis=0)"), nil},
}

// MustResume makes jobs of work of any size.
var MustResume = tstore.Journal{Must: true}

// Wanted is what the work makes without a journal. It leaves nothing.
func (l Long) Wanted(t testing.TB, s *tstore.Store, file string) []byte {
	t.Helper()
	if err := l.Do(t.Context(), s, file, tstore.Journal{}, nil); err != nil {
		t.Fatal(err)
	}
	want := l.Made(t, s)
	l.Unmake(t, s)
	return want
}

// Interrupted is work that has been interrupted somewhere in the middle.
func (l Long) Interrupted(t testing.TB, s *tstore.Store, file string) tstore.Job {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := l.Do(ctx, s, file, MustResume, func(done int64) {
		if done > JobBytes/2 {
			cancel()
		}
	})
	var failed *tstore.JobError
	if !errors.As(err, &failed) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "tstore job resume "+failed.ID.String()[:8]) {
		t.Fatalf("interrupted work: %v", err)
	}
	job := TheJob(t, s)
	if job.ID() != failed.ID || job.Done != failed.Done || job.Done == 0 || job.Done == job.Total || job.Running || job.State != catalog.JobRunning {
		t.Fatalf("interrupted job: %+v, told: %+v", job, failed)
	}
	return job
}

// TheJob is the only job there is.
func TheJob(t testing.TB, s *tstore.Store) tstore.Job {
	t.Helper()
	jobs, err := s.Jobs(t.Context())
	if err != nil || len(jobs) != 1 {
		t.Fatalf("jobs: %+v, %v; want one", jobs, err)
	}
	return jobs[0]
}

// WantNoJobs expects that a store has no job, and no file of one.
func WantNoJobs(t testing.TB, s *tstore.Store) {
	t.Helper()
	if jobs, err := s.Jobs(t.Context()); err != nil || len(jobs) != 0 {
		t.Errorf("jobs: %+v, %v; want none", jobs, err)
	}
	if left, err := filepath.Glob(filepath.Join(s.Dir(), "tmp", "*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// CollectsNothing runs gc and repair, which leave jobs alone.
func CollectsNothing(t testing.TB, s *tstore.Store) {
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

// InterruptedAs is interrupted once "new" is out of the way.
func (l Long) InterruptedAs(t testing.TB, s *tstore.Store, file string) tstore.Job {
	t.Helper()
	if err := s.Delete(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	return l.Interrupted(t, s, file)
}

// Killed kills processes at work until one has finished, and returns how many.
func (l Long) Killed(t *testing.T, s *tstore.Store, file string, rng *rand.Rand) (kills int) {
	t.Helper()
	for done := int64(0); ; kills++ {
		patience := time.Duration(rng.Int64N(int64(60 * time.Millisecond)))
		if kills == Few(30, 4) {
			patience = time.Minute
		}
		if runJobChild(t, s.Dir(), file, l.Name, patience) {
			return kills
		}
		jobs, err := s.Jobs(t.Context())
		if err != nil || len(jobs) > 1 {
			t.Fatalf("jobs: %+v, %v", jobs, err)
		}
		if len(jobs) == 0 {
			if _, err := s.Stat(t.Context(), "new"); err == nil {
				return kills + 1 // killed once it had finished
			}
			continue // or before it began
		}
		for _, name := range append([]string{"new"}, l.More...) {
			if _, err := s.Stat(t.Context(), name); !errors.Is(err, tstore.ErrNotFound) {
				t.Errorf("%s is there before the job has ended: %v", name, err)
			}
		}
		if jobs[0].Done < done || jobs[0].Running {
			t.Errorf("after kill %d: %+v, done before were %d", kills, jobs[0], done)
		}
		done = jobs[0].Done
		if kills%3 == 0 {
			gcLeaves(t, s, jobs[0].ID())
		}
	}
}

// gcLeaves runs gc and repair, which must not touch the job's data. Checksums that were about to be
// published are garbage.
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
	cmd.Env = append(os.Environ(), ChildEnv+"=job")
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
