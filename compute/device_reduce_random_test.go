package compute_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

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
		if err := compareDevice(t, c, d, &compute.Options{CheckDevice: float64(seed % 2), Parallelism: int(1 + seed%3), MemoryLimit: 1 << (24 + seed%6)}); err != nil {
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
