package work_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// programs are work that makes several tensors.
var programs = []storetest.Long{
	{Name: "one pass", Do: storetest.Evaluating("new = sqrt(x*x + k*v); other = (x*2 - v).astype(float32)"), More: []string{"other"}},
	{Name: "passes", Do: storetest.Evaluating("other = x.mean(axis=0); new = x - other; last = (new*k).T; total = last.sum()"), More: []string{"other", "last", "total"}},
	{Name: "reductions", Do: storetest.Evaluating("other = x.std(axis=0); new = x.sum(axis=1); last = x.argmax(axis=0); total = x.max()"), More: []string{"other", "last", "total"}},
	{Name: "scans", Do: storetest.Evaluating("new = cumsum(x, axis=0); other = cumsum(x.T.reshape(-1))"), More: []string{"other"}},
	{Name: "products", Do: storetest.Evaluating("new = x.reshape(1400, 500)[:, :20] @ x.reshape(500, 1400)[:20]; other = x @ v"), More: []string{"other"}},
	{Name: "replaced", Do: storetest.Evaluating("new = x*2; new = new + v; other = new.sum(axis=1)"), More: []string{"other"}},
}

// somePrograms is two of the programs, or with -long all.
func somePrograms() []storetest.Long {
	if *storetest.WholeSweeps {
		return programs
	}
	return programs[1:3]
}

// someWork is an import and a computation, or with -long all of longWork.
func someWork() []storetest.Long {
	if *storetest.WholeSweeps {
		return storetest.LongWork
	}
	return []storetest.Long{storetest.LongWork[1], storetest.LongWork[4]}
}

// wantResumed goes on with a job, which must make what the work makes without an interruption.
func wantResumed(t testing.TB, s *tstore.Store, job tstore.Job, want []byte) {
	t.Helper()
	if err := s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: storetest.Told(nil)}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(storetest.Stored(t, s, "new"), want) {
		t.Error("other elements than without an interruption")
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

func TestJobWithoutInterruption(t *testing.T) {
	t.Parallel()
	for _, l := range append(someWork(), somePrograms()...) {
		t.Run(l.Name, func(t *testing.T) {
			s, file := storetest.JobStore(t)
			want := l.Wanted(t, s, file)
			if err := l.Do(t.Context(), s, file, storetest.MustResume, nil); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(l.Made(t, s), want) {
				t.Error("other elements than without a journal")
			}
			storetest.WantNoJobs(t, s)
			if strings.HasPrefix(l.Name, "import") {
				wantWhole(t, s, "new")
			}
		})
	}
}
