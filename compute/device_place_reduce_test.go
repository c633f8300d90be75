package compute_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// resident returns a case whose operands of some names lie on a device, and what closes them.
func (c *deviceCase) resident(t *testing.T, d *devicetest.Device, names string, start int64) (moved *deviceCase, end func()) {
	t.Helper()
	moved = &deviceCase{text: c.text, dt: c.dt, operands: map[string]*view.Tensor{}}
	var made []*view.Tensor
	for name, x := range c.operands {
		if moved.operands[name] = x; strings.Contains(names, name) {
			moved.operands[name] = compute.OnDevice(t, d, x, start)
			made = append(made, moved.operands[name])
		}
	}
	return moved, func() {
		for _, x := range made {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// compareResident computes a case in host memory on the CPU, and with some operands on a device. It
// reports whether the device computes it.
func compareResident(t *testing.T, c *deviceCase, names string, start int64, o *compute.Options) (covered bool, err error) {
	t.Helper()
	d := devicetest.New(&devicetest.Options{Seed: uint64(start)})
	o.Device = d
	want, refused := evaluate(t.Context(), c.text, c.operands, nil)
	moved, end := c.resident(t, d, names, start)
	got, err := evaluate(t.Context(), moved.text, moved.operands, o)
	covered = !errors.Is(err, mmapstore.ErrPlace)
	switch {
	case !covered:
		err = nil
	case (err == nil) != (refused == nil):
		err = fmt.Errorf("%w, want %v", err, refused)
	case err == nil:
		err = compute.SameElements(want.dtype, got.elements, want.elements)
	default:
		err = nil
	}
	if a := c.operands["a"]; err == nil && names == "abm" && covered && a.NumBytes() > 100_000 && len(a.Shape()) == 1 && d.Stats().UploadedBytes > a.NumBytes()/4 {
		err = fmt.Errorf("%d bytes were sent", d.Stats().UploadedBytes)
	}
	end()
	compute.Finish(t, d)
	return covered, err
}

// Reductions of operands on a device, all or some of them, have the bits of the CPU.
func TestReduceOnDevice(t *testing.T) {
	t.Parallel()
	seeds := uint64(400)
	if compute.RaceEnabled {
		seeds = 4
	} else if !*compute.Long {
		seeds = 20
	}
	computed := 0
	for seed := range seeds {
		c := newDeviceCase(t, 1000+seed)
		names := []string{"abm", "a", "bm", "abm"}[seed%4]
		covered, err := compareResident(t, c, names, int64(seed%3)*16, &compute.Options{Parallelism: int(1 + seed%3), MemoryLimit: 1 << (24 + seed%6), CheckDevice: float64(seed % 2)})
		if err != nil {
			t.Fatalf("seed %d, %v, %s on the device: %v", seed, c, names, err)
		}
		if covered {
			computed++
		}
	}
	if computed < int(seeds/2) {
		t.Errorf("%d of %d on the device", computed, seeds)
	}
}

// Elements that lie in all the ways that a worker has for them are read by the device where they
// are.
func TestReducePathsOnDevice(t *testing.T) {
	t.Parallel()
	for i, test := range []struct {
		text    string
		dt      dtype.Type
		shape   []int
		strides []int // of a; nil: C order
	}{
		{"sum(a)", dtype.Float32, []int{40_003}, nil},
		{"sum(a + b)", dtype.Float64, []int{20_003}, nil},
		{"sum(a)", dtype.Int8, []int{9001}, []int{4}},
		{"s = sum(a); t = max(a); u = mean(a); s + t + u", dtype.Int8, []int{9001}, nil},
		{"sum(a + b)", dtype.Float32, []int{12, 9001}, nil},
		{"sum(a, axis=(0, 2))", dtype.Float32, []int{3, 10, 1500}, nil},
		{"norm(a)", dtype.Complex128, []int{2000}, nil},
		{"sum(a, axis=1)", dtype.Float32, []int{64, 1500}, []int{1, 64}},
		{"sum(a + b, axis=1)", dtype.Float32, []int{500, 300}, []int{1, 500}},
		{"mean(a)", dtype.Float32, []int{64, 2000}, []int{1, 64}},
		{"sum(a)", dtype.Float64, []int{7, 11, 300}, []int{300, 2100, 1}},
		{"sum(a*b, axis=(0, 2))", dtype.Float64, []int{7, 11, 300}, []int{1, 7, 77}},
		{"sum(a[::-1, :, ::-1])", dtype.Float32, []int{30, 40, 50}, nil},
		{"sum(a + b)", dtype.Float32, []int{30, 2000}, []int{1, 30}},
		{"any(a > 30, axis=0)", dtype.Float32, []int{70, 900}, []int{1, 70}},
		{"sum(a*b, axis=(0, 2))", dtype.Float32, []int{3, 40, 700}, nil},
		{"sum(a + b, axis=1)", dtype.Float64, []int{4000, 5}, nil},
		{"min(a, axis=1)", dtype.Int16, []int{7000, 3}, nil},
		{"sum(a*b, axis=2)", dtype.Float32, []int{50, 500, 3}, nil},
		{"sum(a + b, axis=0)", dtype.Float32, []int{683, 3}, nil}, // a row behind the last block of several
		{"sum(a, axis=0)", dtype.Float32, []int{5462, 3}, nil},
		{"mean(a*b, axis=0)", dtype.Float16, []int{410, 5}, nil},
		{"sum(a + b, axis=(0, 2))", dtype.Float32, []int{10, 4, 683, 3}, nil},
		{"sum(a + b, axis=0)", dtype.Float32, []int{90, 1100}, nil},
		{"sum(a, axis=0)", dtype.Complex64, []int{70, 90}, nil},
		{"max(a[::-1, ::3] - b[::-1, ::3], axis=0)", dtype.Int32, []int{61, 70}, nil},
		{"sum(a + arange(70), axis=1)", dtype.Float64, []int{61, 70}, nil},
		{"sum(a*b[:1] + b[:, :1])", dtype.Float32, []int{61, 70}, nil},
	} {
		n := 1
		for _, size := range test.shape {
			n *= size
		}
		if compute.RaceEnabled && n > 6_000 {
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
			c.operands[name] = cancellingTensor(t, rng, test.dt, l, len(test.shape)-1)
		}
		for k, names := range []string{"abm", []string{"a", "b"}[i%2]} {
			covered, err := compareResident(t, c, names, int64(k)*16, &compute.Options{Parallelism: 2})
			if err != nil || !covered {
				t.Errorf("%v, %s on the device: covered %v, %v", c, names, covered, err)
			}
		}
	}
}
