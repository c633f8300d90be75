package compute_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute"
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
