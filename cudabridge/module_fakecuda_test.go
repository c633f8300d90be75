//go:build cuda && fakecuda && linux

package cudabridge_test

import (
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
)

// Modules of equal text share the code.
func TestModulesShare(t *testing.T) {
	set(t, "")
	d := open(t, nil)
	var modules []device.Module
	for _, text := range []string{incremented, incremented, incremented + "\n"} {
		m, err := d.Compile(text)
		ok(t, err)
		modules = append(modules, m)
	}
	for i, want := range []int{2, 2, 1} {
		if got := fakedriver.Live().Modules; got != want {
			t.Errorf("before module %d is closed: %d are loaded, want %d", i, got, want)
		}
		ok(t, modules[i].Close())
	}
	ok(t, d.Close())
}
