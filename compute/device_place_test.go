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

func (p *randomProgram) env() Env {
	return Env{
		Lookup:  func(name string) (*view.Tensor, error) { return p.operands[name], nil },
		InPlace: func(name string) (*view.Tensor, error) { return p.operands[name], nil },
	}
}

// store computes a text into dst.
func (p *randomProgram) store(t testing.TB, text string, dst *view.Tensor, o *Options) error {
	stmts, err := ParseProgram(text)
	if err != nil {
		return err
	}
	plan, err := NewPlan(t.Context(), stmts, p.env(), o)
	if err != nil {
		return err
	}
	if dst != nil {
		err = plan.SetDst(len(stmts)-1, dst)
	}
	if err == nil {
		err = plan.Run(t.Context())
	}
	return errors.Join(err, plan.Close())
}

// Statements that write in place on a device, also over what they read, do what they do in host
// memory.
func TestInPlaceOnDevice(t *testing.T) {
	for _, text := range []string{
		"a += b", "a[...] = 3", "a[1::2] = b[:-1:2]", "a[1:] += a[:-1]", "a[...] = a.T", "a[:, 0] *= 2", "a[2, 3] = 7", "b[...] = a; a[...] = a[::-1] + b",
		"a[...] = a[:, ::-1]*b + a", "a[...] = sum(h, axis=0)", "a += max(h)", "a[...] = h @ h", "a[...] = b.astype(int8)", "a[::3, ::2] -= h[::3, ::2]",
	} {
		for _, names := range []string{"ab", "a"} {
			p := newOperands(t, dtype.Float64, 21, 21)
			p.operands["h"] = p.operands["c"]
			delete(p.operands, "c")
			d := devicetest.New(&devicetest.Options{MemoryBytes: 1 << 20})
			q, end := p.moved(t, d, names)
			h := p.tensor(t, dtype.Float64, tensortest.Layout{Shape: []int{21, 21}, Strides: []int{21, 1}, Span: 441})
			p.operands["h"], q.operands["h"] = h, h
			if err := p.store(t, text, nil, nil); err != nil {
				t.Fatal(text, err)
			}
			if err := q.store(t, text, nil, &Options{Device: d}); err != nil {
				t.Errorf("%s, %s on the device: %v", text, names, err)
			}
			for name := range p.operands {
				if err := sameElements(dtype.Float64, stored(t, q.operands[name]), stored(t, p.operands[name])); err != nil {
					t.Errorf("%s, %s on the device: %s: %v", text, names, name, err)
				}
			}
			end()
			finish(t, d)
		}
	}
}

// Assign and Eval take tensors on the device; what Eval makes is in host memory unless Scratch says
// otherwise.
func TestEvalOnDevice(t *testing.T) {
	d := devicetest.New(nil)
	p := newOperands(t, dtype.Float32, 30, 40)
	a := onDevice(t, d, p.operands["a"], 0)
	e := Call("add", FromTensor(a), Scalar(1.0))
	for _, o := range []*Options{{Device: d}, {Device: d, Scratch: func(n int64) (*mmapstore.Storage, error) { return mmapstore.WithAllocator(d, n) }}} {
		made, err := e.Eval(t.Context(), Env{}, o)
		if err != nil {
			t.Fatal(err)
		}
		want := mmapstore.CPU
		if o.Scratch != nil {
			want = d.Place()
		}
		if got := made.Storage().Place(); got != want {
			t.Errorf("the result is on %v, want %v", got, want)
		}
		if err := Assign(t.Context(), a, SetSub, FromTensor(made), o); err != nil {
			t.Fatal(err)
		}
		if v, err := a.Get(7, 9); err != nil || v.Float64() != -1 && o.Scratch == nil {
			t.Errorf("got %v, %v", v, err)
		}
		closed(t, made)
	}
	closed(t, a)
	finish(t, d)
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

// Tensors over parts of one block share their elements, however they were made.
func TestPartsOfABlock(t *testing.T) {
	for _, text := range []string{"a += b", "b += a", "a[...] = b; b *= 2", "a[50:] += b[:50]", "b[:50] += a[:49:-1]",
		"u = a[:11]*2; b[...] = 0; a[50:61] = u", "u = b[89:]*2; a[...] = 0; b[:11] = u",
	} {
		block := make([]byte, 8*120)
		for i := range block {
			block[i] = byte(i / 8)
		}
		run := func(at mmapstore.Allocator, o *Options) []byte {
			st, err := mmapstore.WithAllocator(at, int64(len(block)))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := st.WriteAt(block, 0); err != nil {
				t.Fatal(err)
			}
			p := &randomProgram{operands: map[string]*view.Tensor{}}
			for name, start := range map[string]int64{"a": 80, "b": 160} {
				part, err := st.Range(start, 8*100)
				if err != nil {
					t.Fatal(err)
				}
				layout, err := view.NewLayout(100)
				if err != nil {
					t.Fatal(err)
				}
				x, err := view.NewTensor(part, dtype.Int64, layout)
				if err := errors.Join(err, part.Release()); err != nil {
					t.Fatal(err)
				}
				defer closed(t, x)
				p.operands[name] = x
			}
			if err := p.store(t, text, nil, o); err != nil {
				t.Fatal(err)
			}
			all := make([]byte, len(block))
			if _, err := st.ReadAt(all, 0); err != nil {
				t.Fatal(err)
			}
			if err := st.Release(); err != nil {
				t.Fatal(err)
			}
			return all
		}
		d := devicetest.New(nil)
		if err := sameElements(dtype.Int64, run(d, &Options{Device: d}), run(mmapstore.Heap{}, nil)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		finish(t, d)
	}
}

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
