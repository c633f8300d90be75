package compute

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// onDevice returns a tensor like x on a device: with the same layout, and the same bytes between its
// elements. start is where its storage begins in a block.
func onDevice(t testing.TB, d *devicetest.Device, x *view.Tensor, start int64) *view.Tensor {
	t.Helper()
	st := x.Storage()
	block, err := mmapstore.WithAllocator(d, start+st.Size())
	if err != nil {
		t.Fatal(err)
	}
	part, err := block.Range(start, st.Size())
	if err != nil {
		t.Fatal(err)
	}
	err = st.With(func(b []byte) error {
		_, err := part.WriteAt(b, 0)
		return err
	})
	made, newErr := view.NewTensor(part, x.DType(), x.Layout())
	if err := errors.Join(err, newErr, part.Release(), block.Release()); err != nil {
		t.Fatal(err)
	}
	return made
}

// closed closes a tensor that is not needed any more.
func closed(t testing.TB, x *view.Tensor) {
	t.Helper()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// stored returns the bytes of the storage of a tensor.
func stored(t testing.TB, x *view.Tensor) []byte {
	t.Helper()
	b := make([]byte, x.Storage().Size())
	if _, err := x.Storage().ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

// moved returns p with some operands on a device, and what closes them.
func (p *randomProgram) moved(t testing.TB, d *devicetest.Device, names string) (q *randomProgram, end func()) {
	q = &randomProgram{rng: p.rng, types: p.types, shape: p.shape, operands: map[string]*view.Tensor{}}
	for name, x := range p.operands {
		if q.operands[name] = x; strings.Contains(names, name) {
			q.operands[name] = onDevice(t, d, x, int64(p.rng.IntN(3))*16)
		}
	}
	return q, func() {
		for _, name := range names {
			closed(t, q.operands[string(name)])
		}
	}
}

// finish closes a device, which has nothing left on it.
func finish(t testing.TB, d *devicetest.Device) {
	t.Helper()
	for _, err := range d.Mistakes() {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// Operands on a device, all or some of them, give the elements that they give in host memory, with
// much memory and with hardly any.
func TestOperandsOnDevice(t *testing.T) {
	texts := []string{
		"(a*2 + b)*c - abs(b)", "a.T + b.T*c[0, 0]", "a*b[:1] + c[:, :1]", "a[:, :1]*2 + b[:1]*c[1, 1]", "a*2 + arange(57)", "(a + b)[::-1, ::3]*c[:, ::3]",
		"where(a < b, a, c) + arange(0, 114, 2)[newaxis]", "u = a + b; v = a - b; u*v", "a + b[:, ::-1]*3; c - a", "a", "a.T", "a; b[::-1]", "a.astype(float64)", "roll(a, 1, 0) + b", "repeat(a, 2, 1)",
		"a.reshape(13, 3, 57)[:, :2]*b.reshape(13, 3, 57)[:, :2] + c.reshape(13, 3, 57)[:1, :2]",
	}
	for _, text := range texts {
		for i, dt := range []dtype.Type{dtype.Float32, dtype.Int8} {
			p := newOperands(t, dt, 39, 57)
			made, want, err := p.run(t.Context(), text, nil)
			if err != nil {
				t.Fatal(text, err)
			}
			for k, names := range []string{"abc", "a", "bc"} {
				memory := []int64{1 << 20, 120 << 10}[(i+k)%2]
				d := devicetest.New(&devicetest.Options{Seed: 3, MemoryBytes: memory})
				q, end := p.moved(t, d, names)
				_, got, err := q.run(t.Context(), text, &Options{Device: d, Parallelism: 4})
				if err == nil {
					err = sameElements(made, got, want)
				}
				if err != nil {
					t.Errorf("%s of %v, %s on the device: %v", text, dt, names, err)
				}
				resident := names == "abc" && !strings.Contains(text, "arange") && !strings.Contains(text, ";") && !strings.Contains(text, "roll")
				if s := d.Stats(); s.MostBytes > memory || resident && s.UploadedBytes > 0 {
					t.Errorf("%s of %v, %s on the device: %+v", text, dt, names, s)
				}
				end()
				finish(t, d)
			}
		}
	}
}

// Random expressions over random operands in any place go to a random destination in any place.
func TestRandomPlaces(t *testing.T) {
	seeds := uint64(120)
	if raceEnabled {
		seeds = 20
	}
	if *Long {
		seeds = 3000
	}
	for seed := range seeds {
		families := []string{"integers", "floats", "narrow", "mixed"}
		p := newRandomProgram(t, seed, families[seed%4])
		text := p.expression(1 + p.rng.IntN(3))
		d := devicetest.New(&devicetest.Options{Seed: seed, MemoryBytes: 4 << 20})
		names := []string{"abc", "a", "b", "c", "ab", "ac", "bc", ""}[p.rng.IntN(8)]

		// The destination has gaps, in which nothing may be written.
		like, _, err := p.run(t.Context(), text, nil)
		if bad := (*ExprError)(nil); errors.As(err, &bad) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		shape, err := ParseProgram(text)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := NewPlan(t.Context(), shape, p.env(), nil)
		if err != nil {
			t.Fatal(err)
		}
		out := plan.Outputs()[0].Shape
		if err := plan.Close(); err != nil {
			t.Fatal(err)
		}
		host := p.tensor(t, like, shuffled(p.rng, out))
		dst := onDevice(t, d, host, 0)
		if err := p.store(t, text, host, nil); err != nil {
			t.Fatal(err)
		}

		q, end := p.moved(t, d, names)
		if err := q.store(t, text, dst, &Options{Device: d, Parallelism: 3}); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		if err := sameElements(like, stored(t, dst), stored(t, host)); err != nil {
			t.Fatalf("seed %d: %s of %v, with %q on the device: %v", seed, text, p.shape, names, err)
		}
		closed(t, dst)
		end()
		finish(t, d)
	}
}

// Functions that read elements in pieces read them from a device too.
func TestStatsOnDevice(t *testing.T) {
	d := devicetest.New(nil)
	p := newOperands(t, dtype.Float32, 30, 40)
	for _, name := range []string{"a", "b"} {
		x := p.operands[name]
		y := onDevice(t, d, x, 32)
		got, err := Stats(t.Context(), y)
		want, wantErr := Stats(t.Context(), x)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(dtype.Scalar{})); err != nil || wantErr != nil || diff != "" {
			t.Errorf("%v, %v: %s", err, wantErr, diff)
		}
		closed(t, y)
	}
	finish(t, d)
}

// Nests of many axes, and of boxes that are tiny, run in few launches.
func TestResidentNests(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for _, shape := range [][]int{{2, 3, 2, 3, 2, 3, 2, 3}, {3, 2, 2, 2, 2, 2, 2, 2, 2, 3}, {40, 3, 2, 2}, {7, 1, 5, 3}, {681, 2, 3}, {5, 211, 3, 2}, {300, 2}, {2, 300}, {}} {
		p := newOperands(t, dtype.Int32, shape...)
		if len(shape) == 3 { // which stays a nest of three axes, in this order
			p.operands["a"] = p.tensor(t, dtype.Int32, tensortest.Layout{Shape: shape, Strides: []int{20, 7, 2}, Span: 20 * shape[0]})
		}
		index := make([]string, len(shape))
		for i := range index {
			index[i] = []string{":", "::-1"}[rng.IntN(2)]
		}
		text := fmt.Sprintf("a*2 - b[%s]", strings.Join(index, ", "))
		if len(shape) == 0 {
			text = "a*2 - b"
		}
		_, want, err := p.run(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, names := range []string{"ab", "a"} {
			d := devicetest.New(nil)
			q, end := p.moved(t, d, names)
			_, got, err := q.run(t.Context(), text, &Options{Device: d, Parallelism: 2})
			if err == nil {
				err = sameElements(dtype.Int32, got, want)
			}
			if err != nil {
				t.Errorf("%s of %v, %s on the device: %v", text, shape, names, err)
			}
			if n := d.Stats().Launches; n > 100 {
				t.Errorf("%v, %s on the device: %d launches", shape, names, n)
			}
			end()
			finish(t, d)
		}
	}
}
