package compute

import (
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/dtype"
)

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
