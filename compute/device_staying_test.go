package compute

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// stayingTexts are programs whose passes read what others keep, and whether that stays on a device.
var stayingTexts = []struct {
	text  string
	stays bool
}{
	{"exp(a @ b) + c", true},
	{"(a @ b) @ c", true},
	{"u = a + b; u @ c + u", true},
	{"((a @ b).T*2 + c) @ (c - a)", true},
	{"s = a @ b; s @ c - s.T", true},
	{"sum(a @ b, axis=0) + max((a @ c)[::2])", true},
	{"(a + b) @ (b - c).T", true},
	{"roll(a + b, 3, 0) @ roll(c, 1, 1)", true},
	{"s = a @ b; a[...] = s.T; a + s", true},
	{"a[1:] += a[:-1]; a @ b", true},
	{"sort(a @ b, axis=0)", false},
	{"var(a @ b, axis=0)", false},
	{"s = a @ b; cumsum(s, axis=0) + s", false},
	{"(a @ b).astype(float64) @ c.astype(float64)", true},
}

// results runs a program, some times, and returns all that it makes and stores.
func (p *randomProgram) results(t testing.TB, text string, runs int, o *Options) (types []dtype.Type, all [][]byte, explained string, err error) {
	stmts, err := ParseProgram(text)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(t.Context(), stmts, p.env(), o)
	if err != nil {
		return nil, nil, "", err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	for range runs {
		if err := plan.Run(t.Context()); err != nil {
			return nil, nil, "", err
		}
	}
	add := func(x *view.Tensor) error {
		types, all = append(types, x.DType()), append(all, nil)
		return x.Blocks(0, func(b []byte) error {
			all[len(all)-1] = append(all[len(all)-1], b...)
			return nil
		})
	}
	for i, out := range plan.Outputs() {
		if !out.Replaced {
			err = errors.Join(err, add(plan.Result(i)))
		}
	}
	return types, all, plan.String(), err
}

// sameResults compares results.
func sameResults(types []dtype.Type, got, want [][]byte) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d results, want %d", len(got), len(want))
	}
	for i := range want {
		if err := sameElements(types[i], got[i], want[i]); err != nil {
			return fmt.Errorf("statement %d: %w", i+1, err)
		}
	}
	return nil
}

// What passes keep stays on the device while there is room for it. Results have the bits of the CPU
// with much memory and with little, of which never more is taken than there is.
func TestKeptStaysOnDevice(t *testing.T) {
	for i, test := range stayingTexts {
		if raceEnabled && i%4 > 0 {
			continue
		}
		for runs := 1 + i%2; runs <= 2; runs += 2 {
			types, want, _, err := newOperands(t, dtype.Float32, 30, 30).results(t, test.text, runs, nil)
			if err != nil {
				t.Fatal(test.text, err)
			}
			for _, memory := range []int64{64 << 20, 3 << 19, 300 << 10} {
				d := devicetest.New(&devicetest.Options{Seed: 2, MemoryBytes: memory})
				q := newOperands(t, dtype.Float32, 30, 30)
				_, got, explained, err := q.results(t, test.text, runs, &Options{Device: d, Parallelism: 2})
				if _, short := errors.AsType[*device.MemoryError](err); short && memory < 1<<20 {
					finish(t, d)
					continue
				}
				if err == nil {
					err = sameResults(types, got, want)
				}
				if err != nil {
					t.Errorf("%s with %d bytes: %v", test.text, memory, err)
				}
				if s := d.Stats(); s.MostBytes > memory {
					t.Errorf("%s with %d bytes: %+v", test.text, memory, s)
				}
				if stays := strings.Contains(explained, "kept on gpu:0 "); memory == 64<<20 && stays != test.stays {
					t.Errorf("%s: stays: %v, want %v\n%s", test.text, stays, test.stays, explained)
				}
				finish(t, d)
			}
		}
	}
}

// What stays on the device is not sent there again.
func TestKeptIsNotSent(t *testing.T) {
	const n = 64
	p := newOperands(t, dtype.Float32, n, n)
	d := devicetest.New(nil)
	q, end := p.moved(t, d, "abc")
	if _, _, _, err := q.results(t, "t = (a @ b) @ c; u = exp(t.T); sum(u)", 1, &Options{Device: d}); err != nil {
		t.Error(err)
	}
	if s := d.Stats(); s.UploadedBytes >= n*n*4 {
		t.Errorf("%d bytes were sent", s.UploadedBytes)
	}
	end()
	finish(t, d)
}

// Where the CPU may go on with what a device began, or compares what it computes, all is kept in
// host memory.
func TestKeptInHostMemory(t *testing.T) {
	const text = "(a @ b)*2 + exp(a @ c)"
	p := newOperands(t, dtype.Float32, 40, 40)
	types, want, _, err := p.results(t, text, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*Options{{CheckDevice: 1}, {DeviceRates: ratesOf(fast)}} {
		d := devicetest.New(nil)
		o.Device = d
		_, got, explained, err := p.results(t, text, 1, o)
		if err == nil {
			err = sameResults(types, got, want)
		}
		if err != nil || strings.Contains(explained, "kept on gpu:0") {
			t.Errorf("%v\n%s", err, explained)
		}
		finish(t, d)
	}
}

// A call that fails, whichever it is, leaves nothing on the device, also if it is lost.
func TestKeptFaults(t *testing.T) {
	const text = "s = (a @ b).T; s[::-1]*2 + (s @ c) + sum(s, axis=0)"
	p := newOperands(t, dtype.Float32, 10, 10)
	types, want, _, err := p.results(t, text, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	step := 1
	if raceEnabled {
		step = 9
	}
	for _, failed := range []error{errors.New("a fault"), device.ErrLost} {
		for _, call := range []devicetest.Call{
			devicetest.Alloc, devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
		} {
			for at := 1; ; at += step {
				d := devicetest.New(&devicetest.Options{Seed: 7})
				d.Fail(devicetest.Fault{Call: call, At: at, Err: failed, Late: at%2 == 0})
				_, got, _, err := p.results(t, text, 1, &Options{Device: d, Parallelism: 2})
				if d.Calls(call) < at {
					if err == nil {
						err = sameResults(types, got, want)
					}
					if err != nil || at == 1 {
						t.Errorf("%v: %d calls, %v", call, at-1, err)
					}
					break
				}
				if !errors.Is(err, failed) {
					t.Fatalf("%v %d fails: got %v", call, at, err)
				}
				if l := d.Live(); l != (devicetest.Live{}) {
					t.Fatalf("%v %d fails: left %+v", call, at, l)
				}
			}
		}
	}
}

// A plan that is run again after a call has failed computes all, also what it has kept before.
func TestKeptAfterFailure(t *testing.T) {
	p := newOperands(t, dtype.Float32, 10, 10)
	const text = "s = (a @ b).T; s[::-1]*2 + (s @ c)"
	_, want, err := p.run(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	stmts, err := ParseProgram(text)
	if err != nil {
		t.Fatal(err)
	}
	for at := 1; at < 12; at += 2 {
		d, failed := devicetest.New(nil), errors.New("a fault")
		plan, err := NewPlan(t.Context(), stmts, p.env(), &Options{Device: d})
		if err != nil {
			t.Fatal(err)
		}
		d.Fail(devicetest.Fault{Call: devicetest.Launch, At: at, Err: failed})
		if err := plan.Run(t.Context()); err != nil && !errors.Is(err, failed) {
			t.Error(err)
		}
		d.Fail()
		err = plan.Run(t.Context())
		if err == nil {
			err = plan.Result(1).Blocks(0, func(b []byte) error { return sameElements(dtype.Float32, b, want) })
		}
		if err := errors.Join(err, plan.Close()); err != nil {
			t.Errorf("launch %d: %v", at, err)
		}
		finish(t, d)
	}
}

// A greedy device is one of which another program takes nearly all memory that is left, when a queue
// is made.
type greedy struct {
	*devicetest.Device
	at     int // which queue
	queues int
	taken  mmapstore.Block
	has    bool
}

// NewQueue implements device.Device.
func (g *greedy) NewQueue() (device.Queue, error) {
	if g.queues++; g.queues == g.at {
		const left = 24 << 10
		var err error
		if i := g.Info(); i.LimitBytes-i.UsedBytes > left {
			if g.taken, err = g.Alloc(i.LimitBytes - i.UsedBytes - left); err != nil {
				return nil, err
			}
			g.has = true
		}
	}
	return g.Device.NewQueue()
}

// What stays on a device goes to host memory when a later pass has no room beside it. Never is a pass
// refused that has room without it.
func TestKeptMakesRoom(t *testing.T) {
	const text = "sum(roll(a + b, 3, 0)*c + a, axis=0)"
	p := newOperands(t, dtype.Float32, 300, 300)
	types, want, _, err := p.results(t, text, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	stayed, moved := 0, 0
	for at := 1; ; at++ {
		g := &greedy{Device: devicetest.New(&devicetest.Options{MemoryBytes: 4 << 20}), at: at}
		_, got, explained, err := p.results(t, text, 1, &Options{Device: g, Parallelism: 2})
		if _, short := errors.AsType[*device.MemoryError](err); !short {
			if err == nil {
				err = sameResults(types, got, want)
			}
			if err != nil {
				t.Errorf("queue %d: %v", at, err)
			}
			if strings.Contains(explained, "kept on gpu:0 ") {
				stayed++
			} else {
				moved++
			}
		}
		if g.has {
			if err := g.taken.Free(); err != nil {
				t.Error(err)
			}
		}
		finish(t, g.Device)
		if g.queues < at {
			break
		}
	}
	if stayed == 0 || moved == 0 {
		t.Errorf("%d times it stayed, %d times it was moved", stayed, moved)
	}
}
