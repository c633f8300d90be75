//go:build cuda && fakecuda && linux

package fakedriver_test

import (
	"bytes"
	"testing"
	"time"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/cudabridge/internal/driver"
	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
)

// A stream comes to a copy later: pinned memory is copied as it is then, other memory as it was.
func TestStreamIsLate(t *testing.T) {
	start(t, "")
	a, b := must(cu.MemAlloc(4))(t), must(cu.MemAlloc(4))(t)
	s := must(cu.MakeStream(cu.NonBlocking))(t)
	mapped, in, out := []byte{1, 2, 3, 4}, pinned(t, 4), pinned(t, 4)
	copy(in, mapped)
	copy(out, make([]byte, 4))

	release := fakedriver.Stall()
	ok(t, cu.MemcpyHtoDAsync(a, pointer(mapped), 4, s))
	ok(t, cu.MemcpyHtoDAsync(b, pointer(in), 4, s))
	ok(t, cu.MemcpyDtoHAsync(pointer(out), a, 4, s))
	mapped[0], in[0] = 9, 9
	want(t, "a stream that has work", s.Query(), cu.NotReady)
	if out[0] != 0 {
		t.Errorf("a stalled stream has copied %v", out)
	}
	release()
	ok(t, s.Synchronize())
	ok(t, s.Query())

	if !bytes.Equal(out, []byte{1, 2, 3, 4}) {
		t.Errorf("other memory: got %v, want it as it was", out)
	}
	if got := read(t, b, 4); !bytes.Equal(got, []byte{9, 2, 3, 4}) {
		t.Errorf("pinned memory: got %v, want it as it became", got)
	}
	ok(t, s.Destroy())
	ok(t, cu.MemFree(a))
	ok(t, cu.MemFree(b))
}

// One stream waits for another by an event.
func TestEvents(t *testing.T) {
	start(t, "")
	const n, rounds = 1 << 10, 50
	a, b := must(cu.MemAlloc(n))(t), must(cu.MemAlloc(n))(t)
	first, second := must(cu.MakeStream(cu.NonBlocking))(t), must(cu.MakeStream(cu.NonBlocking))(t)
	filled, copied := must(cu.MakeEvent(cu.DisableTiming))(t), must(cu.MakeEvent(cu.DisableTiming))(t)
	out := pinned(t, n)

	for i := range rounds {
		ok(t, first.Wait(copied, 0)) // before the first record there is nothing to wait for
		ok(t, cu.MemsetD8Async(a, byte(i), n, first))
		ok(t, filled.Record(first))
		ok(t, second.Wait(filled, 0))
		ok(t, cu.MemcpyDtoDAsync(b, a, n, second))
		ok(t, cu.MemcpyDtoHAsync(pointer(out), b, n, second))
		ok(t, copied.Record(second))
		ok(t, copied.Synchronize())
		if !bytes.Equal(out, bytes.Repeat([]byte{byte(i)}, n)) {
			t.Fatalf("round %d: got %v…", i, out[:4])
		}
	}

	_, err := filled.Elapsed(copied)
	want(t, "time of events without", err, cu.InvalidHandle)
	lost := filled
	ok(t, cu.DestroyEvent(&filled))
	want(t, "destroyed event", lost.Record(first), cu.InvalidHandle)
	ok(t, cu.DestroyEvent(&copied))
	gone := first
	ok(t, first.Destroy())
	want(t, "destroyed stream", gone.Synchronize(), cu.InvalidHandle)
	ok(t, second.Destroy())
	ok(t, cu.MemFree(a))
	ok(t, cu.MemFree(b))
}

func TestElapsed(t *testing.T) {
	start(t, "")
	s := must(cu.MakeStream(0))(t)
	from, to := must(cu.MakeEvent(0))(t), must(cu.MakeEvent(0))(t)
	_, err := from.Elapsed(to)
	want(t, "never recorded", err, cu.InvalidHandle)

	release := fakedriver.Stall()
	ok(t, from.Record(s))
	ok(t, to.Record(s))
	want(t, "an event to come", from.Query(), cu.NotReady)
	_, err = from.Elapsed(to)
	want(t, "time of events to come", err, cu.NotReady)
	release()
	ok(t, to.Synchronize())
	ok(t, from.Query())
	must(from.Elapsed(to))(t)

	ok(t, cu.DestroyEvent(&from))
	ok(t, cu.DestroyEvent(&to))
	ok(t, s.Destroy())
}

// The default stream waits for the other streams of its context, but for those that do without.
func TestDefaultStream(t *testing.T) {
	start(t, "")
	a, b := must(cu.MemAlloc(1))(t), must(cu.MemAlloc(1))(t)
	blocking, other := must(cu.MakeStream(0))(t), must(cu.MakeStream(cu.NonBlocking))(t)
	ok(t, cu.MemsetD8(a, 0, 1))
	ok(t, cu.MemsetD8(b, 0, 1))

	release := fakedriver.Stall()
	ok(t, cu.MemsetD8Async(b, 2, 1, other))
	if got := read(t, b, 1); got[0] != 0 {
		t.Errorf("the default stream has waited for a stream that does without: %v", got)
	}
	ok(t, cu.MemsetD8Async(a, 1, 1, blocking))
	release()
	if got := read(t, a, 1); got[0] != 1 {
		t.Errorf("the default stream has not waited: %v", got)
	}
	ok(t, cu.Synchronize())
	if got := read(t, b, 1); got[0] != 2 {
		t.Errorf("the context was not waited for: %v", got)
	}
	ok(t, blocking.Destroy())
	ok(t, other.Destroy())
	ok(t, cu.MemFree(a))
	ok(t, cu.MemFree(b))
}

// Pinned memory is freed when no stream copies to it any more.
func TestFreeHostWaits(t *testing.T) {
	start(t, "")
	p := must(driver.AllocHost(1, 0))(t)
	at, s := must(cu.MemAlloc(1))(t), must(cu.MakeStream(cu.NonBlocking))(t)
	ok(t, cu.MemsetD8(at, 7, 1))

	release := fakedriver.Stall()
	ok(t, cu.MemcpyDtoHAsync(p, at, 1, s))
	time.AfterFunc(10*time.Millisecond, release)
	ok(t, driver.FreeHost(p))
	ok(t, s.Query())
	ok(t, s.Destroy())
	ok(t, cu.MemFree(at))
}

// A stream is used in its own context.
func TestStreamOfAnotherContext(t *testing.T) {
	start(t, "")
	at, s := must(cu.MemAlloc(1))(t), must(cu.MakeStream(0))(t)
	second := must(cu.Device(0).MakeContext(0))(t)
	want(t, "fill", cu.MemsetD8Async(at, 1, 1, s), cu.InvalidHandle)
	ok(t, second.Destroy())
	ok(t, cu.MemsetD8Async(at, 1, 1, s))
	ok(t, s.Destroy())
	ok(t, cu.MemFree(at))
}

// A context is destroyed when its streams are done.
func TestDestroyWaits(t *testing.T) {
	start(t, "")
	out := pinned(t, 1)
	out[0] = 0
	second := must(cu.Device(0).MakeContext(0))(t)
	at, s := must(cu.MemAlloc(1))(t), must(cu.MakeStream(cu.NonBlocking))(t)
	ok(t, cu.MemsetD8(at, 7, 1))

	release := fakedriver.Stall()
	ok(t, cu.MemcpyDtoHAsync(pointer(out), at, 1, s))
	time.AfterFunc(10*time.Millisecond, release)
	ok(t, second.Destroy())
	if out[0] != 7 {
		t.Errorf("got %d, want 7: the context was destroyed before its stream was done", out[0])
	}
}
