package devicetest

import (
	"context"
	"testing"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

func testOpenAgain(t *testing.T, open func(t *testing.T) device.Device, _ *Hooks) {
	for range 3 {
		d := open(t)
		testLaunch(t, d)
		ok(t, d.Close())
	}
}

func testClosedDevice(t *testing.T, open func(t *testing.T) device.Device, _ *Hooks) {
	d := open(t)
	ok(t, d.Close())
	wantIs(t, "close a device again", d.Close(), mmapstore.ErrClosed)
	wantDevice(t, d, mmapstore.ErrClosed)
}

// wantDevice fails the test unless all calls of a device but Close return an error that wraps
// another.
func wantDevice(t *testing.T, d device.Device, want error) {
	t.Helper()
	_, err := d.Alloc(10)
	wantIs(t, "Alloc", err, want)
	_, err = d.Compile(keep)
	wantIs(t, "Compile", err, want)
	_, err = d.NewQueue()
	wantIs(t, "NewQueue", err, want)
}

// Wait of a queue that never ends returns when the context ends, and Close loses the device.
func testStalled(t *testing.T, open func(t *testing.T) device.Device, hooks *Hooks) {
	if hooks.Stall == nil {
		t.Skip("the implementation can't be stalled")
	}
	d := open(t)
	m := must(d.Compile(multiply(2)))(t)
	r := newRig(t, d)
	at := r.up(counted(10, 1))
	r.wait()

	release := hooks.Stall(d)
	defer release()
	r.launch(m, 10, at, at, 10)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	wantIs(t, "wait for a stalled device", r.Wait(ctx), context.DeadlineExceeded)
	wantUnusable(t, r.Queue)
	wantIs(t, "close a queue of a stalled device", r.Close(), device.ErrLost)
	wantDevice(t, d, device.ErrLost)
	wantIs(t, "close a module of a lost device", m.Close(), device.ErrLost)
	wantIs(t, "close a lost device", d.Close(), device.ErrLost)
}

// All calls on a lost device say so, and what it has can be closed.
func testLost(t *testing.T, open func(t *testing.T) device.Device, hooks *Hooks) {
	if hooks.Lose == nil {
		t.Skip("the implementation can't be lost")
	}
	d := open(t)
	m, b := must(d.Compile(keep))(t), must(d.Alloc(24))(t)
	at := b.Device().(device.Memory).Address()
	working := newRig(t, d)
	calls := map[string]func(q device.Queue) error{
		"Stage":  func(q device.Queue) error { _, err := q.Stage(10, device.Read); return err },
		"Memory": func(q device.Queue) error { _, err := q.Memory(10); return err },
		"Launch": func(q device.Queue) error { return q.Launch(m, threads(1, at, 1, 2, 3)) },
		"Wait":   func(q device.Queue) error { return q.Wait(t.Context()) },
	}
	queues := map[string]*rig{}
	for name := range calls {
		queues[name] = newRig(t, d)
	}
	working.launch(m, 1, at, 1, 2, 3)

	hooks.Lose(d)
	wantDevice(t, d, device.ErrLost)
	_, err := b.Device().ReadAt(make([]byte, 1), 0)
	wantIs(t, "read a block", err, device.ErrLost)
	_, err = b.Device().WriteAt(make([]byte, 1), 0)
	wantIs(t, "write a block", err, device.ErrLost)
	for name, call := range calls {
		wantIs(t, name, call(queues[name]), device.ErrLost)
		wantIs(t, "close a queue", queues[name].Close(), device.ErrLost)
	}
	wantIs(t, "wait for work", working.Wait(t.Context()), device.ErrLost)
	wantIs(t, "close a queue that works", working.Close(), device.ErrLost)
	wantIs(t, "free a block", b.Free(), device.ErrLost)
	wantIs(t, "close a module", m.Close(), device.ErrLost)
	wantIs(t, "close a device", d.Close(), device.ErrLost)
}
