package tstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// jobChild begins work, or goes on with the job that there is.
func jobChild(ctx context.Context, s *tstore.Store, args []string) error {
	file, name := args[0], args[1]
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
	all := slices.Concat(longWork, programs)
	work := all[slices.IndexFunc(all, func(l long) bool { return l.name == name })]
	return work.do(ctx, s, file, mustResume, nil)
}

// TestKillJob kills processes that work on a job at random moments, until one has finished it, once
// for each 40 of -kill-points.
func TestKillJob(t *testing.T) {
	t.Parallel()
	t.Logf("seed %d", *killSeed)
	rng := rand.New(rand.NewPCG(*killSeed, 7))
	for _, l := range append(someWork(), somePrograms()[1:]...) { // the first is like the others
		t.Run(l.name, func(t *testing.T) {
			s, file := jobStore(t)
			want := l.wanted(t, s, file)
			kills, rounds := 0, max(1, *killPoints/40)
			for range rounds {
				kills += l.killed(t, s, file, rng)
				if !bytes.Equal(l.made(t, s), want) {
					t.Fatal("other elements than without kills")
				}
				if strings.HasPrefix(l.name, "import") {
					wantWhole(t, s, "new")
				}
				if _, err := s.GC(t.Context(), nil); err != nil {
					t.Error(err)
				}
				wantNoJobs(t, s)
				collectsNothing(t, s)
				l.unmake(t, s)
			}
			t.Logf("finished %d times, after %d kills", rounds, kills)
		})
	}
}

// killed kills processes at work until one has finished, and returns how many.
func (l long) killed(t *testing.T, s *tstore.Store, file string, rng *rand.Rand) (kills int) {
	t.Helper()
	for done := int64(0); ; kills++ {
		patience := time.Duration(rng.Int64N(int64(60 * time.Millisecond)))
		if kills == few(30, 4) {
			patience = time.Minute
		}
		if runJobChild(t, s.Dir(), file, l.name, patience) {
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
		for _, name := range append([]string{"new"}, l.more...) {
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
