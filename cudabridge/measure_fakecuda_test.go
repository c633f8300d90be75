//go:build cuda && fakecuda && linux

package cudabridge_test

import (
	"testing"

	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/cudabridge"
)

// A device tells its driver, and can be measured.
func TestMeasure(t *testing.T) {
	set(t, "")
	d := open(t, nil)
	if v, err := cudabridge.DriverVersion(); err != nil || d.Info().Driver != "CUDA "+v.String() {
		t.Errorf("driver %q, and %v, %v", d.Info().Driver, v, err)
	}
	r, err := measure.Measure(t.Context(), d, &measure.Options{Bytes: 4 << 10, Time: 1, Tries: 1})
	if err != nil || r.Up <= 0 || r.Float64 <= 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	ok(t, d.Close())
	wantNothing(t, "measuring")
}
