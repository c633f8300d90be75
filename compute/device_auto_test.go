package compute

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// ratesOf returns rates at which a device does so many of everything in a second, and at once.
func ratesOf(n float64) func(context.Context, device.Device) (measure.Rates, error) {
	return func(context.Context, device.Device) (measure.Rates, error) {
		return measure.Rates{Up: n, Down: n, Host: n, Float32: n, Float64: n, Start: 1 / n}, nil
	}
}

const (
	fast = 1e18
	idle = 1e-3
)

// alert has a plan choose for the smallest passes, after some samples.
func alert(samples int) func(*Plan) {
	var clock struct {
		sync.Mutex
		time.Time
	}
	return func(p *Plan) {
		a := p.engine.Auto
		a.Least, a.Numbers, a.Worth, a.Enough = 1, 1, 0, time.Duration(samples)*time.Millisecond
		a.Now = func() time.Time {
			clock.Lock()
			defer clock.Unlock()
			clock.Time = clock.Add(time.Millisecond)
			return clock.Time
		}
	}
}

// inPlace runs statements that may write into a, b and c, which it makes anew, and returns the bytes
// of all three and the plan's explanation.
func inPlace(t *testing.T, text string, o *Options, tune func(*Plan)) (elements []byte, explained string, err error) {
	t.Helper()
	p := newOperands(t, dtype.Float32, 100, 200)
	stmts, err := ParseProgram(text)
	if err != nil {
		t.Fatal(err)
	}
	find := func(name string) (*view.Tensor, error) { return p.operands[name], nil }
	plan, err := NewPlan(t.Context(), stmts, Env{Lookup: find, InPlace: find}, o)
	if err != nil {
		t.Fatal(err)
	}
	if tune != nil {
		tune(plan)
	}
	err = plan.Run(t.Context())
	explained = plan.String()
	for _, name := range []string{"a", "b", "c"} {
		failed := p.operands[name].Blocks(0, func(b []byte) error {
			elements = append(elements, b...)
			return nil
		})
		err = errors.Join(err, failed)
	}
	return elements, explained, errors.Join(err, plan.Close())
}

// leaves checks that nothing is left on a device, and that it was used as it should be.
func leaves(t *testing.T, d *devicetest.Device) {
	t.Helper()
	if l := d.Live(); l != (devicetest.Live{}) {
		t.Errorf("left %+v", l)
	}
	for _, err := range d.Mistakes() {
		t.Error(err)
	}
}

// A pass that the CPU begins and a device ends has the bits of the CPU.
func TestRandomProgramsOnAuto(t *testing.T) {
	seeds := uint64(200)
	if raceEnabled || !*Long {
		seeds = 6
	}
	randomPrograms(t, seeds, Options{DeviceRates: ratesOf(fast)}, func(seed uint64) func(*Plan) { return alert(1 + int(seed)%4) })
}

// inPlaces are statements that read what they write.
var inPlaces = []string{"c += a*b", "c.T[::-1] *= a.T[::-1]*2 + c.T[::-1]", "a *= b[:1]; b -= a[:, :1]", "c[10:, ::3] += sqrt(c[10:, ::3])*a[10:, ::3]"}

// A device that fails at any call leaves the rest to the CPU. No element is computed twice.
func TestAutoGoesOnWithoutDevice(t *testing.T) {
	calls := []devicetest.Call{
		devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
	}
	for i, text := range inPlaces {
		want, _, err := inPlace(t, text, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, call := range calls {
			fault := devicetest.Fault{Call: call, Err: errors.New("a fault"), Late: (i+k)%2 == 1}
			if i%2 == 1 {
				fault.Err = device.ErrLost
			}
			for fault.At = 1; ; fault.At++ {
				if !*Long && fault.At > 3 {
					fault.At += fault.At / 2
				}
				d := devicetest.New(&devicetest.Options{Seed: uint64(fault.At)})
				d.Fail(fault)
				o := &Options{Device: d, DeviceRates: ratesOf(fast), Parallelism: 1 + fault.At%3}
				got, explained, err := inPlace(t, text, o, alert(1))
				if err == nil {
					err = sameElements(dtype.Float32, got, want)
				}
				if err != nil {
					t.Fatalf("%s: %v %d fails: %v", text, call, fault.At, err)
				}
				leaves(t, d)
				if d.Calls(call) < fault.At {
					break
				}
				if fault.Err != device.ErrLost && !strings.Contains(explained, "a fault") {
					t.Fatalf("%v %d fails, and the plan does not say so:\n%s", call, fault.At, explained)
				}
			}
		}
	}
}

// A stubborn device does not take back what a queue or a module had, as it says.
type stubborn struct{ *devicetest.Device }

type stubbornQueue struct{ device.Queue }

type stubbornModule struct{ device.Module }

var errStubborn = errors.New("stubborn")

func (d stubborn) NewQueue() (device.Queue, error) {
	q, err := d.Device.NewQueue()
	return &stubbornQueue{q}, err
}

func (d stubborn) Compile(text string) (device.Module, error) {
	m, err := d.Device.Compile(text)
	return &stubbornModule{m}, err
}

func (q *stubbornQueue) Close() error { return errors.Join(q.Queue.Close(), errStubborn) }

func (q *stubbornQueue) Launch(m device.Module, l *device.Launch) error {
	return q.Queue.Launch(m.(*stubbornModule).Module, l)
}

func (m *stubbornModule) Close() error { return errors.Join(m.Module.Close(), errStubborn) }

// What was computed stays where the device fails when it is given back, unless it must be used.
func TestAutoGivesBack(t *testing.T) {
	for _, text := range inPlaces {
		want, _, err := inPlace(t, text, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := stubborn{devicetest.New(nil)}
		got, _, err := inPlace(t, text, &Options{Device: d, DeviceRates: ratesOf(fast)}, alert(1))
		if err == nil {
			err = sameElements(dtype.Float32, got, want)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if d.Stats().Launches == 0 {
			t.Errorf("%s: nothing was launched", text)
		}
		if _, _, err := inPlace(t, text, &Options{Device: d}, nil); !errors.Is(err, errStubborn) {
			t.Errorf("%s: a device that must be used: got %v", text, err)
		}
	}
}

// A device that must compute returns its error, which says where it failed.
func TestDeviceFailsAtChunk(t *testing.T) {
	d := devicetest.New(nil)
	d.Fail(devicetest.Fault{Call: devicetest.Launch, At: 5, Err: device.ErrLost})
	_, _, err := inPlace(t, "c += a*b", &Options{Device: d, Parallelism: 1}, nil)
	if failure, ok := errors.AsType[*offload.Failure](err); !ok || !errors.Is(err, device.ErrLost) || !strings.Contains(err.Error(), failure.Part+": gpu:0: ") {
		t.Errorf("got %v", err)
	}
}

// What a device has no room for, the CPU computes, and the device what follows.
func TestAutoWithoutRoom(t *testing.T) {
	const text = "u = a + b*2; u.sum() + c*a"
	p := newOperands(t, dtype.Float32, 100, 200)
	_, want, err := p.run(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*Options{
		{Device: devicetest.New(&devicetest.Options{MemoryBytes: 5000})},
		{Device: devicetest.New(nil), MemoryLimit: 4000},
	} {
		o.DeviceRates = ratesOf(fast)
		p.tune = alert(1)
		made, got, err := p.run(t.Context(), text, o)
		if err == nil {
			err = sameElements(made, got, want)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// The rates decide, and small passes and streams do not ask for them.
func TestAutoChooses(t *testing.T) {
	asked := 0
	counted := func(n float64) func(context.Context, device.Device) (measure.Rates, error) {
		return func(ctx context.Context, d device.Device) (measure.Rates, error) {
			asked++
			return ratesOf(n)(ctx, d)
		}
	}
	broken := func(context.Context, device.Device) (measure.Rates, error) {
		asked++
		return measure.Rates{}, errors.New("it smokes")
	}
	tests := []struct {
		name     string
		rates    func(context.Context, device.Device) (measure.Rates, error)
		tune     func(*Plan)
		text     string
		asked    int
		launches bool
		says     string
	}{
		{"fast", counted(fast), alert(3), "c += a*b", 1, true, "device: gpu:0 from "},
		{"two passes", counted(fast), alert(1), "c += a*b; a += c", 1, true, "device: gpu:0 from "},
		{"slow", counted(idle), alert(1), "c += a*b", 1, false, "device: the CPU, not gpu:0: "},
		{"small", counted(fast), nil, "c += a*b", 0, false, "device: the CPU, not gpu:0: the pass is small"},
		{"soon done", counted(fast), func(p *Plan) { alert(1)(p); p.engine.Auto.Worth = time.Hour }, "c += a*b", 0, false, "for all"},
		{"all sampled", counted(fast), alert(1000), "c += a*b", 0, false, "for all"},
		{"no code", counted(fast), alert(1), "c[...] = a.T.reshape(100, 200)", 0, false, "code:   the CPU, not gpu:0: no GPU code for "},
		{"no rates", broken, alert(1), "c += a*b", 1, false, "it smokes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked = 0
			want, _, err := inPlace(t, tt.text, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			d := devicetest.New(nil)
			got, explained, err := inPlace(t, tt.text, &Options{Device: d, DeviceRates: tt.rates}, tt.tune)
			if err == nil {
				err = sameElements(dtype.Float32, got, want)
			}
			if err != nil {
				t.Error(err)
			}
			if launches := d.Stats().Launches > 0; asked != tt.asked || launches != tt.launches {
				t.Errorf("asked for rates %d times, launched: %t; want %d, %t", asked, launches, tt.asked, tt.launches)
			}
			if !strings.Contains(explained, tt.says) {
				t.Errorf("%q is not in:\n%s", tt.says, explained)
			}
			leaves(t, d)
		})
	}
}

// A plan tells what it will compare, before it runs.
func TestAutoPredicts(t *testing.T) {
	p := newOperands(t, dtype.Float32, 100, 200)
	stmts, err := ParseProgram("a*b + sqrt(c)")
	if err != nil {
		t.Fatal(err)
	}
	d := devicetest.New(nil)
	plan, err := NewPlan(t.Context(), stmts, Env{Lookup: func(name string) (*view.Tensor, error) { return p.operands[name], nil }}, &Options{Device: d, DeviceRates: ratesOf(1e6), Parallelism: 2})
	if err != nil {
		t.Fatal(err)
	}
	alert(1)(plan)
	text := plan.String()
	for _, want := range []string{
		"GPU code for gpu:0, 4 elements a thread, in ", " there and ", " of staging memory; ",
		"device: gpu:0 or the CPU: 240ms bus in, 80ms bus out, 960ms host copies, ", "1µs start: ", " in all; the CPU is timed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if err := plan.Close(); err != nil {
		t.Error(err)
	}
	leaves(t, d)
}

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
