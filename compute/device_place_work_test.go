package compute

import (
	"errors"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
)

// What reductions, products and moves make goes to destinations on a device, of every layout, and
// nothing is written between their elements.
func TestDestinationsOnDevice(t *testing.T) {
	for i, text := range []string{
		"sum(a, axis=0)", "max(a + b, axis=1)", "a @ b", "(a @ b)*2", "a.T @ b[::-1]", "roll(a, 3, 0)", "flip(a, 0)", "mean(a @ b, axis=0)", "zeros((23, 0)) @ zeros((0, 23))",
		"einsum('ij,jk->ki', a, b)", "s = a @ b; s - a",
	} {
		for k, dt := range []dtype.Type{dtype.Float64, dtype.Float16} {
			p := newOperands(t, dt, 23, 23)
			like, want, err := p.run(t.Context(), text, nil)
			if err != nil {
				t.Fatal(text, err)
			}
			shape := []int{len(want) / like.Size()}
			if n := shape[0]; n > 23 {
				shape = []int{n / 23, 23}
			}
			strides := [][]int{{23, 1}, {1, 60}, {46, 2}}[(i+k)%3]
			l := tensortest.Layout{Shape: shape, Strides: strides[2-len(shape):], Span: 4000}
			host := p.tensor(t, like, l)

			d := devicetest.New(&devicetest.Options{MemoryBytes: 4 << 20})
			dst := onDevice(t, d, host, 0)
			q, end := p.moved(t, d, []string{"ab", "a", ""}[(i+k/2)%3])
			if err := p.store(t, text, host, nil); err != nil {
				t.Fatal(text, err)
			}
			if err := q.store(t, text, dst, &Options{Device: d}); err != nil {
				t.Errorf("%s of %v: %v", text, dt, err)
			} else if err := sameElements(like, stored(t, dst), stored(t, host)); err != nil {
				t.Errorf("%s of %v to %v: %v", text, dt, l, err)
			}
			closed(t, dst)
			end()
			finish(t, d)
		}
	}
}

// A call that fails, whichever it is, leaves nothing but the operands. The next run computes all.
func TestWorkPlaceFaults(t *testing.T) {
	failed, step := errors.New("a fault"), 1
	if raceEnabled {
		step = 9
	}
	for _, text := range []string{"sum(a*b) + mean(a, axis=0)", "a @ b"} {
		p := newOperands(t, dtype.Float32, 40, 40)
		like, want, err := p.run(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []devicetest.Call{devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait} {
			d := devicetest.New(&devicetest.Options{Seed: 7})
			q, end := p.moved(t, d, "a")
			before := d.Live()
			for at := 1; ; at += step {
				d.Fail(devicetest.Fault{Call: call, At: at, Err: failed, Late: at%2 == 0})
				_, got, err := q.run(t.Context(), text, &Options{Device: d, Parallelism: 2})
				if d.Calls(call) < at {
					if err == nil {
						err = sameElements(like, got, want)
					}
					if err != nil || at == 1 {
						t.Errorf("%s: %v: %d calls, %v", text, call, at-1, err)
					}
					break
				}
				if !errors.Is(err, failed) {
					t.Fatalf("%s: %v %d fails: got %v", text, call, at, err)
				}
				if l := d.Live(); l != before {
					t.Fatalf("%s: %v %d fails: left %+v, before %+v", text, call, at, l, before)
				}
			}
			end()
			finish(t, d)
		}
	}
}

// Operands on a device that are closed, or were closed before a second run, are errors.
func TestWorkOnClosed(t *testing.T) {
	for _, text := range []string{"sum(a, axis=1)", "a @ b"} {
		d := devicetest.New(nil)
		p := newOperands(t, dtype.Float32, 12, 12)
		q, end := p.moved(t, d, "ab")
		stmts, err := ParseProgram(text)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := NewPlan(t.Context(), stmts, q.env(), &Options{Device: d})
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Run(t.Context()); err != nil {
			t.Error(err)
		}
		end()
		if err := plan.Run(t.Context()); err != nil && !errors.Is(err, mmapstore.ErrClosed) { // a plan may hold what it reads
			t.Errorf("%s: got %v, want ErrClosed", text, err)
		}
		if err := plan.Close(); err != nil {
			t.Error(err)
		}
		if err := q.store(t, text, nil, &Options{Device: d}); !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("%s: got %v, want ErrClosed", text, err)
		}
		finish(t, d)
	}
}

// Work on operands that take most of the memory of a device keeps to what is left, or says that it
// is not enough.
func TestWorkInLittleMemory(t *testing.T) {
	for _, text := range []string{"sum(a + c)", "min(a*c, axis=0)", "a @ b", "a @ c"} {
		p := newOperands(t, dtype.Float32, 70, 70)
		like, want, err := p.run(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		fits := 0
		for _, left := range []int64{16 << 10, 256 << 10, 2 << 20} {
			limit := p.operands["a"].Storage().Size() + p.operands["b"].Storage().Size() + 3*48 + left
			d := devicetest.New(&devicetest.Options{MemoryBytes: limit})
			q, end := p.moved(t, d, "ab")
			_, got, err := q.run(t.Context(), text, &Options{Device: d, Parallelism: 4})
			if err == nil {
				fits++
				err = sameElements(like, got, want)
			} else if _, short := errors.AsType[*device.MemoryError](err); short {
				err = nil
			}
			if s := d.Stats(); err != nil || s.MostBytes > limit {
				t.Errorf("%s with %d bytes left: %v, %d of %d bytes", text, left, err, s.MostBytes, limit)
			}
			end()
			finish(t, d)
		}
		if fits == 0 {
			t.Errorf("%s fits nowhere", text)
		}
	}
}

// Where the CPU may do what the device can, what lies on the device is the device's, however slow
// that is, and the rest is the CPU's.
func TestWorkWithRates(t *testing.T) {
	for _, text := range []string{"sum(a + c)", "a @ c", "b @ c"} {
		p := newOperands(t, dtype.Float32, 30, 30)
		like, want, err := p.run(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := devicetest.New(nil)
		q, _ := p.moved(t, d, "a")
		_, got, err := q.run(t.Context(), text, &Options{Device: d, DeviceRates: ratesOf(idle)})
		if err == nil {
			err = sameElements(like, got, want)
		}
		if onDevice := d.Stats().Launches > 0; err != nil || onDevice != (text != "b @ c") {
			t.Errorf("%s: on the device: %v, %v", text, onDevice, err)
		}

		// Nothing else can do it.
		d.Lose()
		if _, _, err := q.run(t.Context(), text, &Options{Device: d, DeviceRates: ratesOf(idle)}); errors.Is(err, device.ErrLost) != (text != "b @ c") {
			t.Errorf("%s on a device that is lost: %v", text, err)
		}
		if err := q.operands["a"].Close(); !errors.Is(err, device.ErrLost) {
			t.Errorf("close what lay on a device that is lost: %v", err)
		}
	}
}
