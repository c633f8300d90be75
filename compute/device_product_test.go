package compute_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A productCase is a program with products, and the shapes of its operands.
type productCase struct {
	text   string
	shapes map[string][]int
}

// in returns matrices x and y.
func in(x, y []int) map[string][]int { return map[string][]int{"x": x, "y": y} }

// edgeCases have shapes around the edges of tiles and runs.
var edgeCases = []productCase{
	{"x @ y", in([]int{1, 1}, []int{1, 1})},
	{"x @ y", in([]int{3, 5}, []int{5, 7})},
	{"x @ y", in([]int{127, 2}, []int{2, 65})},
	{"x @ y", in([]int{128, 3}, []int{3, 64})},
	{"x @ y", in([]int{129, 1}, []int{1, 129})},
	{"x @ y", in([]int{2, 9}, []int{9, 257})},
	{"x @ y", in([]int{4, 256}, []int{256, 2})},
	{"x @ y", in([]int{2, 385}, []int{385, 3})},
}

// longEdgeCases are some more of them.
var longEdgeCases = []productCase{
	{"x @ y", in([]int{255, 17}, []int{17, 256})},
	{"x @ y", in([]int{257, 8}, []int{8, 255})},
	{"x @ y", in([]int{3, 255}, []int{255, 130})},
	{"x @ y", in([]int{7, 257}, []int{257, 2})},
	{"x @ y", in([]int{5, 383}, []int{383, 5})},
	{"x @ y", in([]int{5, 384}, []int{384, 5})},
	{"x @ y", in([]int{130, 769}, []int{769, 5})},
	{"x @ y", in([]int{3, 3000}, []int{3000, 4})},
}

// formCases are the forms of products, and of their operands.
var formCases = []productCase{
	{"x.T @ y", in([]int{5, 6}, []int{5, 7})},
	{"x @ y.T", in([]int{6, 5}, []int{7, 5})},
	{"x[::2, ::-1] @ y[::-3]", in([]int{9, 4}, []int{12, 6})},
	{"x.T[1:, ::3] @ y[2:, ::-2]", in([]int{10, 5}, []int{6, 7})},
	{"broadcast_to(x, (4, 5)) @ y", in([]int{1, 5}, []int{5, 3})},
	{"x @ y", in([]int{3, 4, 5}, []int{5, 2})},
	{"x @ y", in([]int{2, 1, 4, 5}, []int{3, 5, 2})},
	{"x.swapaxes(0, 1) @ y", in([]int{4, 3, 5}, []int{1, 5, 6})},
	{"x @ y", in([]int{5}, []int{5, 3})},
	{"x @ y", in([]int{3, 5}, []int{5})},
	{"dot(x, y)", in([]int{9}, []int{9})},
	{"x += x @ y", in([]int{4, 4}, []int{4, 4})},
	{"x = x @ y; z = x @ x", in([]int{4, 4}, []int{4, 4})},
	{"(x + x) @ (y + x).T", in([]int{6, 5}, []int{6, 5})},
	{"einsum('ij,kj->ki', x, y)", in([]int{4, 5}, []int{6, 5})},
	{"einsum('bij,bjk->bki', x, y)", in([]int{3, 4, 5}, []int{3, 5, 6})},
	{"tensordot(x, y, axes=([0, 1], [1, 0]))", in([]int{3, 4, 5}, []int{4, 3, 2})},
}

// operands returns tensors of the shapes of a case: of numbers whose sums are rounded, and a few
// that are no ordinary ones.
func (c *productCase) operands(t *testing.T, dt dtype.Type) compute.Env {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	made := names{}
	for _, name := range slices.Sorted(maps.Keys(c.shapes)) {
		l, err := view.NewLayout(c.shapes[name]...)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, l.NumElems()*dt.Size())
		for at := 0; at < len(b); at += dt.Size() {
			anyElement(r, dt, l.NumElems()+20).Store(b[at:])
		}
		if made[name], err = view.NewTensor(mmapstore.FromBytes(b), dt, l); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { made[name].Close() })
	}
	return made.env()
}

// anyElement returns a number. One in many is infinite, huge, tiny or NaN.
func anyElement(r *rand.Rand, dt dtype.Type, many int) dtype.Scalar {
	number := func() float64 {
		if r.IntN(many) == 0 {
			return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1e-40, -1e-310, 3e38}[r.IntN(8)]
		}
		return r.NormFloat64() * math.Ldexp(1, r.IntN(8))
	}
	switch dt.Kind() {
	case dtype.KindBool:
		return dtype.ScalarOf(r.IntN(3) == 0)
	case dtype.KindInt, dtype.KindUint:
		return dtype.ScalarOf(r.Int64()).Convert(dt)
	case dtype.KindComplex:
		return dtype.ScalarOf(complex(number(), number())).Convert(dt)
	}
	return dtype.ScalarOf(number()).Convert(dt)
}

// compute returns the results of the program.
func (c *productCase) compute(t *testing.T, dt dtype.Type, o *compute.Options) (types []dtype.Type, all [][]byte, err error) {
	t.Helper()
	stmts, err := compute.ParseProgram(c.text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := compute.NewPlan(t.Context(), stmts, c.operands(t, dt), o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(t.Context()); err != nil {
		return nil, nil, err
	}
	for i, out := range p.Outputs() {
		if !out.Replaced {
			types, all = append(types, out.DType), append(all, bytesOf(t, p.Result(i)))
		}
	}
	return types, all, nil
}

// compare computes the program on the CPU and on a device.
func (c *productCase) compare(t *testing.T, dt dtype.Type, o *compute.Options) {
	t.Helper()
	types, want, err := c.compute(t, dt, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := c.compute(t, dt, o)
	if err != nil {
		t.Fatalf("%s of %v %v: %v", c.text, dt, c.shapes, err)
	}
	for i := range want {
		if err := compute.SameElements(types[i], got[i], want[i]); err != nil {
			t.Errorf("%s of %v %v, statement %d: %v", c.text, dt, c.shapes, i+1, err)
		}
	}
}

// closed looks that nothing is left on a device, that it was used, and that no mistake was made.
func closed(t *testing.T, d *devicetest.Device) {
	t.Helper()
	if d.Stats().Launches == 0 {
		t.Error("nothing was launched")
	}
	for _, err := range d.Mistakes() {
		t.Error(err)
	}
	if l := d.Live(); l != (devicetest.Live{}) {
		t.Errorf("it is left on the device: %+v", l)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestProductsOnDevice computes products on a device, with the bits of the CPU: of all types, with
// much memory and with little. Not in a long run, a type has one device, and some of the cases.
func TestProductsOnDevice(t *testing.T) {
	cases := slices.Concat(edgeCases, formCases)
	if *compute.Long && !testing.Short() {
		cases = append(cases, longEdgeCases...)
	}
	if compute.RaceEnabled {
		cases = slices.DeleteFunc(cases, func(c productCase) bool { return c.shapes["y"][0] > 200 })
	}
	for i, dt := range dtype.All() {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			for k, o := range []devicetest.Options{{Seed: 1, Major: 7}, {Seed: 2, MemoryBytes: 4 << 20}} {
				if !*compute.Long && k != i%2 {
					continue
				}
				d := devicetest.New(&o)
				for n := range cases {
					if *compute.Long && n%2 == k || n%8 == i%8 {
						few := compute.Options{Device: d, Parallelism: 1 + n%5, MemoryLimit: int64(k) << 20}
						cases[n].compare(t, dt, &few)
					}
				}
				closed(t, d)
			}
		})
	}
}

// TestProductInMemoryOfDevice streams panels through a device that has room for the smallest tiles:
// more than that is never taken.
func TestProductInMemoryOfDevice(t *testing.T) {
	const limit = 3 << 19
	steps := 600
	if compute.RaceEnabled {
		steps = 260
	}
	c := productCase{"x @ y", in([]int{140, steps}, []int{steps, 60})}
	d := devicetest.New(&devicetest.Options{Seed: 5, MemoryBytes: limit})
	c.compare(t, dtype.Float64, &compute.Options{Device: d, Parallelism: 4})
	if most := d.Stats().MostBytes; most > limit {
		t.Errorf("%d bytes were taken, of %d", most, limit)
	}
	if n := d.Stats().Launches; n < 6 && !compute.RaceEnabled {
		t.Errorf("%d launches, expected three panels for each of two tiles", n)
	}
	closed(t, d)

	// More tiles than the device has at once take turns.
	c = productCase{"x @ y", in([]int{600, 40}, []int{40, 70})}
	d = devicetest.New(&devicetest.Options{Seed: 6, MemoryBytes: limit})
	var last compute.Progress
	c.compare(t, dtype.Float64, &compute.Options{Device: d, Parallelism: 3, Progress: func(p compute.Progress) { last = p }})
	closed(t, d)
	if last.Total == 0 || last.Done != last.Total {
		t.Errorf("the progress ended at %+v", last)
	}

	// With less, an error says what there is.
	d = devicetest.New(&devicetest.Options{MemoryBytes: 200 << 10})
	_, _, err := c.compute(t, dtype.Float64, &compute.Options{Device: d})
	var full *device.MemoryError
	if !errors.As(err, &full) || full.Limit != 200<<10 || full.Asked <= full.Limit-full.Used {
		t.Errorf("got %v, expected that the memory of the device is too small", err)
	}
	if l := d.Live(); l != (devicetest.Live{}) {
		t.Errorf("it is left on the device: %+v", l)
	}
}

// TestProductFiles multiplies matrices in files that are larger than the memory limit.
func TestProductFiles(t *testing.T) {
	cases := []productCase{{"z = x @ y", in([]int{740, 2}, []int{2, 740})}}
	if *compute.Long && !testing.Short() {
		// Tiles of the CPU would read one of the operands here and there.
		cases = append(cases, productCase{"z = x @ y", in([]int{24, 1100}, []int{1100, 520})}, productCase{"z = x @ y.T", in([]int{520, 1100}, []int{24, 1100})})
	}
	for _, c := range cases {
		dt := dtype.Float64
		env := filesEnv(t, dt, c.shapes["x"], c.shapes["y"])
		want := newTarget(t, c.text, env, nil)
		if err := want.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, scratch := range []func(int64) (*mmapstore.Storage, error){nil, inFiles(t)} {
			d := devicetest.New(nil)
			o := compute.Options{Device: d, MemoryLimit: 1 << 20, Parallelism: 4, Scratch: scratch}
			p := newTarget(t, c.text, env, &o)
			l := p.results[0].Layout()
			out := inFile(t, fmt.Sprint("z", scratch == nil), dt, l)
			if err := errors.Join(p.SetDst(0, out), p.Run(t.Context())); err != nil {
				t.Fatal(err)
			}
			if err := compute.SameElements(dt, bytesOf(t, out), want.bytes(t)); err != nil {
				t.Errorf("%s of %v: %v\n%s", c.text, c.shapes, err, p)
			}
			if d.Stats().Launches == 0 {
				t.Error("nothing was launched")
			}
			if copied := strings.Contains(p.String(), inRuns); copied != (scratch != nil && c.shapes["x"][1] > 2) {
				t.Errorf("it is not planned that an operand is copied\n%s", p)
			}
		}
	}
}

// TestProductFaults has each call of a device fail in turn: the error is returned, and nothing is
// left on the device.
func TestProductFaults(t *testing.T) {
	c := productCase{"x @ y", in([]int{3, 40}, []int{40, 2})}
	o := compute.Options{Parallelism: 3, MemoryLimit: 700 << 10}
	clean := devicetest.New(nil)
	o.Device = clean
	if _, _, err := c.compute(t, dtype.Float32, &o); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	for _, call := range []devicetest.Call{
		devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
	} {
		if clean.Calls(call) == 0 {
			t.Errorf("%v is not called", call)
		}
		for at := range clean.Calls(call) {
			for _, late := range []bool{false, true} {
				d := devicetest.New(&devicetest.Options{Seed: uint64(at), Faults: []devicetest.Fault{{Call: call, At: at + 1, Err: boom, Late: late}}})
				o.Device = d
				if _, _, err := c.compute(t, dtype.Float32, &o); !errors.Is(err, boom) {
					t.Errorf("%v %d fails: got %v", call, at+1, err)
				}
				if l := d.Live(); l != (devicetest.Live{}) {
					t.Errorf("%v %d fails: it is left on the device: %+v", call, at+1, l)
				}
			}
		}
	}
}

// TestProductOnStalledDevice ends a product on a device that does not answer before the product
// has ended.
func TestProductOnStalledDevice(t *testing.T) {
	d := devicetest.New(nil)
	defer d.Stall()()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	c := productCase{"x @ y", in([]int{3, 4}, []int{4, 5})}
	e, err := compute.Parse(c.text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Eval(ctx, c.operands(t, dtype.Float32), &compute.Options{Device: d})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
}

// TestProductCancelled ends a product while panels are on their way, soon and with nothing left.
func TestProductCancelled(t *testing.T) {
	c := productCase{"x @ y", in([]int{600, 40}, []int{40, 70})}
	e, err := compute.Parse(c.text)
	if err != nil {
		t.Fatal(err)
	}
	const after, soon = 30 * time.Millisecond, 200 * time.Millisecond
	best := time.Hour
	for try := uint64(0); try < 5 && best > soon; try++ {
		d := devicetest.New(&devicetest.Options{Seed: try, Latency: 10 * time.Millisecond})
		ctx, cancel := context.WithTimeout(t.Context(), after)
		start := time.Now()
		_, err := e.Eval(ctx, c.operands(t, dtype.Float64), &compute.Options{Device: d, Parallelism: 3})
		best = min(best, time.Since(start)-after)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		if l := d.Live(); l != (devicetest.Live{}) {
			t.Errorf("it is left on the device: %+v", l)
		}
	}
	if best > soon {
		t.Errorf("it ended %v after the context", best)
	}
}

// TestProductOnDeviceExplained looks at what a plan says of products with a device.
func TestProductOnDeviceExplained(t *testing.T) {
	d := devicetest.New(nil)
	for _, k := range []int{3, 0} {
		c := productCase{"x @ y", in([]int{4, k}, []int{k, 5})}
		p := newTarget(t, "z = x @ y", c.operands(t, dtype.Float16), &compute.Options{Device: d})
		want := "products in float32, sums in runs of 384, GPU code for gpu:0, tiles of 128 × 128 a block"
		if text := p.String(); strings.Contains(text, want) != (k > 0) {
			t.Errorf("%d steps: got %s", k, text)
		}
	}
}

// TestProductGoesOn runs a part of a product on one engine and the rest on another, or with other
// tiles: the bytes are those of a run as a whole.
func TestProductGoesOn(t *testing.T) {
	c := productCase{"z = x @ y", in([]int{2100, 3}, []int{3, 20})}
	env := c.operands(t, dtype.Float32)
	want := newTarget(t, c.text, env, nil)
	if err := want.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	engines := []func() *compute.Options{
		func() *compute.Options { return nil },
		func() *compute.Options {
			return &compute.Options{Device: devicetest.New(&devicetest.Options{MemoryBytes: 300 << 10})}
		},
		func() *compute.Options {
			return &compute.Options{Device: devicetest.New(&devicetest.Options{MemoryBytes: 1 << 20}), Parallelism: 7}
		},
	}
	for i := range engines {
		for k := range engines {
			t.Run(fmt.Sprintf("%d then %d", i, k), func(t *testing.T) {
				first := newTarget(t, c.text, env, engines[i]())
				places := first.runFrom(t, compute.Checkpoint{}, -1)
				for n := range places {
					if compute.RaceEnabled && n%4 > 0 {
						continue
					}
					part, rest := newTarget(t, c.text, env, engines[i]()), newTarget(t, c.text, env, engines[k]())
					at := part.runFrom(t, compute.Checkpoint{}, n+1)[n]
					rest.fill(t, part.bytes(t))
					more := rest.runFrom(t, at, -1)
					if i == 1 && k > 0 && len(more) != len(places)-n-1 {
						t.Errorf("from %+v on: %d more places, of %d", at, len(more), len(places))
					}
					if err := compute.SameElements(dtype.Float32, rest.bytes(t), want.bytes(t)); err != nil {
						t.Errorf("from %+v on: %v", at, err)
					}
				}
				if i == 1 && len(places) < 3 {
					t.Errorf("%d places, expected some within the product", len(places))
				}
			})
		}
	}
}
