package compute_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

// deviceCase is a reduction of tensors a and b, and of the mask m.
type deviceCase struct {
	text     string
	dt       dtype.Type
	operands map[string]*view.Tensor
}

func (c *deviceCase) String() string {
	var all []string
	for _, name := range []string{"a", "b", "m"} {
		all = append(all, fmt.Sprint(name, " ", c.operands[name].DType(), " ", c.operands[name].Layout()))
	}
	return c.text + ", " + strings.Join(all, ", ")
}

var (
	deviceShapes = [][]int{
		{33}, {40_003}, {7, 4099}, {300, 5}, {2049, 7}, {5, 300, 3}, {41, 33, 9}, {3000, 100}, {9, 130, 70}, {2, 3, 4, 5}, {1500, 20}, {20, 1500}, {3, 2, 9001}, {131_075}, {1, 6, 1},
		{341, 3}, {4, 1025, 3}, {70, 1, 1200},
	}
	deviceTypes = []dtype.Type{
		dtype.Float32, dtype.Float64, dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16, dtype.Float8E4M3FN, dtype.Int8, dtype.Int32, dtype.Int64, dtype.Uint8,
		dtype.Uint16, dtype.Bool, dtype.Complex64, dtype.Complex128,
	}
	deviceOps = []string{
		"sum", "mean", "norm", "prod", "min", "max", "nanmin", "nanmax", "any", "all", "count_nonzero", "nansum", "nanmean", "sum", "mean",
	}
)

// newDeviceCase makes a random case.
func newDeviceCase(t *testing.T, seed uint64) *deviceCase {
	rng := rand.New(rand.NewPCG(seed, 11))
	shape := deviceShapes[rng.IntN(len(deviceShapes))]
	c := &deviceCase{dt: deviceTypes[rng.IntN(len(deviceTypes))], operands: map[string]*view.Tensor{}}
	for _, name := range []string{"a", "b", "m"} {
		l := packedLayout(shape)
		l.Span = l.NumElems()
		if rng.IntN(2) == 0 {
			l = anyOrder(rng, shape)
		}
		dt := c.dt
		if name == "m" {
			dt = dtype.Bool
		}
		c.operands[name] = deviceTensor(t, rng, dt, l)
	}

	x := []string{"a", "a", "a + b", "a*b", "a*b - a", "where(m, a, b)"}[rng.IntN(6)]
	if c.dt == dtype.Bool {
		x = []string{"a", "a & b"}[rng.IntN(2)]
	}
	axes := ""
	if len(shape) > 1 && rng.IntN(4) > 0 {
		axes = fmt.Sprint(", axis=", rng.IntN(len(shape)))
		if len(shape) > 2 && rng.IntN(3) == 0 {
			all := rng.Perm(len(shape))
			axes = fmt.Sprintf(", axis=(%d, %d)", all[0], all[1])
		}
	}
	op := func() string {
		where := ""
		if rng.IntN(3) == 0 {
			where = ", where=m"
		}
		name := deviceOps[rng.IntN(len(deviceOps))]
		if where != "" && (strings.HasSuffix(name, "min") || strings.HasSuffix(name, "max")) {
			where += ", initial=1"
		}
		return name + "(" + x + axes + where + ")"
	}
	c.text = op()
	if rng.IntN(4) == 0 {
		c.text = "s = " + c.text + "; t = " + op() + "; where(s == t, s, t)"
	}
	return c
}

// deviceTensor has small numbers, and now and then one that is not.
func deviceTensor(t *testing.T, rng *rand.Rand, dt dtype.Type, l tensortest.Layout) *view.Tensor {
	special := rng.IntN(3) == 0
	b := tensortest.Buffer(l.Span*dt.Size(), l.Skew)
	for i := 0; i < len(b); i += dt.Size() {
		x := rng.NormFloat64() * 3
		if special && rng.IntN(500) == 0 {
			x = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e300, 5e-324}[rng.IntN(6)]
		}
		storeDevice(rng, b[i:], dt, x)
	}
	return tensor(t, b, dt, l)
}

// storeDevice stores a number, or a complex one with it.
func storeDevice(rng *rand.Rand, b []byte, dt dtype.Type, x float64) {
	s := dtype.ScalarOf(x)
	if dt.Kind() == dtype.KindComplex {
		s = dtype.ScalarOf(complex(x, rng.NormFloat64()))
	}
	s.Convert(dt).Store(b)
}

// cancellingTensor has small numbers, and large ones that cancel out along an axis, so that sums
// depend on the order in which they are taken.
func cancellingTensor(t *testing.T, rng *rand.Rand, dt dtype.Type, l tensortest.Layout, axis int) *view.Tensor {
	step, size := 1, l.Shape[axis]
	for _, n := range l.Shape[axis+1:] {
		step *= n
	}
	most := 30 // of the exponents, so that accumulators round
	switch dt {
	case dtype.Float32, dtype.Complex64:
		most = 90
	case dtype.Float64, dtype.Complex128:
		most = 300
	}
	b, positions := tensortest.Buffer(l.Span*dt.Size(), l.Skew), l.Positions()
	for i, pos := range positions {
		x := rng.NormFloat64() * 3
		k := i / step % size
		if other := i + (size-1-2*k)*step; other > i && rng.IntN(2) == 0 && most > 30 {
			x = math.Ldexp(float64(float32(x)), 30+rng.IntN(most-30))
			storeDevice(rng, b[positions[other]*dt.Size():], dt, -x)
		} else if other < i && math.Abs(dtype.Load(dt, b[pos*dt.Size():]).Float64()) > 0 {
			continue
		}
		storeDevice(rng, b[pos*dt.Size():], dt, x)
	}
	return tensor(t, b, dt, l)
}

// compareDevice computes a case on the CPU and on a device.
func compareDevice(t *testing.T, c *deviceCase, d *devicetest.Device, options ...*compute.Options) error {
	want, err := evaluate(t.Context(), c.text, c.operands, nil)
	refused := err
	for _, o := range options {
		o.Device = d
		got, err := evaluate(t.Context(), c.text, c.operands, o)
		if (err == nil) != (refused == nil) {
			return fmt.Errorf("%w, want %v", err, refused)
		}
		if err == nil {
			err = compute.SameElements(want.dtype, got.elements, want.elements)
		}
		if err != nil && refused == nil {
			return err
		}
	}
	return nil
}

// TestDeviceReduce computes random reductions on a device and on the CPU.
func TestDeviceReduce(t *testing.T) {
	t.Parallel()
	seeds := uint64(600)
	if compute.RaceEnabled {
		seeds = 6
	} else if !*compute.Long {
		seeds = 15
	}
	d := devicetest.New(&devicetest.Options{Seed: 2})
	offloaded := 0
	for seed := range seeds {
		c := newDeviceCase(t, seed)
		before := d.Stats().Launches
		if err := compareDevice(t, c, d, &compute.Options{Parallelism: int(1 + seed%3), MemoryLimit: 1 << (24 + seed%6)}); err != nil {
			t.Fatalf("seed %d, %v: %v", seed, c, err)
		}
		if d.Stats().Launches > before {
			offloaded++
		}
	}
	if offloaded < int(seeds/2) {
		t.Errorf("%d of %d on the device", offloaded, seeds)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestDeviceReducePaths reduces elements that lie in all the ways that a worker has for them.
func TestDeviceReducePaths(t *testing.T) {
	t.Parallel()
	d := devicetest.New(nil)
	for _, test := range []struct {
		text    string
		dt      dtype.Type
		shape   []int
		strides []int // of a; nil: C order
		axis    int   // one that is reduced
	}{
		// Long rows.
		{"sum(a)", dtype.Float32, []int{40_003}, nil, 0},
		{"sum(a + b)", dtype.Float64, []int{20_003}, nil, 0},
		{"max(a)", dtype.Int8, []int{9001}, []int{4}, 0},
		{"sum(a)", dtype.Int8, []int{9001}, []int{4}, 0},
		{"s = sum(a); t = max(a); u = mean(a); s + t + u", dtype.Int8, []int{9001}, nil, 0},
		{"sum(a + b)", dtype.Float32, []int{12, 9001}, nil, 0}, // rows one by one
		{"sum(a + b, axis=1)", dtype.Float32, []int{200, 1500}, nil, 1},
		{"sum(a, axis=(0, 2))", dtype.Float32, []int{3, 10, 1500}, nil, 0},
		{"norm(a)", dtype.Complex128, []int{2000}, nil, 0},

		// Rows along the runs of the input, and packed from them.
		{"sum(a, axis=1)", dtype.Float32, []int{64, 1500}, []int{1, 64}, 1},
		{"sum(a, axis=1)", dtype.Float32, []int{500, 300}, []int{1, 500}, 1},
		{"mean(a)", dtype.Float32, []int{64, 9000}, []int{1, 64}, 1},
		{"sum(a)", dtype.Complex64, []int{32, 9001}, []int{1, 32}, 0},
		{"sum(a)", dtype.Complex128, []int{64, 2, 11_000}, []int{1, 64 * 11_000, 64}, 0},
		{"mean(a, axis=(1, 2))", dtype.Complex128, []int{70, 3, 2051}, []int{1, 70 * 2051, 70}, 1},
		{"sum(a, axis=(1, 2))", dtype.Complex128, []int{3, 70, 2051}, []int{70 * 2051, 1, 70}, 1},
		{"sum(a + b)", dtype.Float32, []int{30, 2000}, []int{1, 30}, 0},
		{"any(a > 30, axis=0)", dtype.Float32, []int{70, 9000}, []int{1, 70}, 0},
		{"sum(arange(60_000).reshape(30, 2000).T[:, :9].T * 0.3, axis=0) + a", dtype.Float64, []int{2000}, nil, 0},
		{"sum(arange(60_000)*0.1) + a", dtype.Float64, []int{3}, nil, 0},

		// Short rows, few columns, and many.
		{"sum(a*b, axis=(0, 2))", dtype.Float32, []int{3, 40, 700}, nil, 0},
		{"sum(a + b, axis=1)", dtype.Float64, []int{40_000, 5}, nil, 1},
		{"sum(a + b, axis=1)", dtype.Float32, []int{70, 300}, nil, 1},
		{"min(a, axis=1)", dtype.Int16, []int{70_000, 3}, nil, 1},
		{"sum(a*b, axis=2)", dtype.Float32, []int{500, 500, 3}, nil, 2},
		{"sum(a + b, axis=0)", dtype.Float32, []int{683, 3}, nil, 0}, // a row behind the last block of several
		{"sum(a, axis=0)", dtype.Float32, []int{5462, 3}, nil, 0},
		{"mean(a*b, axis=0)", dtype.Float16, []int{410, 5}, nil, 0},
		{"sum(a + b, axis=(0, 2))", dtype.Float32, []int{10, 4, 683, 3}, nil, 0},
		{"sum(a + b, axis=0)", dtype.Float32, []int{90, 1100}, nil, 0},
		{"sum(a, axis=0)", dtype.Complex64, []int{70, 90}, nil, 0},
	} {
		n := 1
		for _, size := range test.shape {
			n *= size
		}
		if n > 300_000 && !*compute.Long || compute.RaceEnabled && n != 683*3 && n != 2000 && n != 9001 {
			continue
		}
		rng := rand.New(rand.NewPCG(5, 5))
		c := &deviceCase{text: test.text, dt: test.dt, operands: map[string]*view.Tensor{}}
		for _, name := range []string{"a", "b", "m"} {
			l := packedLayout(test.shape)
			if name == "a" && test.strides != nil {
				l.Strides = test.strides
			}
			l.Span = 1
			for axis, s := range l.Strides {
				l.Span += s * (l.Shape[axis] - 1)
			}
			c.operands[name] = cancellingTensor(t, rng, test.dt, l, test.axis)
		}
		before, options := d.Stats().Launches, []*compute.Options{{Parallelism: 4, MemoryLimit: 24 << 20}, {}}
		if !*compute.Long {
			options = options[:1]
		}
		if err := compareDevice(t, c, d, options...); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		if d.Stats().Launches == before {
			t.Errorf("%v: nothing was launched", c)
		}
	}
	if live := d.Live(); live != (devicetest.Live{}) || len(d.Mistakes()) > 0 {
		t.Errorf("left over: %+v, mistakes %v", live, d.Mistakes())
	}
}

// TestDeviceReduceMemory keeps to the memory that there is, or says that it is not enough.
func TestDeviceReduceMemory(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	for _, text := range []string{"sum(a*b)", "mean(a, axis=0)", "max(a + b, axis=1)", "s = sum(a); t = max(b); u = count_nonzero(a); s + t + u"} {
		c := &deviceCase{text: text, operands: map[string]*view.Tensor{}}
		for _, name := range []string{"a", "b", "m"} {
			c.operands[name] = deviceTensor(t, rng, dtype.Float32, tensortest.Layout{Shape: []int{60, 1300}, Strides: []int{1300, 1}, Span: 60 * 1300})
		}
		fits := 0
		limits := []int64{16 << 10, 128 << 10, 512 << 10}
		if compute.RaceEnabled {
			limits = limits[1:2]
		}
		for _, limit := range limits {
			d := devicetest.New(&devicetest.Options{MemoryBytes: limit})
			err := compareDevice(t, c, d, &compute.Options{Parallelism: 5})
			if full := (*device.MemoryError)(nil); err != nil && !errors.As(err, &full) {
				t.Errorf("%s in %d bytes: %v", text, limit, err)
			}
			if err == nil {
				fits++
			}
			if most := d.Stats().MostBytes; most > limit || err == nil && most == 0 {
				t.Errorf("%s took %d of %d bytes", text, most, limit)
			}
			if live := d.Live(); live != (devicetest.Live{}) || len(d.Mistakes()) > 0 {
				t.Errorf("%s in %d bytes left %+v, mistakes %v", text, limit, live, d.Mistakes())
			}
		}
		if fits < 1 {
			t.Errorf("%s fits in %d limits", text, fits)
		}

		// Staging memory has a limit of its own.
		d := devicetest.New(nil)
		most := int64(0)
		o := &compute.Options{Parallelism: 5, MemoryLimit: 4 << 20, Progress: func(compute.Progress) { most = max(most, d.Live().StagingBytes) }}
		if err := compareDevice(t, c, d, o); err != nil || most == 0 || most > o.MemoryLimit/8 {
			t.Errorf("%s with %d bytes of staging memory: %v", text, most, err)
		}
	}
}

// TestDeviceReduceFaults has each call of a device fail: the error is returned, and nothing is left.
func TestDeviceReduceFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	operands := map[string]*view.Tensor{}
	for _, name := range []string{"a", "b"} {
		operands[name] = deviceTensor(t, rng, dtype.Float32, tensortest.Layout{Shape: []int{36_000}, Strides: []int{1}, Span: 36_000})
	}
	broken := errors.New("broken")
	before := runtime.NumGoroutine()
	for _, call := range []devicetest.Call{
		devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
	} {
		for _, late := range []bool{false, true} {
			for at := 1; ; at++ {
				d := devicetest.New(&devicetest.Options{Faults: []devicetest.Fault{{Call: call, At: at, Err: broken, Late: late}}})
				_, err := evaluate(t.Context(), "sum(a*b)", operands, &compute.Options{Device: d, Parallelism: 3})
				if live := d.Live(); live != (devicetest.Live{}) {
					t.Fatalf("%v %d fails: left %+v", call, at, live)
				}
				if err == nil {
					if at == 1 || d.Calls(call) >= at {
						t.Errorf("%v %d fails: no error", call, at)
					}
					break
				}
				if !errors.Is(err, broken) {
					t.Fatalf("%v %d fails: %v", call, at, err)
				}
				if compute.RaceEnabled {
					at += 20
				} else if !*compute.Long {
					at += 4
				}
			}
		}
	}
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		if wait == 100 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestDeviceReduceStalls ends with its context, though the device does not go on.
func TestDeviceReduceStalls(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 8))
	a := deviceTensor(t, rng, dtype.Float32, tensortest.Layout{Shape: []int{90_000}, Strides: []int{1}, Span: 90_000})
	d := devicetest.New(nil)
	release := d.Stall()
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := evaluate(ctx, "sum(a*a)", map[string]*view.Tensor{"a": a}, &compute.Options{Device: d})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
}

// TestDeviceReduceGoesOn begins on one engine and goes on with the other.
func TestDeviceReduceGoesOn(t *testing.T) {
	t.Parallel()
	env := streamNames(t).env()
	d := devicetest.New(nil)
	for i, text := range []string{
		"a = x.sum()", "a = x.mean(axis=0)", "a = x.max(axis=2); b = (x*v).sum(axis=(0, 2))", "a = count_nonzero(x, axis=(0, 1)); b = norm(x, axis=1); c = x - x.min()",
		"a = nansum(x.T, axis=0)",
	} {
		t.Run(text, func(t *testing.T) {
			want := newTarget(t, text, env, nil)
			if err := want.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			all := newTarget(t, text, env, nil).runFrom(t, compute.Checkpoint{}, -1)
			rng := rand.New(rand.NewPCG(9, uint64(i)))
			var at compute.Checkpoint
			var done []byte
			told := 0
			for part := 0; told < len(all); part++ {
				o := &compute.Options{Parallelism: 1 + rng.IntN(3)}
				if part%2 == i%2 {
					o.Device = d
				}
				p := newTarget(t, text, env, o)
				if done != nil {
					p.fill(t, done)
				}
				n := 1 + rng.IntN(len(all)-told)
				if told+n == len(all) {
					n = -1
				}
				places := p.runFrom(t, at, n)
				if len(places) > 0 {
					at = places[len(places)-1]
				}
				told, done = told+len(places), p.bytes(t)
				if n < 0 && told != len(all) {
					t.Fatalf("%d places were told, want %d", told, len(all))
				}
			}
			if !bytes.Equal(done, want.bytes(t)) {
				t.Error("other elements than the CPU makes")
			}
		})
	}
	if d.Stats().Launches == 0 {
		t.Error("nothing was launched")
	}
}

// TestDeviceReduceTold checks that a plan says what reduces.
func TestDeviceReduceTold(t *testing.T) {
	n := names{"a": array(t, make([]float32, 10_000), 100, 100)}
	d := devicetest.New(nil)
	for text, want := range map[string]string{
		"sum(a*2)":         "GPU code for gpu:0, which reduces as well, a block of threads for each run of elements",
		"sum(a*2, axis=0)": "GPU code for gpu:0, which reduces as well, a thread for each column",
		"var(a)":           "the CPU, not gpu:0: no GPU code for var",
		"prod(a)":          "the CPU, not gpu:0: no GPU code for products of float32, which have exponents of their own",
		"argmax(a)":        "the CPU, not gpu:0: no GPU code for argmax",
	} {
		if got := newPlan(t, "c = "+text, n.env(), &compute.Options{Device: d}).String(); !strings.Contains(got, want) {
			t.Errorf("%s: the plan has no %q:\n%s", text, want, got)
		}
	}
}
