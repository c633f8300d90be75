//go:build cuda && fakecuda && linux

package fakedriver

import (
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/tstore/tstore/internal/ptxvm"
)

// driver is all that the fake driver knows. There is one a process, as of NVIDIA's.
type driver struct {
	// gate is closed by Stall.
	gate sync.RWMutex
	// vm has the memory of all devices, and runs the kernels.
	vm ptxvm.Device

	mu struct {
		sync.Mutex
		settings  settings
		calls     map[string]int
		contexts  table[context]
		streams   table[stream]
		events    table[event]
		modules   table[module]
		functions table[function]
		primary   map[int]*primary
		memory    memory
		pinned    map[uintptr]pinned
		failure   error
	}
}

var fake = newDriver()

func newDriver() *driver {
	d := &driver{}
	d.mu.calls = map[string]int{}
	d.mu.primary = map[int]*primary{}
	d.mu.memory = memory{vm: &d.vm, used: map[int]int64{}}
	d.mu.pinned = map[uintptr]pinned{}
	return d
}

// init takes the settings of the environment, when the program initialises the driver.
func (d *driver) init() (code, error) {
	if err := Set(os.Getenv("FAKECUDA")); err != nil {
		return invalidValue, err
	}
	if d.settings().devices == 0 {
		return noDevice, nil
	}
	return success, nil
}

// Set replaces the settings of $FAKECUDA, and counts the calls anew.
func Set(text string) error {
	s, err := parseSettings(text, exported)
	if err != nil {
		return err
	}
	fake.mu.Lock()
	defer fake.mu.Unlock()
	fake.mu.settings, fake.mu.calls, fake.mu.failure = s, map[string]int{}, nil
	return nil
}

func (d *driver) settings() settings {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.settings
}

// fault counts a call, and returns what it is to answer instead of doing something.
func (d *driver) fault(function string) code {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.calls[function]++
	return d.mu.settings.faults[fault{function, d.mu.calls[function]}]
}

// Exit destroys all contexts, as the end of a process does.
func Exit() {
	fake.mu.Lock()
	handles := slices.Collect(maps.Keys(fake.mu.contexts.things))
	fake.mu.primary = map[int]*primary{}
	fake.mu.Unlock()
	for _, h := range handles {
		fake.destroyContext(h)
	}
}

// Calls returns how often each function was called since Set.
func Calls() map[string]int {
	fake.mu.Lock()
	defer fake.mu.Unlock()
	return maps.Clone(fake.mu.calls)
}

// Failure returns why the context that failed last has failed, since Set.
func Failure() error {
	fake.mu.Lock()
	defer fake.mu.Unlock()
	return fake.mu.failure
}

// Stall has all streams wait before what they would do next, until release is called.
func Stall() (release func()) {
	fake.gate.Lock()
	return fake.gate.Unlock
}

// passGate waits while the gate is closed. It is not held while an operation runs, which may wait for
// one of another stream.
func (d *driver) passGate() {
	d.gate.RLock()
	defer d.gate.RUnlock()
}

// Counts are what a program holds of a driver.
type Counts struct {
	Contexts, Streams, Events, Modules, Allocations, PinnedAllocations int
	DeviceBytes, PinnedBytes                                           int64
	WriteCombinedBytes                                                 int64 // of those that are pinned
}

// Live returns what was made and not destroyed or freed.
func Live() Counts {
	d := fake
	d.mu.Lock()
	defer d.mu.Unlock()
	c := Counts{
		Contexts: d.mu.contexts.len(), Streams: d.mu.streams.len(), Events: d.mu.events.len(),
		Modules: d.mu.modules.len(), Allocations: len(d.mu.memory.list), PinnedAllocations: len(d.mu.pinned),
	}
	for _, used := range d.mu.memory.used {
		c.DeviceBytes += used
	}
	for _, p := range d.mu.pinned {
		c.PinnedBytes += p.bytes
		if p.flags&writeCombined != 0 {
			c.WriteCombinedBytes += p.bytes
		}
	}
	return c
}
