package devicetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/device"
)

// Hooks are what TestDevice may use of an implementation beside device.Device. Each may be nil.
type Hooks struct {
	// Live returns what was made on a device and is not given back. Equal values mean no leak.
	Live func(d device.Device) any
	// Stall has all queues of a device wait, until release is called.
	Stall func(d device.Device) (release func())
	// Lose has a device fail for good.
	Lose func(d device.Device)
}

// TestDevice tests all that the comments of package device promise. open opens a device whose limit
// is some 10 MiB, for the suite takes all of it. Two are open at once. The suite closes them.
func TestDevice(t *testing.T, open func(t *testing.T) device.Device, hooks *Hooks) {
	if hooks == nil {
		hooks = &Hooks{}
	}

	// Most tests share a device, as it takes long to open one.
	t.Run("shared", func(t *testing.T) {
		d := open(t)
		defer func() { ok(t, d.Close()) }()
		for _, c := range shared {
			t.Run(c.name, func(t *testing.T) {
				before := hooks.live(d)
				c.run(t, d)
				if diff := cmp.Diff(before, hooks.live(d)); diff != "" {
					t.Errorf("what is left on the device (-before +after):\n%s", diff)
				}
			})
		}
	})

	// These lose or close theirs.
	for _, c := range own {
		t.Run(c.name, func(t *testing.T) { c.run(t, open, hooks) })
	}
}

// shared are the tests of a device that others use too.
var shared = []struct {
	name string
	run  func(t *testing.T, d device.Device)
}{
	{"info", testInfo},
	{"limit", testLimit},
	{"memory comes back", testMemoryComesBack},
	{"sizes", testSizes},
	{"blocks", testBlocks},
	{"blocks are zeroed", testZeroed},
	{"copies of a block", testBlockCopies},
	{"outside of a block", testOutsideOfBlock},
	{"a block and goroutines", testBlockConcurrently},
	{"storage", testStorage},

	{"compile errors", testCompileErrors},
	{"launch", testLaunch},
	{"places in a grid", testPlaces},
	{"wide parameters", testWideParameters},
	{"launches that can't be", testBadLaunches},
	{"several modules", testSeveralModules},
	{"closed module", testClosedModule},

	{"staging", testStaging},
	{"copies of a queue", testQueueCopies},
	{"order", testOrder},
	{"nothing to wait for", testNothingToWaitFor},
	{"ended context", testEndedContext},
	{"close without wait", testCloseWithoutWait},
	{"one queue fails", testOneQueueFails},
	{"closed queue", testClosedQueue},
	{"many queues", testManyQueues},
	{"goroutines", testGoroutines},
}

// own are the tests that open devices.
var own = []struct {
	name string
	run  func(t *testing.T, open func(t *testing.T) device.Device, hooks *Hooks)
}{
	{"open again", testOpenAgain},
	{"closed device", testClosedDevice},
	{"module of another device", testOtherDevice},
	{"stalled device", testStalled},
	{"lost device", testLost},
}

// live returns what is live, nil if the implementation does not tell.
func (h *Hooks) live(d device.Device) any {
	if h.Live == nil {
		return nil
	}
	return h.Live(d)
}
