//go:build cuda && fakecuda && linux

package cudabridge_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
	"github.com/tstore/tstore/mmapstore"
)

// TestContract runs the contract suite over the fake driver.
func TestContract(t *testing.T) {
	set(t, "memory=20000000")
	devicetest.TestDevice(t, func(t *testing.T) device.Device {
		d := open(t, &cudabridge.Options{MemoryLimit: 8 << 20, Patience: 400 * time.Millisecond})
		// The first block has the device make a queue for itself, which is no leak.
		b, err := d.Alloc(1)
		if err != nil {
			t.Fatal(err)
		}
		ok(t, b.Free())
		return d
	}, &devicetest.Hooks{
		Live:  func(device.Device) any { return fakedriver.Live() },
		Stall: func(device.Device) func() { return fakedriver.Stall() },
		Lose:  func(d device.Device) { lose(t, d) },
	})
	wantNothing(t, "the suite")
}

// open opens gpu:0.
func open(t *testing.T, o *cudabridge.Options) device.Device {
	t.Helper()
	d, err := cudabridge.Open(mmapstore.GPU(0), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// lose has a device read memory that nobody wrote, for which the fake driver ends its context.
func lose(t *testing.T, d device.Device) {
	t.Helper()
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	at, err1 := q.Memory(4)
	p, err2 := q.Stage(4, device.Read)
	if err := errors.Join(err1, err2, q.Download(p, at)); err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(t.Context()); !errors.Is(err, device.ErrLost) {
		t.Errorf("a read of memory that nobody wrote: got %v, want ErrLost", err)
	}
	if err := q.Close(); !errors.Is(err, device.ErrLost) {
		t.Errorf("Close: got %v, want ErrLost", err)
	}
}

// wantNothing fails the test unless nothing is left of what was made with the driver, at once or
// soon.
func wantNothing(t *testing.T, what string) {
	t.Helper()
	for range 100 {
		if fakedriver.Live() == (fakedriver.Counts{}) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s: what is left (-want +got):\n%s", what, cmp.Diff(fakedriver.Counts{}, fakedriver.Live()))
}

// ok fails the test if there is an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
