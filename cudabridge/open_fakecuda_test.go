//go:build cuda && fakecuda && linux

package cudabridge_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/mmapstore"
)

func TestOpen(t *testing.T) {
	set(t, "devices=2,memory=8192,capability=86")
	d, err := cudabridge.Open(mmapstore.GPU(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := device.Info{Place: mmapstore.GPU(1), Name: "fake GPU 1", Driver: "CUDA 12.9", Major: 8, Minor: 6, TotalBytes: 8192, LimitBytes: 6144}
	if diff := cmp.Diff(want, d.Info()); diff != "" || d.Place() != want.Place {
		t.Errorf("at %v (-want +got):\n%s", d.Place(), diff)
	}
	ok(t, d.Close())
	d = open(t, &cudabridge.Options{MemoryLimit: 8192})
	if got := d.Info().LimitBytes; got != 8192 {
		t.Errorf("limit: got %d, want all of 8192", got)
	}
	ok(t, d.Close())
	wantNothing(t, "two devices")
}

// A thread has room for a few contexts, and a device leaves none there.
func TestOpenOften(t *testing.T) {
	set(t, "")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 50 {
		ok(t, open(t, nil).Close())
	}
	wantNothing(t, "50 devices")
}

func TestOpenFails(t *testing.T) {
	tests := []struct {
		name     string
		settings string
		place    mmapstore.Place
		limit    int64
		is       error
		want     string // in the error
	}{
		{"the processor", "", mmapstore.CPU, 0, nil, "open cpu: it is no GPU"},
		{"no such GPU", "devices=2", mmapstore.GPU(2), 0, cudabridge.ErrNoDevice, "open gpu:2: the NVIDIA driver has no GPU for this process of that number: it has 2"},
		{"no GPU", "devices=0", mmapstore.GPU(0), 0, cudabridge.ErrNoDevice, "open gpu:0"},
		{"old driver", "version=10020", mmapstore.GPU(0), 0, cudabridge.ErrOldDriver, "open gpu:0"},
		{"old GPU", "capability=61", mmapstore.GPU(0), 0, nil, "capability 6.1, and 7.0 or newer is needed"},
		{"more than there is", "memory=1048576", mmapstore.GPU(0), 1<<20 + 1024, nil, "a limit of 1.0 MiB is asked for, and 1.0 MiB of its 1.0 MiB are free"},
		{"negative", "", mmapstore.GPU(0), -1, nil, "a limit of -1 bytes"},
		{"in use", "cuCtxCreate_v2@1=46", mmapstore.GPU(0), 0, nil, "make a context: CUDA error 46"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set(t, tt.settings)
			d, err := cudabridge.Open(tt.place, &cudabridge.Options{MemoryLimit: tt.limit})
			if d != nil || err == nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("got %v, %v; want an error with %q", d, err, tt.want)
			}
			wantNothing(t, tt.name)
		})
	}
}

// A device is not closed under what was made on it.
func TestCloseTooEarly(t *testing.T) {
	set(t, "")
	d := open(t, nil)
	b, err := d.Alloc(8)
	ok(t, err)
	q, err := d.NewQueue()
	ok(t, err)
	m, err := d.Compile(incremented)
	ok(t, err)
	if err := d.Close(); err == nil || err.Error() != "gpu:0: close: it has 1 queues, 1 modules and 1 blocks" {
		t.Errorf("got %v", err)
	}
	ok(t, errors.Join(b.Free(), q.Close(), m.Close(), d.Close()))
	wantNothing(t, "a device that was closed twice")
}

// Memory that somebody else has is missing, whatever the limit.
func TestMemoryIsTaken(t *testing.T) {
	set(t, "memory=8388608")
	d, other := open(t, nil), open(t, nil)
	taken, err := other.Alloc(5 << 20)
	if err != nil {
		t.Fatal(err)
	}
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}

	_, err = d.Alloc(4 << 20)
	want := &device.MemoryError{Place: mmapstore.GPU(0), Asked: 4 << 20, Used: 0, Limit: 3 << 20}
	if got, is := errors.AsType[*device.MemoryError](err); !is || *got != *want {
		t.Errorf("a block: got %v, want %v", err, want)
	}
	_, err = q.Memory(4 << 20)
	if got, is := errors.AsType[*device.MemoryError](err); !is || *got != *want {
		t.Errorf("memory of a queue: got %v, want %v", err, want)
	}
	if _, err := d.Alloc(6<<20 + 1); err == nil || err.Error() != "gpu:0: no room for 6.0 MiB: 0 B of 6.0 MiB are in use" {
		t.Errorf("over the limit: got %v", err)
	}
	set(t, "memory=8388608,cuMemHostAlloc@1=2")
	if _, err := q.Stage(100, device.Read); err == nil || err.Error() != "gpu:0: allocate staging memory: the system has no 100 B of host memory for a device to copy from and to" {
		t.Errorf("staging memory: got %v", err)
	}

	// When the other gives it back, there is enough.
	ok(t, taken.Free())
	_, err = q.Memory(4 << 20)
	ok(t, err)
	ok(t, q.Close())
	ok(t, d.Close())
	ok(t, other.Close())
}
