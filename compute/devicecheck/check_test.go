package devicecheck_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/devicecheck"
	"github.com/tstore/tstore/internal/ptxvm/ptxcase"
)

// quick are the parts of a short run, which interprets little.
var quick = []string{"products", "evaluations"}

// run makes checks of a device, small, and returns their figures.
func run(t *testing.T, wrap func(d device.Device) device.Device, parts func(name string) bool) []devicecheck.Figure {
	t.Helper()
	var all []devicecheck.Figure
	o := &devicecheck.Options{
		Scale: 0.0002, Time: 5 * time.Minute, Dir: t.TempDir(), Seed: 1,
		Report: func(f devicecheck.Figure) {
			t.Log(f)
			all = append(all, f)
		},
		Open: func(int64) (device.Device, error) {
			return wrap(devicetest.New(&devicetest.Options{MemoryBytes: 256 << 20})), nil
		},
		Parts: func(name string) bool { return parts(name) && (!testing.Short() || slices.Contains(quick, name)) },
	}
	golden, err := devicecheck.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(ptxcase.All()); o.Parts("instructions") && len(golden.Results) != n {
		t.Errorf("%d instructions in the golden file, want %d", len(golden.Results), n)
	}
	return all
}

// Nothing is wrong with the device in Go.
func TestRun(t *testing.T) {
	all := func(string) bool { return true }
	for _, f := range run(t, func(d device.Device) device.Device { return d }, all) {
		if f.Verdict == devicecheck.Wrong {
			t.Error(f)
		}
	}
}

// A bit that a device gets wrong is found by the checks of bits.
func TestRunFindsWrongBits(t *testing.T) {
	bits := []string{"instructions", "random programs", "functions of float32", "products"}
	parts := func(name string) bool { return slices.Contains(bits, name) }
	for _, f := range run(t, func(d device.Device) device.Device { return devicetest.Liar{Device: d} }, parts) {
		if f.Verdict != devicecheck.Wrong {
			t.Errorf("not found: %v", f)
		}
	}
}

// A device that can't be opened is an error.
func TestRunNoDevice(t *testing.T) {
	want := errors.New("none")
	_, err := devicecheck.Run(t.Context(), &devicecheck.Options{Open: func(int64) (device.Device, error) { return nil, want }})
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}
