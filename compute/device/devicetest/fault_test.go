package devicetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
)

const twice = `
.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .b64 at)
{
	.reg .b64 %at, %v;
	ld.param.b64 %at, [at];
	ld.global.b64 %v, [%at];
	add.u64 %v, %v, %v;
	st.global.b64 [%at], %v;
	ret;
}
`

// twiceAt describes a launch of twice.
func twiceAt(at uint64) *device.Launch {
	return &device.Launch{Entry: "twice", Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: []uint64{at}}
}

// work makes each kind of call a few times, and closes what it made.
func work(ctx context.Context, d *devicetest.Device) (err error) {
	m, err := d.Compile(twice)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	b, err := d.Alloc(8)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Free()) }()

	at := b.Device().(device.Memory).Address()
	for range 2 {
		if err := workQueue(ctx, d, m, at); err != nil {
			return err
		}
	}
	return nil
}

func workQueue(ctx context.Context, d *devicetest.Device, m device.Module, at uint64) (err error) {
	q, err := d.NewQueue()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()

	in, err := q.Stage(8, device.Written)
	if err != nil {
		return err
	}
	out, err := q.Stage(8, device.Read)
	if err != nil {
		return err
	}
	copy(in, "\x03\x00\x00\x00\x00\x00\x00\x00")
	own, err := q.Memory(8)
	if err != nil {
		return err
	}
	for _, to := range []uint64{own, at} {
		if err := errors.Join(q.Upload(to, in), q.Launch(m, twiceAt(to)), q.Download(out, to), q.Wait(ctx)); err != nil {
			return err
		}
	}
	if out[0] != 6 {
		return fmt.Errorf("twice 3 is %d", out[0])
	}
	return nil
}

var calls = []devicetest.Call{
	devicetest.Alloc, devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory,
	devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
}

// Call k fails, for every k of every kind: at once, later, and with a device that is lost then.
// Whoever closes all that he has leaves nothing.
func TestFaults(t *testing.T) {
	broken := errors.New("broken on purpose")
	d := devicetest.New(nil)
	devicetest.OK(t, work(t.Context(), d))
	counts := map[devicetest.Call]int{}
	for _, c := range calls {
		if counts[c] = d.Calls(c); counts[c] == 0 {
			t.Errorf("the work has no call %q", c)
		}
	}

	for _, c := range calls {
		for at := 1; at <= counts[c]; at++ {
			for _, f := range []devicetest.Fault{
				{Call: c, At: at, Err: broken},
				{Call: c, At: at, Err: broken, Late: true},
				{Call: c, At: at, Err: device.ErrLost},
				{Call: c, At: at, Err: device.ErrLost, Late: true},
			} {
				t.Run(fmt.Sprintf("%s %d %v late %v", c, at, f.Err, f.Late), func(t *testing.T) {
					testFault(t, f)
				})
			}
		}
	}
}

// testFault works on a device with one fault.
func testFault(t *testing.T, f devicetest.Fault) {
	d := devicetest.New(&devicetest.Options{Faults: []devicetest.Fault{f}})
	if err := work(t.Context(), d); !errors.Is(err, f.Err) {
		t.Errorf("got the error %v, want %v", err, f.Err)
	}
	if diff := cmp.Diff(devicetest.Live{}, d.Live()); diff != "" {
		t.Error("what is left on the device:", diff)
	}
	if m := d.Mistakes(); len(m) > 0 {
		t.Errorf("got the mistakes %v, want none", m)
	}

	// The device is lost or as good as new.
	again := work(t.Context(), d)
	if lost := errors.Is(f.Err, device.ErrLost); errors.Is(again, device.ErrLost) != lost || !lost && again != nil {
		t.Errorf("work after the fault: %v", again)
	}
}

// A late fault does not come out of the call itself, and at the latest out of Wait.
func TestLateFault(t *testing.T) {
	broken := errors.New("broken on purpose")
	d := devicetest.Open(t, nil)
	d.Fail(devicetest.Fault{Call: devicetest.Upload, At: 1, Err: broken, Late: true})
	q := devicetest.Must(d.NewQueue())(t)
	p, at := devicetest.Must(q.Stage(8, device.Written))(t), devicetest.Must(q.Memory(8))(t)
	release := d.Stall()
	devicetest.OK(t, q.Upload(at, p))
	devicetest.OK(t, q.Upload(at, p))
	release()
	for range 2 {
		if err := q.Wait(t.Context()); !errors.Is(err, broken) {
			t.Errorf("got the error %v, want the fault", err)
		}
	}
	if d.Stats().UploadedBytes != 0 {
		t.Error("an upload was done after one that failed")
	}
	devicetest.OK(t, q.Close())
}

// A fault that is a MemoryError leaves the queue as it was.
func TestMemoryFault(t *testing.T) {
	short := &device.MemoryError{}
	d := devicetest.Open(t, &devicetest.Options{Faults: []devicetest.Fault{{Call: devicetest.Memory, At: 1, Err: short}}})
	q := devicetest.Must(d.NewQueue())(t)
	if _, err := q.Memory(1); !errors.Is(err, short) {
		t.Errorf("got the error %v, want the fault", err)
	}
	devicetest.Must(q.Memory(1))(t)
	devicetest.OK(t, q.Wait(t.Context()))
	devicetest.OK(t, q.Close())
}
