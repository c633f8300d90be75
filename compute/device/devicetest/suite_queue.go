package devicetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// Staging memory is aligned, apart from other staging memory, and there until Close.
func testStaging(t *testing.T, d device.Device) {
	r := newRig(t, d)
	var all [][]byte
	for i, n := range []int{1, 63, 64, 65, 4096, 100_001} {
		for _, use := range []device.Use{device.Written, device.Read} {
			p := must(r.Stage(n, use))(t)
			if len(p) != n || address(p)%64 != 0 {
				t.Errorf("staging memory of %d bytes: got %d at address %#x", n, len(p), address(p))
			}
			copy(p, pattern(n, i))
			all = append(all, p)
		}
	}
	r.wait()
	for i, p := range all {
		wantBytes(t, fmt.Sprintf("staging memory %d", i), p, pattern(len(p), i/2))
	}
	r.close()
}

// Copies take any part of staging memory to and from any address.
func testQueueCopies(t *testing.T, d device.Device) {
	const n = 3000
	r := newRig(t, d)
	in, out := must(r.Stage(n, device.Written))(t), must(r.Stage(n, device.Read))(t)
	at := r.memory(n)
	if at == 0 || at%256 != 0 {
		t.Errorf("memory begins at %#x", at)
	}
	copy(in, pattern(n, 1))
	want := make([]byte, n)
	ok(t, r.Upload(at, in))
	copy(want, in)

	for _, c := range []struct{ from, to, n int }{{0, 1, 7}, {13, 100, 1}, {1, 2, n - 2}, {n - 1, 0, 1}, {17, 1001, 999}, {5, 5, 0}} {
		ok(t, r.Upload(at+uint64(c.to), in[c.from:][:c.n]))
		copy(want[c.to:], in[c.from:][:c.n])
	}
	ok(t, r.Download(out[:1], at))
	ok(t, r.Download(out[1:700], at+1))
	ok(t, r.Download(out[700:], at+700))
	r.wait()
	wantBytes(t, "after all copies", out, want)
	r.close()
}

// A queue does in order what it is given.
func testOrder(t *testing.T, d device.Device) {
	const n, rounds = 100, 20
	m := must(d.Compile(multiply(3)))(t)
	r := newRig(t, d)
	a, b := r.memory(4*n), r.memory(4*n)
	var ups, downs [][]byte
	for i := range rounds {
		ups, downs = append(ups, must(r.Stage(4*n, device.Written))(t)), append(downs, must(r.Stage(4*n, device.Read))(t))
		copy(ups[i], counted(n, uint32(i)))
	}

	for i := range rounds {
		ok(t, r.Upload(a, ups[i]))
		r.launch(m, n, a, b, n)
		ok(t, r.Download(downs[i], b))
	}
	r.wait()
	for i, got := range downs {
		wantBytes(t, fmt.Sprintf("round %d", i), got, counted(n, uint32(3*i)))
	}
	r.close()
	ok(t, m.Close())
}

func testNothingToWaitFor(t *testing.T, d device.Device) {
	r := newRig(t, d)
	r.wait()
	got := r.down(r.up([]byte{1, 2, 3}), 3)
	r.wait()
	r.wait()
	wantBytes(t, "bytes that were waited for twice", got, []byte{1, 2, 3})
	r.close()
	newRig(t, d).close()
}

// Wait with a context that has ended, or ends, returns its error, unless all was done before. Then
// the queue can only be closed.
func testEndedContext(t *testing.T, d device.Device) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	m := must(d.Compile(multiply(3)))(t)

	for _, ctx := range []context.Context{canceled, soon} {
		const n = 20_000
		r := newRig(t, d)
		at := r.up(counted(n, 1))
		r.launch(m, n, at, at, n)
		if err := r.Wait(ctx); err != nil {
			wantIs(t, "wait", err, ctx.Err())
			wantUnusable(t, r.Queue)
		}
		r.close()
	}
	ok(t, m.Close())
	testLaunch(t, d)
}

// Close waits until the device is done. A block is there for all queues.
func testCloseWithoutWait(t *testing.T, d device.Device) {
	const n = 1000
	m, b := must(d.Compile(multiply(5)))(t), must(d.Alloc(4*n))(t)
	at := b.Device().(device.Memory).Address()
	r := newRig(t, d)
	r.launch(m, n, r.up(counted(n, 1)), at, n)
	r.close()
	ok(t, m.Close())
	wantBytes(t, "a block after Close", readBlock(t, b, 0, 4*n), counted(n, 5))

	r = newRig(t, d)
	got := r.down(at, 4*n)
	r.wait()
	wantBytes(t, "a block in another queue", got, counted(n, 5))
	r.close()
	ok(t, b.Free())
}

// What goes wrong in one queue is nothing to another.
func testOneQueueFails(t *testing.T, d device.Device) {
	m := must(d.Compile(multiply(7)))(t)
	good, bad := newRig(t, d), newRig(t, d)
	at := good.up(counted(9, 1))
	l := threads(1)
	l.Entry = "nobody"
	if err := bad.Launch(m, l); err == nil {
		wantError(t, "an entry that is not there", bad.Wait(t.Context()))
	}

	good.launch(m, 9, at, at, 9)
	got := good.down(at, 4*9)
	good.wait()
	wantBytes(t, "the other queue", got, counted(9, 7))
	good.close()
	bad.close()
	ok(t, m.Close())
}

func testClosedQueue(t *testing.T, d device.Device) {
	m := must(d.Compile(keep))(t)
	b := must(d.Alloc(24))(t)
	at := b.Device().(device.Memory).Address()
	r := newRig(t, d)
	r.close()

	wantIs(t, "close a queue again", r.Close(), mmapstore.ErrClosed)
	_, err := r.Stage(10, device.Written)
	wantIs(t, "Stage of a closed queue", err, mmapstore.ErrClosed)
	_, err = r.Memory(10)
	wantIs(t, "Memory of a closed queue", err, mmapstore.ErrClosed)
	wantIs(t, "Upload of a closed queue", r.Upload(at, nil), mmapstore.ErrClosed)
	wantIs(t, "Download of a closed queue", r.Download(nil, at), mmapstore.ErrClosed)
	wantIs(t, "Launch of a closed queue", r.Launch(m, threads(1, at, 1, 2, 3)), mmapstore.ErrClosed)
	wantIs(t, "Wait of a closed queue", r.Wait(t.Context()), mmapstore.ErrClosed)
	ok(t, b.Free())
	ok(t, m.Close())
}
