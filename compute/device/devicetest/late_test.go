package devicetest_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
)

// Staging memory that changes before Wait is uploaded changed.
func TestUploadIsLate(t *testing.T) {
	d := devicetest.Open(t, nil)
	q := devicetest.Must(d.NewQueue())(t)
	in, out := devicetest.Must(q.Stage(1, device.Written))(t), devicetest.Must(q.Stage(1, device.Read))(t)
	at := devicetest.Must(q.Memory(1))(t)
	release := d.Stall()
	in[0] = 1
	devicetest.OK(t, q.Upload(at, in))
	in[0] = 2
	devicetest.OK(t, q.Download(out, at))
	release()
	devicetest.OK(t, q.Wait(t.Context()))
	if out[0] != 2 {
		t.Errorf("uploaded %d, want 2", out[0])
	}
	devicetest.OK(t, q.Close())
}

// Some queues are overtaken by those that began later.
func TestOvertaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		overtaken := 0
		for seed := range uint64(20) {
			d := devicetest.Open(t, &devicetest.Options{Seed: seed})
			var queues []device.Queue
			for n := range 2 {
				q := devicetest.Must(d.NewQueue())(t)
				queues = append(queues, q)
				devicetest.OK(t, q.Upload(devicetest.Must(q.Memory(8))(t), devicetest.Must(q.Stage(n+1, device.Written))(t)))
			}
			devicetest.OK(t, queues[1].Wait(t.Context()))
			synctest.Wait() // the first queue has done what it does before anybody waits for it
			if d.Stats().UploadedBytes == 2 {
				overtaken++
			}

			for _, q := range queues {
				devicetest.OK(t, q.Close())
			}
			if got := d.Stats().UploadedBytes; got != 3 {
				t.Errorf("seed %d: %d bytes were uploaded, want 3", seed, got)
			}
		}
		if overtaken == 0 || overtaken == 20 {
			t.Errorf("%d of 20 queues were overtaken, want some", overtaken)
		}
	})
}

func TestLatency(t *testing.T) {
	const latency, n = time.Millisecond, 3
	d := devicetest.Open(t, &devicetest.Options{Latency: latency})
	q := devicetest.Must(d.NewQueue())(t)
	in, at := devicetest.Must(q.Stage(1, device.Written))(t), devicetest.Must(q.Memory(1))(t)
	start := time.Now()
	for range n {
		devicetest.OK(t, q.Upload(at, in))
	}
	devicetest.OK(t, q.Wait(t.Context()))
	if took := time.Since(start); took < n*latency {
		t.Errorf("%d operations took %v", n, took)
	}
	devicetest.OK(t, q.Close())
}

// Close waits for a device that is stalled only for a while.
func TestCloseWaits(t *testing.T) {
	d := devicetest.Open(t, &devicetest.Options{Patience: time.Minute})
	q := devicetest.Must(d.NewQueue())(t)
	at := devicetest.Must(q.Memory(8))(t)
	release := d.Stall()
	devicetest.OK(t, q.Upload(at, devicetest.Must(q.Stage(8, device.Written))(t)))
	time.AfterFunc(5*time.Millisecond, release)
	devicetest.OK(t, q.Close())
	if got := d.Stats().UploadedBytes; got != 8 {
		t.Errorf("%d bytes were uploaded, want 8", got)
	}
}

// Close of a queue that never ends loses the device, which keeps the memory.
func TestCloseOfStalledQueue(t *testing.T) {
	d := devicetest.Open(t, nil)
	q, idle := devicetest.Must(d.NewQueue())(t), devicetest.Must(d.NewQueue())(t)
	at := devicetest.Must(q.Memory(8))(t)
	devicetest.Must(idle.Memory(100))(t)
	defer d.Stall()()
	devicetest.OK(t, q.Upload(at, devicetest.Must(q.Stage(8, device.Written))(t)))

	for _, q := range []device.Queue{q, idle} {
		if err := q.Close(); !errors.Is(err, device.ErrLost) {
			t.Errorf("got the error %v, want that the device is lost", err)
		}
	}
	if l := d.Live(); l.Queues != 0 || l.DeviceBytes != 8 {
		t.Errorf("left on the device: %+v, want 8 bytes and no queue", l)
	}
}

// A queue that waits for a stalled device ends when the device is lost.
func TestLostWhileStalled(t *testing.T) {
	d := devicetest.Open(t, nil)
	q := devicetest.Must(d.NewQueue())(t)
	defer d.Stall()()
	devicetest.OK(t, q.Upload(devicetest.Must(q.Memory(8))(t), devicetest.Must(q.Stage(8, device.Written))(t)))
	time.AfterFunc(time.Millisecond, d.Lose)
	if err := q.Wait(t.Context()); !errors.Is(err, device.ErrLost) {
		t.Errorf("got the error %v, want that the device is lost", err)
	}
	if err := q.Close(); !errors.Is(err, device.ErrLost) {
		t.Errorf("got the error %v, want that the device is lost", err)
	}
	if l := d.Live(); l != (devicetest.Live{}) {
		t.Errorf("left on the device: %+v, want nothing", l)
	}
}

// A launch ends when its queue is closed after the context of Wait ended.
func TestCloseEndsLaunch(t *testing.T) {
	d := devicetest.Open(t, nil)
	m, q := devicetest.Must(d.Compile(twice))(t), devicetest.Must(d.NewQueue())(t)
	at := devicetest.Must(q.Memory(8))(t)
	devicetest.OK(t, q.Upload(at, devicetest.Must(q.Stage(8, device.Written))(t)))
	l := twiceAt(at)
	l.Grid[0] = 1<<31 - 1 // hours
	devicetest.OK(t, q.Launch(m, l))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := q.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got the error %v, want that of the context", err)
	}
	devicetest.OK(t, q.Close())
	devicetest.OK(t, m.Close())
}

// Two goroutines that use a queue at once are seen.
func TestTwoGoroutines(t *testing.T) {
	d := devicetest.New(nil)
	q := devicetest.Must(d.NewQueue())(t)
	release := d.Stall()
	devicetest.OK(t, q.Upload(devicetest.Must(q.Memory(8))(t), devicetest.Must(q.Stage(8, device.Written))(t)))
	waited := make(chan error)
	go func() { waited <- q.Wait(t.Context()) }()
	for d.Calls(devicetest.Wait) == 0 {
		runtime.Gosched()
	}

	const want = "two goroutines use the queue at once"
	_, err := q.Memory(8)
	for _, err := range []error{err, q.Close()} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want one with %q", err, want)
		}
	}
	release()
	devicetest.OK(t, <-waited)
	devicetest.OK(t, q.Close())
	devicetest.OK(t, d.Close())
}

// Staging memory holds garbage before it is filled, and when it is gone.
func TestGarbage(t *testing.T) {
	d := devicetest.Open(t, nil)
	q := devicetest.Must(d.NewQueue())(t)
	p := devicetest.Must(q.Stage(100, device.Written))(t)
	garbage := bytes.Repeat([]byte{0xa5}, 100)
	if !bytes.Equal(p, garbage) {
		t.Errorf("new staging memory holds %v", p)
	}
	clear(p)
	devicetest.OK(t, q.Close())
	if !bytes.Equal(p, garbage) {
		t.Errorf("staging memory of a closed queue holds %v", p)
	}
}

func TestStats(t *testing.T) {
	d := devicetest.Open(t, nil)
	devicetest.OK(t, work(t.Context(), d))
	want := devicetest.Stats{Launches: 4, UploadedBytes: 32, DownloadedBytes: 32, MostBytes: 16}
	if got := d.Stats(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
