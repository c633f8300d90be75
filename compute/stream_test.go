package compute_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func stream(t *testing.T, text string, env compute.Env, o *compute.Options) *compute.Stream {
	t.Helper()
	s, err := compute.NewStream(t.Context(), parsed(t, text), env, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// empty is a tensor of its own.
func empty(t *testing.T, dt dtype.Type, shape []int) *view.Tensor {
	t.Helper()
	l, err := view.NewLayout(shape...)
	if err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.New(int64(l.NumElems() * dt.Size()))
	if err != nil {
		t.Fatal(err)
	}
	x, err := view.NewTensor(st, dt, l)
	if err = errors.Join(err, st.Release()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// packedBytes is the elements of x as blocks give them.
func packedBytes(t *testing.T, x compute.Elements, maxBytes int) []byte {
	t.Helper()
	var all []byte
	err := x.Blocks(maxBytes, func(b []byte) error {
		if maxBytes > 0 && len(b) > max(maxBytes, x.DType().Size()) {
			return fmt.Errorf("a block of %d bytes, want at most %d", len(b), maxBytes)
		}
		all = append(all, b...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// streamed are expressions of x, of shape (300, 7, 211), and of v, of shape (211,).
var streamed = []string{
	"x", "x*2 + v", "x.T + 1", "x[::-3, 2] * v", "x - x.mean(axis=0)", "(x - x.max()) / x.std(axis=(0, 2), keepdims=True)",
	"cumsum(x, axis=0) * 2", "cumsum(cumsum(x, axis=2), axis=0)", "(x.T*2).reshape(-1)", "(x.T*2).reshape(-1, 7) + 1", "(x.T + x.T).reshape(-1)[::-5]",
	"x.T.reshape(-1)", "x.T.reshape(-1).reshape(7, -1)", "sum(x)", "sum(x, axis=1)", "x[x[:, 0, 0] > 3]", "arange(500_000) * 2", "zeros((3, 0, 5)) + 1",
	"full((100, 3, 1000), 7)", "histogram(x, 10)", "x.astype(int8)", "where(x > 1, x, v).swapaxes(0, 1)", "broadcast_to(v, (900, 2, 211))", "[1, 2, 3]", "x[:, :, 7:8] == x",
	"concatenate([x, x*2 + v, x[::-1]])", "concatenate([x, x[:, :, :5] - 1], axis=2) * 2", "stack([x, x.T.swapaxes(0, 2)], axis=-1)", "concatenate([x - x.mean(axis=0), cumsum(x, axis=0)], axis=1)", "pad(x, ((1, 2), (0, 3), (9, 300)), 'reflect')",
	"sum(concatenate([x, x > 1]), axis=0)", "concatenate([x, v + x])[100:400, ::-1] + 1", "gradient(x, axis=1)", "tril(x)", "concatenate([concatenate([x, x + 1], axis=1), pad(x, ((0, 0), (7, 0), (0, 0)))])", "permutation(3, 200_000)*2", "concatenate([x, x]).T.reshape(-1)",
}

func streamNames(t *testing.T) names {
	n := 300 * 7 * 211
	x, v := make([]float32, n), make([]float32, 211)
	for i := range x {
		x[i] = float32(i*7919%1000) / 8
	}
	for i := range v {
		v[i] = float32(i)
	}
	return names{"x": array(t, x, 300, 7, 211), "v": array(t, v, 211)}
}

// TestStream compares what streams give with what Eval does, for small pieces and large ones.
func TestStream(t *testing.T) {
	env := streamNames(t).env()
	for _, text := range streamed {
		want, err := parsed(t, text).Eval(t.Context(), env, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		for _, limit := range []int64{1, 0} {
			s := stream(t, text, env, &compute.Options{MemoryLimit: limit})
			if s.DType() != want.DType() || !cmp.Equal(s.Shape(), want.Shape()) || s.NumElems() != want.NumElems() {
				t.Errorf("%s: %v %v, want %v %v", text, s.DType(), s.Shape(), want.DType(), want.Shape())
			}
			for _, maxBytes := range []int{0, 1, 100_000} {
				if maxBytes == 1 && want.NumElems() > 10_000 {
					continue
				}
				if got := packedBytes(t, s, maxBytes); !bytes.Equal(got, packedBytes(t, want, 0)) {
					t.Errorf("%s, memory limit %d, blocks of %d bytes: other elements than Eval's", text, limit, maxBytes)
				}
			}
		}
	}
}

// TestStreamPart compares parts of streams with those of what Eval gives.
func TestStreamPart(t *testing.T) {
	env := streamNames(t).env()
	for _, text := range streamed {
		want, err := parsed(t, text).Eval(t.Context(), env, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		s := stream(t, text, env, nil)
		for _, ix := range []view.Index{{}, {view.Ellipsis(), view.SpanStep(1, 100, 2)}, {view.Span(2, 3)}} {
			if want.Rank() == 0 {
				ix = view.Index{}
			}
			part, err := want.Index(ix)
			if err != nil {
				t.Fatal(err)
			}
			packedBytes(t, s, 0)
			got := empty(t, part.DType(), part.Shape())
			if err := s.Part(ix, got); err != nil {
				t.Fatalf("%s[%v]: %v", text, ix, err)
			}
			if same, err := view.Equal(t.Context(), got, part); !same || err != nil {
				t.Errorf("%s[%v]: other elements than Eval's (%v)", text, ix, err)
			}
		}
	}
}

// TestStreamKeeps counts the room that is made for what a stream keeps: once, however often and in
// however many pieces it is read, and none for expressions that need none.
func TestStreamKeeps(t *testing.T) {
	env := streamNames(t).env()
	for text, want := range map[string]int64{
		"x*2 + v":                     0,
		"(x.T*2).reshape(-1)":         0,
		"x.T.reshape(-1)":             0,
		"x - x.mean(axis=0)":          7 * 211 * 4,
		"x - x.mean()":                4,
		"cumsum(x[0, 0]) + x":         211 * 4,
		"arange(10**13)[:5]*2":        0,
		"(x*2 + v)[[1]]":              8,
		"(arange(10**13)*2)[[7, -1]]": 2 * 8,
		"zeros((10**15,))[[7, -1]]":   2*8 + 2*8, // the indexes, and where these elements lie
		"arange(1_000_000) * 2":       0,
	} {
		var kept int64
		s := stream(t, text, env, &compute.Options{MemoryLimit: 1, Scratch: func(size int64) (*mmapstore.Storage, error) {
			kept += size
			return mmapstore.New(size)
		}})
		packedBytes(t, s, 0)
		packedBytes(t, s, 0)
		if kept != want {
			t.Errorf("%s: room for %d bytes, want %d", text, kept, want)
		}
	}
}

// TestStreamStats summarises and compares streams: the results are those of the elements in memory,
// to the last bit.
func TestStreamStats(t *testing.T) {
	env := streamNames(t).env()
	for _, text := range append(streamed, "x.astype(int32)", "x.astype(complex64) * 1j", "x.astype(bfloat16)") {
		tensor, err := parsed(t, text).Eval(t.Context(), env, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tensor.Close()
		s := stream(t, text, env, &compute.Options{MemoryLimit: 1})
		want, err1 := compute.Stats(t.Context(), tensor)
		got, err2 := compute.Stats(t.Context(), s)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if text, wanted := fmt.Sprint(got), fmt.Sprint(want); text != wanted {
			t.Errorf("%s: stats\n%s\nwant\n%s", text, text, wanted)
		}
		for _, pair := range [][2]compute.Elements{{s, tensor}, {tensor, s}, {stream(t, text, env, nil), s}} {
			d, err := compute.Diff(t.Context(), pair[0], pair[1], compute.DiffOptions{EqualNaN: true})
			if err != nil || d.Count != 0 || d.Compared != tensor.NumElems() {
				t.Errorf("%s: compared with itself: %+v, %v", text, d, err)
			}
		}
	}
	a, b := stream(t, "x + 1", env, nil), stream(t, "x + 1 + (x == 124.875)", env, nil)
	d, err := compute.Diff(t.Context(), a, b, compute.DiffOptions{Limit: 1})
	if err != nil || d.Count == 0 || d.MaxAbs != 1 || len(d.First) != 1 {
		t.Errorf("diff of streams: %+v, %v", d, err)
	}
}

// TestStreamErrors ends streams early.
func TestStreamErrors(t *testing.T) {
	env := streamNames(t).env()
	if _, err := compute.NewStream(t.Context(), parsed(t, "x + nothing"), env, nil); err == nil {
		t.Error("no error of a name that is not there")
	}
	enough := errors.New("enough")
	if err := stream(t, "x + 1", env, nil).Blocks(0, func([]byte) error { return enough }); err != enough {
		t.Errorf("an error of fn: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	s, err := compute.NewStream(ctx, parsed(t, "x + 1"), env, &compute.Options{MemoryLimit: 1})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Blocks(0, func([]byte) error {
		cancel(enough)
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
	if _, err := compute.Stats(t.Context(), s); !errors.Is(err, context.Canceled) {
		t.Errorf("stats of a cancelled stream: %v", err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if err := s.Blocks(0, func([]byte) error { return nil }); err == nil {
		t.Error("no error of blocks of a closed stream")
	}
	if _, err := compute.Diff(t.Context(), stream(t, "x", env, nil), stream(t, "v", env, nil), compute.DiffOptions{}); err == nil {
		t.Error("no error of different shapes")
	}
}

// TestStreamProgress reads in pieces, and progress grows over all of them.
func TestStreamProgress(t *testing.T) {
	var last compute.Progress
	s := stream(t, "arange(4_000_000) * 2.0", compute.Env{}, &compute.Options{MemoryLimit: 64 << 20, Progress: func(p compute.Progress) {
		if p.Done < last.Done || p.Done > p.Total {
			t.Errorf("progress %+v after %+v", p, last)
		}
		last = p
	}})
	packedBytes(t, s, 0)
	if last.Done != last.Total || last.Total < 32_000_000 {
		t.Errorf("at the end %+v", last)
	}
}
