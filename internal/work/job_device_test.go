package work_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/internal/storetest"
)

// TestJobChangesEngine begins a job on the CPU or on a device, and ends it on the other: the bytes
// are those of a CPU that was not interrupted.
func TestJobChangesEngine(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"new = sqrt(x*x + 0.3*v) - x.mean(axis=0)", "new = (x*v)[::-1].astype(float32)", "new = x.sum(axis=0) + x*v"} {
		for name, begun := range map[string]bool{"begun on the CPU": false, "begun on a device": true} {
			t.Run(text+", "+name, func(t *testing.T) {
				s, file := storetest.JobStore(t)
				d := devicetest.New(nil)
				want := evaluatingOn(nil, text).Wanted(t, s, file)

				first, second := device.Device(d), device.Device(nil)
				if !begun {
					first, second = second, first
				}
				job := evaluatingOn(first, text).Interrupted(t, s, file)
				o := storetest.Told(nil)
				o.Device = second
				if err := s.ResumeJob(t.Context(), job.ID(), &tstore.ResumeOptions{Compute: o}); err != nil {
					t.Fatal(err)
				}

				if !bytes.Equal(storetest.Stored(t, s, "new"), want) {
					t.Error("other elements than without an interruption")
				}
				storetest.WantNoJobs(t, s)
				if d.Stats().Launches == 0 {
					t.Error("nothing was launched")
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// evaluatingOn is work that evaluates a text on a device; nil is the CPU.
func evaluatingOn(d device.Device, text string) storetest.Long {
	return storetest.Long{Name: text, Do: func(ctx context.Context, s *tstore.Store, _ string, j tstore.Journal, p func(int64)) error {
		o := &tstore.EvalOptions{Journal: j, Compute: storetest.Told(p)}
		o.Compute.Device = d
		return storetest.Discard(s.Eval(ctx, text, o))
	}}
}
