//go:build cuda && fakecuda && linux

package fakedriver_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"gorgonia.org/cu"

	"github.com/tstore/tstore/cudabridge/internal/driver"
	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
)

// doubled doubles words, in one block. The second parameter has 4 bytes.
const doubled = `
.version 7.0
.target sm_70
.address_size 64
.global .b32 two[1] = {2};

.visible .entry doubled(.param .u64 words, .param .u32 from)
{
	.reg .b64 %address, %table;
	.reg .b32 %i, %from, %v, %two;
	ld.param.u64 %address, [words];
	ld.param.u32 %from, [from];
	mov.u32 %i, %tid.x;
	add.u32 %i, %i, %from;
	mad.wide.u32 %address, %i, 4, %address;
	mov.u64 %table, two;
	ld.global.b32 %two, [%table];
	ld.global.b32 %v, [%address];
	mul.lo.u32 %v, %v, %two;
	st.global.b32 [%address], %v;
	ret;
}
`

// launch doubles some words in one block of threads.
func launch(f cu.Function, s cu.Stream, at cu.DevicePtr, from uint64, threads int) error {
	return f.Launch(1, 1, 1, threads, 1, 1, 0, s, []unsafe.Pointer{unsafe.Pointer(&at), unsafe.Pointer(&from)})
}

// A kernel runs in its place in the stream.
func TestLaunch(t *testing.T) {
	start(t, "")
	m := must(driver.LoadModule(doubled))(t)
	f := must(m.Function("doubled"))(t)
	s := must(cu.MakeStream(cu.NonBlocking))(t)
	at := must(cu.MemAlloc(16))(t)
	in := pinned(t, 16)
	copy(in, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 200, 0, 0, 0})

	release := fakedriver.Stall()
	ok(t, cu.MemcpyHtoDAsync(at, pointer(in), 16, s))
	ok(t, launch(f, s, at, 1, 3))
	ok(t, cu.MemcpyDtoHAsync(pointer(in), at, 16, s))
	release()
	ok(t, s.Synchronize())
	if want := []byte{1, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0, 144, 1, 0, 0}; !bytes.Equal(in, want) {
		t.Errorf("got %v, want %v", in, want)
	}

	// What no device would begin does no harm.
	want(t, "no threads", launch(f, s, at, 0, 0), cu.InvalidValue)
	want(t, "too many threads", launch(f, s, at, 0, 1025), cu.InvalidValue)
	_, err := m.Function("tripled")
	want(t, "unknown entry", err, cu.NotFound)
	second := must(cu.Device(0).MakeContext(0))(t)
	want(t, "function of another context", launch(f, cu.NoStream, at, 0, 1), cu.InvalidHandle)
	ok(t, second.Destroy())

	ok(t, m.Unload())
	want(t, "unloaded twice", m.Unload(), cu.InvalidHandle)
	want(t, "function of an unloaded module", launch(f, s, at, 0, 1), cu.InvalidHandle)
	_, err = m.Function("doubled")
	want(t, "entry of an unloaded module", err, cu.InvalidHandle)
	ok(t, s.Destroy())
	ok(t, cu.MemFree(at))
}

func TestCompile(t *testing.T) {
	start(t, "capability=75,cuModuleLoadDataEx@3=209")
	bad := strings.Replace(doubled, "mul.lo.u32", "mul.u32", 1)
	_, err := driver.LoadModule(bad)
	if failed, isDriver := errors.AsType[*driver.Error](err); !isDriver || failed.Code != 218 || !strings.Contains(failed.Words, `line 19: the instruction "mul.u32"`) {
		t.Errorf("got %v, want error 218 with the compiler's words", err)
	}
	_, err = cu.LoadData(bad)
	want(t, "without a log", err, cu.InvalidPtx)
	_, err = driver.LoadModule(strings.Repeat("\nx", 20<<10))
	if err == nil {
		t.Error("another bad text: no error")
	}
	if _, err := driver.LoadModule("a\x00b"); err == nil || !strings.Contains(err.Error(), "byte 1") {
		t.Errorf("a text with a byte 0: got %v", err)
	}
	if _, err := driver.LoadModule(doubled); err == nil || err.Error() != "NoBinaryForGpu (CUDA error 209)" {
		t.Errorf("a fault: got %v", err)
	}
	_, err = driver.LoadModule(strings.Replace(doubled, "sm_70", "sm_80", 1))
	if err == nil || err.Error() != "the code is for sm_80, and the device is sm_75 (CUDA error 209)" {
		t.Errorf("code for a later device: got %v", err)
	}
	must(driver.LoadModule(doubled))(t) // which goes with its context
}

// When something fails that a stream does, the context fails for ever.
func TestContextFails(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, at cu.DevicePtr, s cu.Stream) error
		why  string
	}{
		{"launch out of bounds", func(t *testing.T, at cu.DevicePtr, s cu.Stream) error {
			f := must(must(driver.LoadModule(doubled))(t).Function("doubled"))(t)
			ok(t, cu.MemsetD8Async(at, 0, 16, s))
			return launch(f, s, at, 0, 5)
		}, "4 bytes at byte 16 of a buffer of 16"},
		{"launch on unwritten memory", func(t *testing.T, at cu.DevicePtr, s cu.Stream) error {
			f := must(must(driver.LoadModule(doubled))(t).Function("doubled"))(t)
			return launch(f, s, at, 0, 1)
		}, "never written"},
		{"download of unwritten memory", func(t *testing.T, at cu.DevicePtr, s cu.Stream) error {
			return cu.MemcpyDtoHAsync(must(driver.AllocHost(4, 0))(t), at, 4, s)
		}, "never written"},
		{"upload to freed memory", func(t *testing.T, at cu.DevicePtr, s cu.Stream) error {
			ok(t, cu.MemcpyHtoDAsync(at, pointer(make([]byte, 4)), 4, s))
			return cu.MemFree(at)
		}, "was freed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start(t, "")
			second := must(cu.Device(0).MakeContext(0))(t)
			at, s := must(cu.MemAlloc(16))(t), must(cu.MakeStream(cu.NonBlocking))(t)
			e := must(cu.MakeEvent(cu.DisableTiming))(t)
			release := fakedriver.Stall()
			ok(t, tt.do(t, at, s))
			ok(t, e.Record(s))
			release()
			want(t, "the stream", s.Synchronize(), cu.LaunchFailed)
			want(t, "the event", e.Synchronize(), cu.LaunchFailed)
			want(t, "the context", cu.Synchronize(), cu.LaunchFailed)
			_, err := cu.MemAlloc(16)
			want(t, "an allocation", err, cu.LaunchFailed)
			want(t, "freeing", cu.MemFree(at), cu.LaunchFailed)
			_, err = driver.LoadModule(doubled)
			if err == nil || err.Error() != "LaunchFailed (CUDA error 719)" {
				t.Errorf("compiling: got %v, want error 719", err)
			}
			if why := fakedriver.Failure(); why == nil || !strings.Contains(why.Error(), tt.why) {
				t.Errorf("it failed of %v, want %q", why, tt.why)
			}

			// Another context knows nothing of it, and all of this one can be taken back.
			ok(t, second.Destroy())
			at = must(cu.MemAlloc(16))(t)
			ok(t, cu.MemFree(at))
			if diff := cmp.Diff(fakedriver.Counts{Contexts: 1}, fakedriver.Live()); diff != "" {
				t.Errorf("left behind (-want +got):\n%s", diff)
			}
		})
	}
}
