package work_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/storetest"
)

// TestResumeInSteps goes on within reductions, scans and products: it begins where it was, or, when
// the file of what the chunks have come to is lost or changed, at the beginning of the pass.
func TestResumeInSteps(t *testing.T) {
	t.Parallel()
	lose := map[string]func(path string) error{
		"kept": func(string) error { return nil },
		"lost": os.Remove,
		"cut":  func(path string) error { return os.Truncate(path, 8) },
		"other": func(path string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b[len(b)-1] ^= 1
			return os.WriteFile(path, b, 0o644)
		},
	}
	tests := []struct {
		name, text string
		state      bool
		ways       []string
	}{
		{"sums of columns", "new = x.sum(axis=0)", true, []string{"kept", "lost", "cut", "other"}},
		{"a sum", "new = x.sum()", true, []string{"kept", "other"}},
		{"a product", "new = x.reshape(1400, 500)[:, :20] @ x.reshape(500, 1400)[:20]", false, []string{"kept"}},
	}
	for _, test := range tests {
		for _, way := range test.ways {
			t.Run(test.name+"/"+way, func(t *testing.T) {
				s, _ := storetest.JobStore(t)
				storetest.Eval(t, s, test.text, nil)
				want := storetest.Read(t, s, "new")
				storetest.Must(t, s.Delete(t.Context(), "new"))
				job := interruptEval(t, s, test.text, 1)
				storetest.CollectsNothing(t, s)
				if test.state != (job.Checkpoint.StateFile > 0) {
					t.Fatalf("job: %+v", job)
				}
				if test.state {
					storetest.Must(t, lose[way](filepath.Join(s.Dir(), "tmp", job.ID().String()+"."+string('0'+rune(job.Checkpoint.StateFile))+".sums")))
				}
				first := math.Inf(1)
				o := compute.Options{MemoryLimit: storetest.LittleMemory, Progress: func(at compute.Progress) {
					first = min(first, float64(at.Done)/float64(at.Total))
				}}
				storetest.Must(t, s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: o}))
				if !bytes.Equal(storetest.Read(t, s, "new"), want) {
					t.Error("other elements than without an interruption")
				}
				if done := float64(job.Checkpoint.Done) / float64(job.Checkpoint.Of); (first >= done-1e-3) != (way == "kept") {
					t.Errorf("it went on at %.3f, %.3f were done", first, done)
				}
				storetest.WantNoJobs(t, s)
				storetest.CollectsNothing(t, s)
			})
		}
	}
}
