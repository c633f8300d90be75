package compute

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/device/measure"
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
