package compute

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// newOperands makes random tensors a, b and c of one shape, each laid out in its way.
func newOperands(t testing.TB, dt dtype.Type, shape ...int) *randomProgram {
	p := &randomProgram{rng: rand.New(rand.NewPCG(5, 6)), operands: map[string]*view.Tensor{}, shape: shape}
	for _, name := range []string{"a", "b", "c"} {
		p.operands[name] = p.tensor(t, dt, shuffled(p.rng, shape))
	}
	return p
}

// run computes a text and returns the elements that its last statement makes, and their type.
func (p *randomProgram) run(ctx context.Context, text string, o *Options) (dt dtype.Type, elements []byte, err error) {
	stmts, err := ParseProgram(text)
	if err != nil {
		return 0, nil, err
	}
	plan, err := NewPlan(ctx, stmts, Env{Lookup: func(name string) (*view.Tensor, error) { return p.operands[name], nil }}, o)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	if p.tune != nil {
		p.tune(plan)
	}
	if err := plan.Run(ctx); err != nil {
		return 0, nil, err
	}
	made := plan.Result(len(stmts) - 1)
	err = made.Blocks(0, func(b []byte) error {
		elements = append(elements, b...)
		return nil
	})
	return made.DType(), elements, err
}

// Passes of many chunks, with operands that are the same for all rows, for all columns, for all
// elements, or are generated, of a device with much memory and with hardly any.
func TestDeviceChunks(t *testing.T) {
	for _, text := range []string{
		"(a*2 + b)*c - abs(b)", "a.T + b.T*c[0, 0]", "a*b[:1] + c[:, :1]", "a[:, :1]*2 + b[:1]*c[1, 1]", "a*2 + arange(190)", "(a + b)[::-1, ::3]*c[:, ::3]",
		"where(a < b, a, c) + arange(0, 380, 2)[newaxis]", "u = a + b; v = a - b; u*v", "a + b[:, ::-1]*3; c - a",
		"a.reshape(13, 10, 190)[:, :3]*b.reshape(13, 10, 190)[:, :3] + c.reshape(13, 10, 190)[:1, :3]",
	} {
		for _, dt := range []dtype.Type{dtype.Float32, dtype.Int16} {
			p := newOperands(t, dt, 130, 190)
			made, want, err := p.run(t.Context(), text, nil)
			if err != nil {
				t.Fatal(text, err)
			}
			for _, memory := range []int64{64 << 20, 80 << 10} {
				d := devicetest.New(&devicetest.Options{Seed: 3, MemoryBytes: memory})
				_, got, err := p.run(t.Context(), text, &Options{Device: d, Parallelism: 4})
				if err == nil {
					err = sameElements(made, got, want)
				}
				if err != nil {
					t.Errorf("%s of %v with %d bytes: %v", text, dt, memory, err)
				}
				if s := d.Stats(); s.Launches < 2 || s.MostBytes > memory {
					t.Errorf("%s of %v with %d bytes: %+v", text, dt, memory, s)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// Too little memory is an error with both sizes, whether the device has it or the options say so.
func TestDeviceMemoryShort(t *testing.T) {
	p := newOperands(t, dtype.Float64, 100, 100)
	for _, way := range []struct{ device, limit int64 }{{5000, 0}, {64 << 20, 4000}} {
		d := devicetest.New(&devicetest.Options{MemoryBytes: way.device})
		_, _, err := p.run(t.Context(), "a + b*c", &Options{Device: d, MemoryLimit: way.limit})
		short, ok := errors.AsType[*device.MemoryError](err)
		if !ok || short.Asked == 0 || short.Limit == 0 {
			t.Errorf("%+v: got %v, want a MemoryError with both sizes", way, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A call that fails, whichever it is, fails the evaluation and leaves nothing on the device.
func TestDeviceFaults(t *testing.T) {
	failed := errors.New("a fault")
	p := newOperands(t, dtype.Float32, 100, 200)
	_, want, err := p.run(t.Context(), "a*b + c", nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := []devicetest.Call{
		devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
	}
	for _, call := range calls {
		for _, late := range []bool{false, true} {
			d := devicetest.New(&devicetest.Options{Seed: 7})
			for at := 1; ; at++ {
				d.Fail(devicetest.Fault{Call: call, At: at, Err: failed, Late: late})
				_, got, err := p.run(t.Context(), "a*b + c", &Options{Device: d, Parallelism: 3})
				if d.Calls(call) < at {
					if at == 1 || err != nil {
						t.Errorf("%v: %d calls, %v", call, at-1, err)
					}
					if err := sameElements(dtype.Float32, got, want); err != nil {
						t.Error(err)
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
			for _, err := range d.Mistakes() {
				t.Errorf("%v: %v", call, err)
			}
		}
	}
}

// A device that stops ends no evaluation, but its context does, and nothing goes on when it is
// released: a bubble waits for all goroutines that began in it.
func TestDeviceStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newOperands(t, dtype.Float32, 300, 700)
		d := devicetest.New(nil)
		release := d.Stall()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()

		if _, _, err := p.run(ctx, "a*b + c", &Options{Device: d}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the error of the context", err)
		}
		release()
	})
}
