//go:build cuda && fakecuda && linux

package cudabridge_test

import (
	"strings"
	"sync"
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

// Goroutines compile and close the same texts at once, of which one is none. All is given back.
func TestModulesConcurrently(t *testing.T) {
	set(t, "")
	d := open(t, nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for round := range 20 {
				if _, err := d.Compile("no PTX"); err == nil {
					t.Error("no PTX was compiled")
				}
				m, err := d.Compile(incremented + strings.Repeat("\n", (i+round)%3))
				if err == nil {
					err = m.Close()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := fakedriver.Live().Modules; got != 0 {
		t.Errorf("%d modules are left", got)
	}
	ok(t, d.Close())
}
