package compute

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Plans that go on from checkpoints, and streams, have the bits of the CPU.
func TestAutoInParts(t *testing.T) {
	const text = "r = sqrt(a*a + b)*c"
	p := newOperands(t, dtype.Float32, 600, 500)
	_, want, err := p.run(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, rate := range []float64{fast, idle, fast} {
		d := devicetest.New(nil)
		if k == 2 {
			d.Fail(devicetest.Fault{Call: devicetest.Launch, At: 2, Err: errors.New("a fault")}, devicetest.Fault{Call: devicetest.Wait, At: 9, Err: device.ErrLost})
		}
		o := &Options{Device: d, DeviceRates: ratesOf(rate), MemoryLimit: 2 << 20}
		stmts, err := ParseProgram(text)
		if err != nil {
			t.Fatal(err)
		}
		env := Env{Lookup: func(name string) (*view.Tensor, error) { return p.operands[name], nil }}
		dst, err := view.FromSlice(make([]float32, 600*500), 600, 500)
		if err != nil {
			t.Fatal(err)
		}

		// Each run ends after two checkpoints, and the next one goes on.
		var at Checkpoint
		runs, enough := 0, errors.New("enough")
		for err = enough; errors.Is(err, enough); runs++ {
			plan, failed := NewPlan(t.Context(), stmts, env, o)
			if failed == nil {
				failed = plan.SetDst(0, dst)
			}
			if failed != nil {
				t.Fatal(failed)
			}
			alert(1)(plan)
			told := 0
			err = plan.RunFrom(t.Context(), at, Marks{Span: func() int64 { return 1 }, Reached: func(c Checkpoint, _ []int) error {
				if told++; told > 2 {
					return enough
				}
				at = c
				return nil
			}})
			if failed := plan.Close(); failed != nil {
				t.Error(failed)
			}
		}
		var got []byte
		err = errors.Join(err, dst.Blocks(0, func(b []byte) error {
			got = append(got, b...)
			return nil
		}))
		if err == nil {
			err = sameElements(dtype.Float32, got, want)
		}
		if err != nil || runs < 3 || (d.Stats().Launches > 0) != (rate == fast) {
			t.Errorf("%d runs, %+v: %v", runs, d.Stats(), err)
		}
		leaves(t, d)
	}

	// Streams stay on the CPU.
	d := devicetest.New(nil)
	e, err := Parse("sqrt(a*a + b)*c")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStream(t.Context(), e, Env{Lookup: func(name string) (*view.Tensor, error) { return p.operands[name], nil }}, &Options{Device: d, DeviceRates: ratesOf(fast)})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	err = s.Blocks(0, func(b []byte) error {
		got.Write(b)
		return nil
	})
	if err == nil {
		err = sameElements(dtype.Float32, got.Bytes(), want)
	}
	if err := errors.Join(err, s.Close()); err != nil || d.Stats().Launches > 0 {
		t.Error(err, d.Stats())
	}
	leaves(t, d)
}

// Progress goes forward through the samples, the device's part, and what the CPU does of it when the
// device fails.
func TestAutoProgress(t *testing.T) {
	p := newOperands(t, dtype.Float32, 300, 700)
	p.tune = alert(3)
	d := devicetest.New(nil)
	d.Fail(devicetest.Fault{Call: devicetest.Launch, At: 4, Err: errors.New("a fault")})
	var all []Progress
	o := &Options{Device: d, DeviceRates: ratesOf(fast), Parallelism: 2, Progress: func(at Progress) { all = append(all, at) }}
	if _, _, err := p.run(t.Context(), "a*b + c", o); err != nil {
		t.Fatal(err)
	}
	var last Progress
	for _, at := range all {
		if at.Done < last.Done || last.Total > 0 && at.Total != last.Total || at.Done > at.Total {
			t.Errorf("%+v after %+v", at, last)
		}
		last = at
	}
	if len(all) < 2 || last.Done != last.Total || last.Total != 4*4*300*700 {
		t.Errorf("got %+v", all)
	}
	leaves(t, d)
}

// Products are on the device where that is faster. One that it fails in, the CPU computes.
func TestAutoProducts(t *testing.T) {
	const text = "c[...] = (a @ b.T)[:, :1]*0 + a; c[:, :100] = a @ b.T"
	want, _, err := inPlace(t, text, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	compute := func(d *devicetest.Device, rate float64, tune func(*Plan)) (explained string) {
		t.Helper()
		got, explained, err := inPlace(t, text, &Options{Device: d, DeviceRates: ratesOf(rate), Parallelism: 2}, tune)
		if err == nil {
			err = sameElements(dtype.Float32, got, want)
		}
		if err != nil {
			t.Error(err)
		}
		leaves(t, d)
		return explained
	}

	products := func(rate float64, tune func(*Plan)) (string, int64) {
		d := devicetest.New(nil)
		explained := compute(d, rate, tune)
		return explained, d.Stats().Launches
	}
	if explained, n := products(fast, alert(1)); n == 0 || !strings.Contains(explained, "device: gpu:0: ") {
		t.Errorf("fast: %d launches\n%s", n, explained)
	}
	if explained, n := products(idle, alert(1)); n != 0 || !strings.Contains(explained, "device: the CPU, not gpu:0: ") {
		t.Errorf("slow: %d launches\n%s", n, explained)
	}
	if _, n := products(fast, nil); n != 0 {
		t.Errorf("small: %d launches", n)
	}

	for k, call := range []devicetest.Call{
		devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
	} {
		at := 1 + k%2
		d := devicetest.New(nil)
		d.Fail(devicetest.Fault{Call: call, At: at, Err: errors.New("a fault"), Late: at == 2})
		if explained := compute(d, fast, alert(1)); d.Calls(call) >= at && !strings.Contains(explained, "a fault") {
			t.Errorf("%v %d fails, and the plan does not say so:\n%s", call, at, explained)
		}
	}
	compute(devicetest.New(&devicetest.Options{MemoryBytes: 5000}), fast, alert(1))
}

// What is on the device, the device computes: nothing is compared.
func TestAutoOnDevice(t *testing.T) {
	p := newOperands(t, dtype.Float32, 100, 200)
	made, want, err := p.run(t.Context(), "a*b + c; a.T", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range []string{"abc", "a"} {
		d := devicetest.New(nil)
		q, end := p.moved(t, d, names)
		q.tune = alert(1)
		_, got, err := q.run(t.Context(), "a*b + c; a.T", &Options{Device: d, DeviceRates: ratesOf(idle)})
		if err == nil {
			err = sameElements(made, got, want)
		}
		if err != nil || d.Stats().Launches == 0 {
			t.Errorf("%s: %v, %+v", names, err, d.Stats())
		}

		// A failure is an error: the CPU can't go on.
		d.Fail(devicetest.Fault{Call: devicetest.Launch, At: 1, Err: errors.New("a fault")})
		if _, _, err := q.run(t.Context(), "a*b + c", &Options{Device: d, DeviceRates: ratesOf(idle)}); err == nil || !strings.Contains(err.Error(), "a fault") {
			t.Errorf("%s: got %v", names, err)
		}
		end()
		finish(t, d)
	}
}
