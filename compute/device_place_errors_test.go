package compute

import (
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// What can't be computed where a tensor is is an error of the plan, which says what to do.
func TestPlaceErrors(t *testing.T) {
	d, other := devicetest.New(nil), devicetest.New(&devicetest.Options{Place: mmapstore.GPU(1)})
	p := newOperands(t, dtype.Float32, 12, 12)
	q, end := p.moved(t, d, "a")
	advice := "copy it to host memory with view.Copy"
	tests := []struct {
		text   string
		device *devicetest.Device
		words  []string
	}{
		{"a + b", nil, []string{`tensor "a" is on gpu:0, and the plan computes on cpu`, advice, "Options.Device of gpu:0"}},
		{"a + b", other, []string{`tensor "a" is on gpu:0, and the plan computes on gpu:1`, advice, "Options.Device of gpu:0"}},
		{"sort(a)", d, []string{`tensor "a" is on gpu:0, and what is done with it takes its elements from host memory`, advice}},
		{"a[[0, 1]]", d, []string{`tensor "a" is on gpu:0`, "(pick by indexes)", advice}},
		{"concatenate([a, a]) + 1", d, []string{`tensor "a" is on gpu:0`, "(concatenate)", advice}},
		{"cumsum(a, axis=0)", d, []string{`tensor "a" is on gpu:0`, advice}},
		{"var(a)", d, []string{`tensor "a" is on gpu:0`, advice}},
		{"unique(a*2 + b)", d, nil},
		{"inv(a + b)", d, nil},
		{"a[a > 0]", d, []string{"on gpu:0"}},
		{"median(a, axis=0)", d, []string{`tensor "a" is on gpu:0`, advice}},
	}
	for _, test := range tests {
		o := &Options{}
		if test.device != nil {
			o.Device = test.device
		}
		err := q.store(t, test.text, nil, o)
		if test.words == nil {
			if err != nil {
				t.Errorf("%s: %v", test.text, err)
			}
			continue
		}
		if !errors.Is(err, mmapstore.ErrPlace) {
			t.Errorf("%s: got %v, want ErrPlace", test.text, err)
			continue
		}
		for _, words := range test.words {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%s: %q does not say %q", test.text, err, words)
			}
		}
	}

	// A destination that can't be set leaves the plan as it was.
	stmts, err := ParseProgram("b + c")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(t.Context(), stmts, p.env(), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = plan.SetDst(0, q.operands["a"])
	if want := "destination of statement 0"; !errors.Is(err, mmapstore.ErrPlace) || !strings.Contains(err.Error(), want) {
		t.Errorf("SetDst: got %v, want ErrPlace and %q", err, want)
	}
	if err := errors.Join(plan.Run(t.Context()), plan.Close()); err != nil {
		t.Error(err)
	}

	// Elements that do not lie at a multiple of their size.
	odd := onDevice(t, d, p.operands["b"], 2)
	q.operands["odd"] = odd
	if err := q.store(t, "odd + 1", nil, &Options{Device: d}); err == nil || !strings.Contains(err.Error(), "expected a multiple of 4") {
		t.Errorf("got %v", err)
	}
	closed(t, odd)
	if err := q.store(t, "odd + 1", nil, &Options{Device: d}); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	end()
	finish(t, d)
	finish(t, other)
}

// A call that fails, whichever it is, leaves nothing but the operands.
func TestPlaceFaults(t *testing.T) {
	failed := errors.New("a fault")
	p := newOperands(t, dtype.Float32, 60, 70)
	for _, call := range []devicetest.Call{devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait} {
		d := devicetest.New(&devicetest.Options{Seed: 7})
		q, end := p.moved(t, d, "ab")
		before := d.Live()
		for at := 1; ; at++ {
			d.Fail(devicetest.Fault{Call: call, At: at, Err: failed, Late: at%2 == 0})
			err := q.store(t, "a*b + c", nil, &Options{Device: d, Parallelism: 2})
			if d.Calls(call) < at {
				if err != nil || at == 1 {
					t.Errorf("%v: %d calls, %v", call, at-1, err)
				}
				break
			}
			if !errors.Is(err, failed) {
				t.Fatalf("%v %d fails: got %v", call, at, err)
			}
			if l := d.Live(); l != before {
				t.Fatalf("%v %d fails: left %+v, before %+v", call, at, l, before)
			}
		}
		end()
		finish(t, d)
	}
}
