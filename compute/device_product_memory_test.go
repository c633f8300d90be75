package compute_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// TestProductInMemoryOfDevice streams panels through a device that has room for the smallest tiles:
// more than that is never taken.
func TestProductInMemoryOfDevice(t *testing.T) {
	const limit = 3 << 19
	steps := 600
	if compute.RaceEnabled {
		steps = 260
	}
	c := productCase{"x @ y", in([]int{140, steps}, []int{steps, 60})}
	d := devicetest.New(&devicetest.Options{Seed: 5, MemoryBytes: limit})
	c.compare(t, dtype.Float64, &compute.Options{Device: d, Parallelism: 4})
	if most := d.Stats().MostBytes; most > limit {
		t.Errorf("%d bytes were taken, of %d", most, limit)
	}
	if n := d.Stats().Launches; n < 6 && !compute.RaceEnabled {
		t.Errorf("%d launches, expected three panels for each of two tiles", n)
	}
	closed(t, d)

	// More tiles than the device has at once take turns.
	c = productCase{"x @ y", in([]int{600, 40}, []int{40, 70})}
	d = devicetest.New(&devicetest.Options{Seed: 6, MemoryBytes: limit})
	var last compute.Progress
	c.compare(t, dtype.Float64, &compute.Options{Device: d, Parallelism: 3, Progress: func(p compute.Progress) { last = p }})
	closed(t, d)
	if last.Total == 0 || last.Done != last.Total {
		t.Errorf("the progress ended at %+v", last)
	}

	// With less, an error says what there is.
	d = devicetest.New(&devicetest.Options{MemoryBytes: 200 << 10})
	_, _, err := c.compute(t, dtype.Float64, &compute.Options{Device: d})
	var full *device.MemoryError
	if !errors.As(err, &full) || full.Limit != 200<<10 || full.Asked <= full.Limit-full.Used {
		t.Errorf("got %v, expected that the memory of the device is too small", err)
	}
	if l := d.Live(); l != (devicetest.Live{}) {
		t.Errorf("it is left on the device: %+v", l)
	}
}

// TestProductFiles multiplies matrices in files that are larger than the memory limit.
func TestProductFiles(t *testing.T) {
	cases := []productCase{{"z = x @ y", in([]int{740, 2}, []int{2, 740})}}
	if *compute.Long && !testing.Short() {
		// Tiles of the CPU would read one of the operands here and there.
		cases = append(cases, productCase{"z = x @ y", in([]int{24, 1100}, []int{1100, 520})}, productCase{"z = x @ y.T", in([]int{520, 1100}, []int{24, 1100})})
	}
	for _, c := range cases {
		dt := dtype.Float64
		env := filesEnv(t, dt, c.shapes["x"], c.shapes["y"])
		want := newTarget(t, c.text, env, nil)
		if err := want.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, scratch := range []func(int64) (*mmapstore.Storage, error){nil, inFiles(t)} {
			d := devicetest.New(nil)
			o := compute.Options{Device: d, MemoryLimit: 1 << 20, Parallelism: 4, Scratch: scratch}
			p := newTarget(t, c.text, env, &o)
			l := p.results[0].Layout()
			out := inFile(t, fmt.Sprint("z", scratch == nil), dt, l)
			if err := errors.Join(p.SetDst(0, out), p.Run(t.Context())); err != nil {
				t.Fatal(err)
			}
			if err := compute.SameElements(dt, bytesOf(t, out), want.bytes(t)); err != nil {
				t.Errorf("%s of %v: %v\n%s", c.text, c.shapes, err, p)
			}
			if d.Stats().Launches == 0 {
				t.Error("nothing was launched")
			}
			if copied := strings.Contains(p.String(), inRuns); copied != (scratch != nil && c.shapes["x"][1] > 2) {
				t.Errorf("it is not planned that an operand is copied\n%s", p)
			}
		}
	}
}

// TestProductFaults has each call of a device fail in turn: the error is returned, and nothing is
// left on the device.
func TestProductFaults(t *testing.T) {
	c := productCase{"x @ y", in([]int{3, 40}, []int{40, 2})}
	o := compute.Options{Parallelism: 3, MemoryLimit: 700 << 10}
	clean := devicetest.New(nil)
	o.Device = clean
	if _, _, err := c.compute(t, dtype.Float32, &o); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	for _, call := range []devicetest.Call{
		devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
	} {
		if clean.Calls(call) == 0 {
			t.Errorf("%v is not called", call)
		}
		for at := range clean.Calls(call) {
			for _, late := range []bool{false, true} {
				d := devicetest.New(&devicetest.Options{Seed: uint64(at), Faults: []devicetest.Fault{{Call: call, At: at + 1, Err: boom, Late: late}}})
				o.Device = d
				if _, _, err := c.compute(t, dtype.Float32, &o); !errors.Is(err, boom) {
					t.Errorf("%v %d fails: got %v", call, at+1, err)
				}
				if l := d.Live(); l != (devicetest.Live{}) {
					t.Errorf("%v %d fails: it is left on the device: %+v", call, at+1, l)
				}
			}
		}
	}
}

// TestProductOnStalledDevice ends a product on a device that does not answer, with the error of the
// context alone: that the device is lost then is told by the next use.
func TestProductOnStalledDevice(t *testing.T) {
	d := devicetest.New(nil)
	defer d.Stall()()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	c := productCase{"x @ y", in([]int{3, 4}, []int{4, 5})}
	e, err := compute.Parse(c.text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Eval(ctx, c.operands(t, dtype.Float32), &compute.Options{Device: d})
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, device.ErrLost) {
		t.Errorf("ended with %v", err)
	}
	if _, err = e.Eval(t.Context(), c.operands(t, dtype.Float32), &compute.Options{Device: d}); !errors.Is(err, device.ErrLost) {
		t.Errorf("the next one: got %v, want %v", err, device.ErrLost)
	}
}

// TestProductCancelled ends a product while panels are on their way, soon and with nothing left.
func TestProductCancelled(t *testing.T) {
	c := productCase{"x @ y", in([]int{600, 40}, []int{40, 70})}
	e, err := compute.Parse(c.text)
	if err != nil {
		t.Fatal(err)
	}
	const after, soon = 30 * time.Millisecond, 200 * time.Millisecond
	best := time.Hour
	for try := uint64(0); try < 5 && best > soon; try++ {
		d := devicetest.New(&devicetest.Options{Seed: try, Latency: 10 * time.Millisecond})
		ctx, cancel := context.WithTimeout(t.Context(), after)
		start := time.Now()
		_, err := e.Eval(ctx, c.operands(t, dtype.Float64), &compute.Options{Device: d, Parallelism: 3})
		best = min(best, time.Since(start)-after)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		if l := d.Live(); l != (devicetest.Live{}) {
			t.Errorf("it is left on the device: %+v", l)
		}
	}
	if best > soon {
		t.Errorf("it ended %v after the context", best)
	}
}
