package compute_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

// TestDeviceReduceMemory keeps to the memory that there is, or says that it is not enough.
func TestDeviceReduceMemory(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	for _, text := range []string{"sum(a*b)", "mean(a, axis=0)", "max(a + b, axis=1)", "s = sum(a); t = max(b); u = count_nonzero(a); s + t + u"} {
		c := &deviceCase{text: text, operands: map[string]*view.Tensor{}}
		for _, name := range []string{"a", "b", "m"} {
			c.operands[name] = deviceTensor(t, rng, dtype.Float32, tensortest.Layout{Shape: []int{60, 1300}, Strides: []int{1300, 1}, Span: 60 * 1300})
		}
		fits := 0
		limits := []int64{16 << 10, 128 << 10, 512 << 10}
		if compute.RaceEnabled {
			limits = limits[1:2]
		}
		for _, limit := range limits {
			d := devicetest.New(&devicetest.Options{MemoryBytes: limit})
			err := compareDevice(t, c, d, &compute.Options{Parallelism: 5})
			if full := (*device.MemoryError)(nil); err != nil && !errors.As(err, &full) {
				t.Errorf("%s in %d bytes: %v", text, limit, err)
			}
			if err == nil {
				fits++
			}
			if most := d.Stats().MostBytes; most > limit || err == nil && most == 0 {
				t.Errorf("%s took %d of %d bytes", text, most, limit)
			}
			if live := d.Live(); live != (devicetest.Live{}) || len(d.Mistakes()) > 0 {
				t.Errorf("%s in %d bytes left %+v, mistakes %v", text, limit, live, d.Mistakes())
			}
		}
		if fits < 1 {
			t.Errorf("%s fits in %d limits", text, fits)
		}

		// Staging memory has a limit of its own.
		d := devicetest.New(nil)
		most := int64(0)
		o := &compute.Options{Parallelism: 5, MemoryLimit: 4 << 20, Progress: func(compute.Progress) { most = max(most, d.Live().StagingBytes) }}
		if err := compareDevice(t, c, d, o); err != nil || most == 0 || most > o.MemoryLimit/8 {
			t.Errorf("%s with %d bytes of staging memory: %v", text, most, err)
		}
	}
}

// TestDeviceReduceFaults has each call of a device fail: the error is returned, and nothing is left,
// also no goroutine, for which the bubble waits.
func TestDeviceReduceFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	operands := map[string]*view.Tensor{}
	for _, name := range []string{"a", "b"} {
		operands[name] = deviceTensor(t, rng, dtype.Float32, tensortest.Layout{Shape: []int{36_000}, Strides: []int{1}, Span: 36_000})
	}
	for _, call := range []devicetest.Call{
		devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
	} {
		for _, late := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) { reduceFails(t, operands, devicetest.Fault{Call: call, Late: late}) })
		}
	}
}

// reduceFails has one call fail after the other, up to one that is not made.
func reduceFails(t *testing.T, operands map[string]*view.Tensor, fault devicetest.Fault) {
	fault.Err = errors.New("broken")
	for fault.At = 1; ; fault.At++ {
		d := devicetest.New(&devicetest.Options{Faults: []devicetest.Fault{fault}})
		_, err := evaluate(t.Context(), "sum(a*b)", operands, &compute.Options{Device: d, Parallelism: 3})
		if live := d.Live(); live != (devicetest.Live{}) {
			t.Fatalf("%v %d fails: left %+v", fault.Call, fault.At, live)
		}
		if err == nil {
			if fault.At == 1 || d.Calls(fault.Call) >= fault.At {
				t.Errorf("%v %d fails: no error", fault.Call, fault.At)
			}
			return
		}
		if !errors.Is(err, fault.Err) {
			t.Fatalf("%v %d fails: %v", fault.Call, fault.At, err)
		}
		if compute.RaceEnabled {
			fault.At += 20
		} else if !*compute.Long {
			fault.At += 4
		}
	}
}

// TestDeviceReduceStalls ends with its context, though the device does not go on.
func TestDeviceReduceStalls(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 8))
	a := deviceTensor(t, rng, dtype.Float32, tensortest.Layout{Shape: []int{90_000}, Strides: []int{1}, Span: 90_000})
	d := devicetest.New(nil)
	release := d.Stall()
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := evaluate(ctx, "sum(a*a)", map[string]*view.Tensor{"a": a}, &compute.Options{Device: d})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
}
