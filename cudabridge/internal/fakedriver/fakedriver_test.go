//go:build cuda && fakecuda && linux

// The tests use the fake driver as programs do: by gorgonia.org/cu.
package fakedriver_test

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"gorgonia.org/cu"

	"github.com/tstore/tstore/cudabridge/internal/driver"
	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
)

// memory is how many bytes a device has.
const memory = 1 << 20

// start gives the test a context in a thread of its own. When the test ends, nothing may be left.
func start(t *testing.T, settings string) cu.CUContext {
	t.Helper()
	if err := driver.Load(); err != nil {
		t.Fatal(err)
	}
	if err := fakedriver.Set(fmt.Sprintf("memory=%d,%s", memory, settings)); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	ctx := must(cu.Device(0).MakeContext(0))(t)
	t.Cleanup(func() {
		ctx.Destroy()
		if diff := cmp.Diff(fakedriver.Counts{}, fakedriver.Live()); diff != "" {
			t.Errorf("left behind (-want +got):\n%s", diff)
		}
	})
	return ctx
}

// must returns a value, and fails the test where there is an error instead.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// want fails the test unless a call had this error.
func want(t *testing.T, what string, got, want error) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// pinned returns pinned memory that is freed when the test ends.
func pinned(t *testing.T, n int64) []byte {
	t.Helper()
	p := must(driver.AllocHost(n, 0))(t)
	t.Cleanup(func() { ok(t, driver.FreeHost(p)) })
	return unsafe.Slice((*byte)(p), n)
}

// read returns bytes of the device.
func read(t *testing.T, at cu.DevicePtr, n int64) []byte {
	t.Helper()
	b := make([]byte, n)
	ok(t, cu.MemcpyDtoH(pointer(b), at, n))
	return b
}

func TestDevices(t *testing.T) {
	start(t, "devices=2,version=11080")
	if n := must(cu.NumDevices())(t); n != 2 || cu.Version() != 11080 {
		t.Errorf("got %d devices of version %d, want 2 of 11080", n, cu.Version())
	}
	d := must(cu.GetDevice(1))(t)
	name, total := must(d.Name())(t), must(d.TotalMem())(t)
	major, minor, err := d.ComputeCapability()
	if name != "fake GPU 1" || total != memory || major != 9 || minor != 0 || err != nil {
		t.Errorf("got %q with %d bytes, capability %d.%d, %v", name, total, major, minor, err)
	}
	_, err = cu.GetDevice(2)
	want(t, "GetDevice(2)", err, cu.InvalidDevice)
}

func TestContexts(t *testing.T) {
	ctx := start(t, "")
	if got := must(cu.CurrentContext())(t); got != ctx {
		t.Errorf("current: got %v, want %v", got, ctx)
	}

	// A context is current in one thread.
	other := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		_, err := cu.MemAlloc(16)
		other <- err
		other <- cu.SetCurrentContext(ctx)
		at, err := cu.MemAlloc(16)
		other <- err
		other <- cu.MemFree(at)
		other <- cu.SetCurrentContext(cu.CUContext{})
		_, err = cu.MemAlloc(16)
		other <- err
	}()
	for _, e := range []error{cu.InvalidContext, nil, nil, nil, nil, cu.InvalidContext} {
		want(t, "in another thread", <-other, e)
	}

	// A second one lies above it, and what belongs to it goes with it.
	second := must(cu.Device(0).MakeContext(0))(t)
	must(cu.MemAlloc(16))(t)
	must(cu.MakeStream(0))(t)
	must(cu.MakeEvent(0))(t)
	lost := second
	ok(t, second.Destroy())
	if got := must(cu.CurrentContext())(t); got != ctx {
		t.Errorf("current after Destroy: got %v, want %v", got, ctx)
	}
	want(t, "destroyed context", cu.PushCurrentCtx(lost), cu.InvalidContext)
	if diff := cmp.Diff(fakedriver.Counts{Contexts: 1}, fakedriver.Live()); diff != "" {
		t.Errorf("after Destroy (-want +got):\n%s", diff)
	}

	// The primary context is one for all who retain it.
	one, two := must(cu.Device(0).RetainPrimaryCtx())(t), must(cu.Device(0).RetainPrimaryCtx())(t)
	if one != two {
		t.Errorf("two primary contexts: %v and %v", one, two)
	}
	ok(t, cu.Device(0).ReleasePrimaryCtx())
	ok(t, cu.PushCurrentCtx(one))
	if got := must(cu.PopCurrentCtx())(t); got != one {
		t.Errorf("popped %v, want %v", got, one)
	}
	ok(t, cu.Device(0).ReleasePrimaryCtx())
	want(t, "released primary context", cu.PushCurrentCtx(one), cu.InvalidContext)
}

// Functions that the fake driver lacks say so.
func TestNotSupported(t *testing.T) {
	start(t, "")
	_, err := cu.Load("kernels.ptx")
	want(t, "Load", err, cu.NotSupported)
}

func TestFaults(t *testing.T) {
	start(t, "cuMemAlloc_v2@3=2,cuStreamCreate@1=999,cuMemFree_v2@2=700")
	_, err := cu.MakeStream(0)
	want(t, "first stream", err, cu.Unknown)
	stream := must(cu.MakeStream(0))(t)
	ok(t, stream.Destroy())

	var at [4]cu.DevicePtr
	for i := range at {
		var err, fail error
		if i == 2 {
			fail = cu.OutOfMemory
		}
		at[i], err = cu.MemAlloc(16)
		want(t, "allocation", err, fail)
	}
	ok(t, cu.MemFree(at[0]))
	want(t, "second free", cu.MemFree(at[1]), cu.IllegalAddress)
	ok(t, cu.MemFree(at[1])) // the call that failed did nothing
	ok(t, cu.MemFree(at[3]))
}
