package devicetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/tstore/tstore/compute/device"
)

// Queues leave nothing, and they may be many.
func testManyQueues(t *testing.T, d device.Device) {
	for range 3 {
		var all []*rig
		for i := range 20 {
			r := newRig(t, d)
			got := r.down(r.up(pattern(1000, i)), 1000)
			if i%2 == 0 {
				r.wait()
				wantBytes(t, fmt.Sprintf("queue %d", i), got, pattern(1000, i))
			}
			all = append(all, r)
		}
		for _, r := range all {
			r.close()
		}
	}
}

// Goroutines use a device at once, each with a queue of its own.
func testGoroutines(t *testing.T, d device.Device) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := useQueue(t.Context(), d, i); err != nil {
				t.Errorf("goroutine %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

// useQueue does with a device all that a goroutine may.
func useQueue(ctx context.Context, d device.Device, number int) error {
	const n = 500
	m, err := d.Compile(multiply(number + 2))
	if err != nil {
		return err
	}
	b, err := d.Alloc(4 * n)
	if err != nil {
		return err
	}
	q, err := d.NewQueue()
	if err != nil {
		return err
	}
	in, err := q.Stage(4*n, device.Written)
	if err != nil {
		return err
	}
	out, err := q.Stage(4*n, device.Read)
	if err != nil {
		return err
	}

	at := b.Device().(device.Memory).Address()
	for round := range uint32(10) {
		copy(in, counted(n, round))
		for _, call := range []func() error{
			func() error { return q.Upload(at, in) },
			func() error { return q.Launch(m, threads(n, at, at, n)) },
			func() error { return q.Download(out, at) },
			func() error { return q.Wait(ctx) },
		} {
			if err := call(); err != nil {
				return err
			}
		}
		if want := counted(n, round*uint32(number+2)); string(out) != string(want) {
			return fmt.Errorf("round %d: other words than expected", round)
		}
	}

	for _, end := range []func() error{q.Close, b.Free, m.Close} {
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}
