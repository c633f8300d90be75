package view_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// lookBytes is the most that is moved between two looks at the context.
const lookBytes = 32 << 20

// A countdown is a context that ends when it has been looked at some times.
type countdown struct {
	context.Context
	looks, left int
}

func (c *countdown) Err() error {
	c.looks++
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// anonymous returns a tensor in C order of pages that are made when they are touched.
func anonymous(t *testing.T, dt dtype.Type, shape ...int) *view.Tensor {
	t.Helper()
	l, err := view.NewLayout(shape...)
	if err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.WithAllocator(mmapstore.Anonymous{}, int64(l.NumElems()*dt.Size()))
	if err != nil {
		t.Fatal(err)
	}
	x, err := view.NewTensor(st, dt, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close(); st.Release() })
	return x
}

// sliced returns part of x.
func sliced(t *testing.T, x *view.Tensor, text string) *view.Tensor {
	t.Helper()
	part, err := x.Slice(text)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// reshaped returns x in another shape.
func reshaped(t *testing.T, x *view.Tensor, shape ...int) *view.Tensor {
	t.Helper()
	made, err := x.Reshape(shape...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestCancelled ends long operations while they run: they look at their context after every 32 MiB
// at the latest, and do nothing more when it has ended.
func TestCancelled(t *testing.T) {
	if testing.Short() {
		t.Skip("moves hundreds of MiB")
	}
	const n = 72 << 20
	x, y := anonymous(t, dtype.Uint8, n), anonymous(t, dtype.Uint8, n)
	few, fewer, one := sliced(t, x, ":2097152"), sliced(t, y, ":2097152"), anonymous(t, dtype.Uint8, 1)
	matrix := func(x *view.Tensor) *view.Tensor { return reshaped(t, x, 8, n/8) }
	floats, mask := anonymous(t, dtype.Float32, n/4), anonymous(t, dtype.Bool, 2<<20)
	last := view.Fancy{view.Ints(-1)}
	two := view.Fancy{view.Ints(0, 0)}
	rows, deep := reshaped(t, x, 1, n), reshaped(t, y, 2, n/2)
	places := anonymous(t, dtype.Int64, 1, 6<<20)
	tests := []struct {
		name  string
		looks int // at least
		run   func(ctx context.Context) error
	}{
		{"copy", 3, func(ctx context.Context) error { return view.Copy(ctx, x, y) }},
		{"copy a transpose", 3, func(ctx context.Context) error {
			return view.Copy(ctx, reshaped(t, x, 8192, 9216), reshaped(t, y, 9216, 8192).Transpose())
		}},
		{"copy a step", 3, func(ctx context.Context) error { return view.Copy(ctx, sliced(t, x, "::4096"), sliced(t, y, "::4096")) }},
		{"copy a column", 3, func(ctx context.Context) error {
			return view.Copy(ctx, reshaped(t, sliced(t, x, ":4608"), 2304, 2), sliced(t, reshaped(t, y, 2304, 32<<10), ":, :2"))
		}},
		{"copy upwards", 3, func(ctx context.Context) error { return view.Copy(ctx, sliced(t, x, "1:"), sliced(t, x, ":-1")) }},
		{"copy reversed", 6, func(ctx context.Context) error { return view.Copy(ctx, x, sliced(t, x, "::-1")) }},
		{"convert", 9, func(ctx context.Context) error { return view.Copy(ctx, floats, sliced(t, x, ":18874368")) }},
		{"fill", 3, func(ctx context.Context) error { return view.Fill(ctx, x, dtype.ScalarOf(uint8(1))) }},
		{"gather a box", 3, func(ctx context.Context) error { return view.Gather(ctx, rows, reshaped(t, y, 1, n), last) }},
		{"gather boxes", 3, func(ctx context.Context) error {
			return view.Gather(ctx, deep, sliced(t, reshaped(t, x, 2, n/2), ":1"), two)
		}},
		{"gather rows", 3, func(ctx context.Context) error {
			return view.Gather(ctx, matrix(x), matrix(y), view.Fancy{view.Ints(7, 6, 5, 4, 3, 2, 1, 0)})
		}},
		{"gather columns", 10, func(ctx context.Context) error {
			return view.Gather(ctx, reshaped(t, sliced(t, x, ":16384"), 2048, 8), reshaped(t, y, 2048, n/2048), view.Fancy{view.Basic(view.All()), view.Ints(7, 6, 5, 4, 3, 2, 1, 0)})
		}},
		{"gather by a mask", 250, func(ctx context.Context) error {
			return view.Gather(ctx, sliced(t, x, ":0"), few, view.Fancy{view.BoolArray(mask)})
		}},
		{"shape of a mask", 250, func(ctx context.Context) error {
			_, err := view.FancyShape(ctx, few.Layout(), view.Fancy{view.BoolArray(mask)})
			return err
		}},
		{"scatter a box", 3, func(ctx context.Context) error { return view.Scatter(ctx, rows, last, reshaped(t, y, 1, n)) }},
		{"repeat", 3, func(ctx context.Context) error {
			return view.Repeat(ctx, matrix(x), sliced(t, matrix(y), ":1"), []int{8}, 0)
		}},
		{"repeat elements", 250, func(ctx context.Context) error { return view.Repeat(ctx, few, one, []int{2 << 20}, 0) }},
		{"put", 250, func(ctx context.Context) error { return view.Put(ctx, one, few, fewer, view.IndexWrap) }},
		{"take", 250, func(ctx context.Context) error { return view.Take(ctx, few, one, fewer, 0, view.IndexWrap) }},
		{"tile", 3, func(ctx context.Context) error { return view.Tile(ctx, x, sliced(t, y, ":9437184"), 8) }},
		{"roll", 3, func(ctx context.Context) error { return view.Roll(ctx, x, y, []int{5}) }},
		{"roll an axis", 3, func(ctx context.Context) error { return view.Roll(ctx, x, y, []int{5}, 0) }},
		{"pad", 3, func(ctx context.Context) error {
			return view.Pad(ctx, x, one, []view.PadWidth{{After: n - 1}}, view.PadWrap, dtype.Scalar{})
		}},
		{"concatenate", 3, func(ctx context.Context) error { return view.Concatenate(ctx, x, 0, sliced(t, y, ":-1"), one) }},
		{"compare", 140, func(ctx context.Context) error { _, err := view.Equal(ctx, x, y); return err }},
		{"compare nearly", 250, func(ctx context.Context) error { _, err := view.AllClose(ctx, few, fewer, 256, 256, false); return err }},
		{"count", 250, func(ctx context.Context) error { _, err := view.CountNonzero(ctx, mask); return err }},
		{"positions", 3, func(ctx context.Context) error {
			return last.Positions(ctx, places, sliced(t, reshaped(t, x, 1, n), ":, :6291456").Layout())
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			whole := &countdown{Context: t.Context(), left: 1 << 30}
			if err := test.run(whole); err != nil {
				t.Fatal(err)
			}
			if whole.looks < test.looks {
				t.Errorf("%d looks at the context, want %d at least", whole.looks, test.looks)
			}
			for _, left := range []int{0, whole.looks / 2} {
				ctx := &countdown{Context: t.Context(), left: left}
				if err := test.run(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("error %v after %d looks", err, left)
				}
				if ctx.looks > left+1 {
					t.Errorf("%d looks at a context that has ended", ctx.looks-left)
				}
			}
		})
	}
}

// TestCancelledWrites counts what is written before and after the end of a context.
func TestCancelledWrites(t *testing.T) {
	const n = 4 * lookBytes
	x := anonymous(t, dtype.Uint8, n)
	ctx := &countdown{Context: t.Context(), left: 2}
	if err := view.Fill(ctx, x, dtype.ScalarOf(uint8(1))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	written, err := view.CountNonzero(t.Context(), x)
	if err != nil || written != 2*lookBytes {
		t.Errorf("%d bytes are written, want %d; error %v", written, 2*lookBytes, err)
	}
}
