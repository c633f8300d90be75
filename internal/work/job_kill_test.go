package work_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
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
	all := slices.Concat(storetest.LongWork, programs)
	work := all[slices.IndexFunc(all, func(l storetest.Long) bool { return l.Name == name })]
	return work.Do(ctx, s, file, storetest.MustResume, nil)
}

// TestKillJob kills processes that work on a job at random moments, until one has finished it, once
// for each 40 of -kill-points.
func TestKillJob(t *testing.T) {
	t.Parallel()
	t.Logf("seed %d", *storetest.KillSeed)
	rng := rand.New(rand.NewPCG(*storetest.KillSeed, 7))
	for _, l := range append(someWork(), somePrograms()[1:]...) { // the first is like the others
		t.Run(l.Name, func(t *testing.T) {
			s, file := storetest.JobStore(t)
			want := l.Wanted(t, s, file)
			kills, rounds := 0, max(1, *storetest.KillPoints/40)
			for range rounds {
				kills += l.Killed(t, s, file, rng)
				if !bytes.Equal(l.Made(t, s), want) {
					t.Fatal("other elements than without kills")
				}
				if strings.HasPrefix(l.Name, "import") {
					wantWhole(t, s, "new")
				}
				if _, err := s.GC(t.Context(), nil); err != nil {
					t.Error(err)
				}
				storetest.WantNoJobs(t, s)
				storetest.CollectsNothing(t, s)
				l.Unmake(t, s)
			}
			t.Logf("finished %d times, after %d kills", rounds, kills)
		})
	}
}
