//go:build cuda && fakecuda && linux

package cudabridge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
)

// What a program may not give to a queue is an error before the driver sees it.
func TestQueueRefuses(t *testing.T) {
	set(t, "")
	d := open(t, nil)
	m, err := d.Compile(incremented)
	ok(t, err)
	one := [3]int{1, 1, 1}
	for _, tt := range []struct {
		name string
		call func(q device.Queue, in, out []byte, at uint64) error
		want string
	}{
		{"upload of Go's memory", func(q device.Queue, _, _ []byte, at uint64) error { return q.Upload(at, make([]byte, 8)) }, "8 bytes that are not within staging memory"},
		{"download to Go's memory", func(q device.Queue, _, _ []byte, at uint64) error { return q.Download(make([]byte, 8), at) }, "8 bytes that are not within staging memory"},
		{"upload of what is read", func(q device.Queue, _, out []byte, at uint64) error { return q.Upload(at, out) }, "for the other use"},
		{"download to what is written", func(q device.Queue, in, _ []byte, at uint64) error { return q.Download(in, at) }, "for the other use"},
		{"upload to nowhere", func(q device.Queue, in, _ []byte, at uint64) error { return q.Upload(at+8, in) }, "upload: InvalidValue (CUDA error 1)"},
		{"too few parameters", func(q device.Queue, _, _ []byte, _ uint64) error {
			return q.Launch(m, &device.Launch{Entry: "main", Grid: one, Block: one})
		}, "launch main: 0 parameters, want 1"},
		{"another use", func(q device.Queue, _, _ []byte, _ uint64) error { _, err := q.Stage(8, 7); return err }, "for use 7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := d.NewQueue()
			ok(t, err)
			in, err := q.Stage(8, device.Written)
			ok(t, err)
			out, err := q.Stage(8, device.Read)
			ok(t, err)
			at, err := q.Memory(8)
			ok(t, err)
			err = tt.call(q, in, out, at)
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, device.ErrLost) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
			if again := q.Wait(t.Context()); again != err {
				t.Errorf("then: got %v, want the same error", again)
			}
			ok(t, q.Close())
		})
	}
	ok(t, m.Close())
	ok(t, d.Close())
}

// What the program only writes goes past its caches.
func TestStagingKinds(t *testing.T) {
	set(t, "")
	d := open(t, nil)
	q, err := d.NewQueue()
	ok(t, err)
	_, err = q.Stage(64, device.Written)
	ok(t, err)
	_, err = q.Stage(32, device.Read)
	ok(t, err)
	if c := fakedriver.Live(); c.PinnedBytes != 96 || c.WriteCombinedBytes != 64 {
		t.Errorf("%d bytes are pinned and %d of them written past the caches, want 96 and 64", c.PinnedBytes, c.WriteCombinedBytes)
	}
	ok(t, q.Close())
	ok(t, d.Close())
}

// Errors of CUDA lose the device where they end the context.
func TestFatalErrors(t *testing.T) {
	for code, want := range map[int]string{
		4: "shutting down", 46: "not available", 214: "memory of the device", 220: "link", 700: "not there", 702: "longer",
		709: "destroyed", 710: "assertion", 714: "stack", 715: "instruction", 716: "not aligned", 717: "wrong kind",
		718: "no code", 719: "failed", 721: "spreading", 999: "does not know",
		1: "", 2: "", 400: "", 701: "", 801: "",
	} {
		set(t, fmt.Sprintf("cuEventRecord@1=%d", code))
		d := open(t, nil)
		q, err := d.NewQueue()
		ok(t, err)
		err = q.Wait(t.Context())
		lost := errors.Is(err, device.ErrLost)
		if err == nil || lost != (want != "") || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "wait for the device") {
			t.Errorf("CUDA error %d: got %v, lost: %v; want %q", code, err, lost, want)
		}
		if err := q.Close(); errors.Is(err, device.ErrLost) != lost {
			t.Errorf("CUDA error %d: Close of the queue: %v", code, err)
		}
		if err := d.Close(); errors.Is(err, device.ErrLost) != lost {
			t.Errorf("CUDA error %d: Close of the device: %v", code, err)
		}
		wantNothing(t, fmt.Sprint("CUDA error ", code))
	}
}

// A queue that does not end has those who wait for others return, and is given back when it ends
// after all.
func TestStalledQueues(t *testing.T) {
	set(t, "")
	d := open(t, &cudabridge.Options{Patience: 20 * time.Millisecond})
	var queues [2]device.Queue
	var uploads []func() error
	for i := range queues {
		var err error
		queues[i], err = d.NewQueue()
		ok(t, err)
		p, err := queues[i].Stage(100, device.Written)
		ok(t, err)
		at, err := queues[i].Memory(100)
		ok(t, err)
		uploads = append(uploads, func() error { return queues[i].Upload(at, p) })
	}

	release := fakedriver.Stall()
	for _, upload := range uploads {
		ok(t, upload())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var other sync.WaitGroup
	other.Go(func() {
		long, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := queues[1].Wait(long)
		if want := "gpu:0: the device is lost: close a queue: it has"; !errors.Is(err, device.ErrLost) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("another queue: got %v, want %q", err, want)
		}
	})
	if err := queues[0].Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait: got %v", err)
	}
	if err := queues[0].Close(); !errors.Is(err, device.ErrLost) || !strings.Contains(err.Error(), "not done its work after 20ms") {
		t.Errorf("Close: got %v", err)
	}
	other.Wait()
	if err := errors.Join(queues[1].Close(), d.Close()); !errors.Is(err, device.ErrLost) {
		t.Errorf("closing all else: got %v", err)
	}
	if n := fakedriver.Calls()["cuCtxDestroy_v2"]; n != 0 || fakedriver.Live() == (fakedriver.Counts{}) {
		t.Error("the context was taken from a device that is at work")
	}
	release()
	wantNothing(t, "after the stall")
}

// Many queues, one after the other and side by side, leave nothing and stay within the limit.
func TestQueuesComeAndGo(t *testing.T) {
	const workers, rounds, limit = 4, 2500, 64 << 10
	set(t, "")
	d := open(t, &cudabridge.Options{MemoryLimit: limit})
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range rounds {
				q, err := d.NewQueue()
				if err != nil {
					t.Error(err)
					return
				}
				_, err = q.Memory(int64(i%40) * 512)
				if _, short := errors.AsType[*device.MemoryError](err); err != nil && !short {
					t.Error(err)
				}
				if used := fakedriver.Live().DeviceBytes; used > limit {
					t.Errorf("%d bytes of %d are in use", used, limit)
				}
				ok(t, q.Close())
			}
		})
	}
	all.Wait()
	ok(t, d.Close())
	wantNothing(t, "10,000 queues")
}
