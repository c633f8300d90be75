package compute

import (
	"errors"
	"testing"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

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
