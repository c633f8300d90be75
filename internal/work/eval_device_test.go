package work_test

import (
	"errors"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/internal/storetest"
)

// TestInPlaceRefused begins to change tensors in place on a device that does not take the work: they
// are left half written only if something was stored before.
func TestInPlaceRefused(t *testing.T) {
	tests := map[string]struct {
		text  string
		call  devicetest.Call
		at    int
		dirty int // tensors
	}{
		"no code":          {"large += large*2", devicetest.Compile, 1, 0},
		"no queue":         {"large += large*2", devicetest.NewQueue, 1, 0},
		"no memory":        {"large += large*2", devicetest.Memory, 1, 0},
		"launch":           {"large += large*2", devicetest.Launch, 1, 1},
		"second statement": {"y += y*2; large += large*3 + 1", devicetest.Compile, 2, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := evalStore(t)
			d := devicetest.New(nil)
			fault := errors.New("a fault")
			d.Fail(devicetest.Fault{Call: test.call, At: test.at, Err: fault})

			o := &tstore.EvalOptions{InPlace: true, Compute: compute.Options{Device: d}}
			if err := storetest.Discard(s.Eval(t.Context(), test.text, o)); !errors.Is(err, fault) {
				t.Fatalf("got %v", err)
			}

			x, err := s.Get(t.Context(), "large")
			if test.dirty == 0 {
				storetest.WantValues(t, s, "large[99999]", 99_999)
				err = errors.Join(err, x.Close())
			} else if errors.Is(err, tstore.ErrDirty) {
				_, err = s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"large", "y"}[:test.dirty]})
			}
			if err != nil {
				t.Errorf("open what was changed: %v", err)
			}
		})
	}
}
