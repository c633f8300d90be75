package compute_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
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
