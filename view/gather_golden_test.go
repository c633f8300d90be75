package view_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A gatherCase is one line of golden/gather.txt.
type gatherCase struct {
	Op     string
	X      layoutSpec
	Xs     []layoutSpec
	Text   string
	Arrays map[string]goldenArray
	V, I   goldenArray
	M      goldenArray
	Axis   *int
	Axes   []int
	Mode   string
	Reps   []int
	Counts []int
	Shifts []int
	Widths [][2]int
	A, B   []string
	Rtol   float64
	Atol   float64
	Nan    bool
	Want   goldenArray
	Err    string
}

// goldenArray is a C-order array of integers or bools.
type goldenArray struct {
	Type  string
	Shape []int
	Data  []int64
}

// layoutSpec is [shape, strides, offset].
type layoutSpec struct{ view.Layout }

func (s *layoutSpec) UnmarshalJSON(b []byte) error {
	var shape, strides []int
	var offset int
	if err := json.Unmarshal(b, &[]any{&shape, &strides, &offset}); err != nil {
		return err
	}
	l, err := view.MakeLayout(shape, strides, offset)
	s.Layout = l
	return err
}

func TestGatherAsNumPy(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "golden", "gather.txt"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var c gatherCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		count++
		got, err := c.run(t)
		switch {
		case c.Err != "":
			checkGoldenError(t, line, c.Err, err)
		case err != nil:
			t.Errorf("%serror: %v", line, err)
		default:
			if diff := cmp.Diff(c.Want, contents(t, got, c.Want.Type)); diff != "" {
				t.Errorf("%s(-want +got):\n%s", line, diff)
			}
		}
	}
	if count < 2500 {
		t.Errorf("only %d cases", count)
	}
}

// checkGoldenError checks that there is an error, and of an index outside its axis the same one.
func checkGoldenError(t *testing.T, line, want string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%sno error", line)
		return
	}
	text := strings.TrimPrefix(want, "IndexError: ")
	if !strings.HasPrefix(text, "index ") {
		return
	}
	var index *view.IndexError
	if !errors.As(err, &index) || index.Error() != text {
		t.Errorf("%serror %v", line, err)
	}
}

// run carries the case out as a user would: shape, destination, operation.
func (c *gatherCase) run(t *testing.T) (*view.Tensor, error) {
	axis := view.Flat
	if c.Axis != nil {
		axis = *c.Axis
	}
	x := numbered(t, c.X.Layout)
	switch c.Op {
	case "fancy":
		f, err := view.ParseFancy(c.Text, c.lookup(t))
		if err != nil {
			return nil, err
		}
		shape, err := view.FancyShape(t.Context(), x.Layout(), f)
		return into(t, shape, err, func(dst *view.Tensor) error { return view.Gather(t.Context(), dst, x, f) })
	case "scatter":
		f, err := view.ParseFancy(c.Text, c.lookup(t))
		if err != nil {
			return nil, err
		}
		return copied(t, x, func(dst *view.Tensor) error { return view.Scatter(t.Context(), dst, f, c.V.tensor(t)) })
	case "take":
		i := c.I.tensor(t)
		shape, err := view.TakeShape(x.Layout(), i.Shape(), axis)
		return into(t, shape, err, func(dst *view.Tensor) error { return view.Take(t.Context(), dst, x, i, axis, c.mode()) })
	case "put":
		return copied(t, x, func(dst *view.Tensor) error {
			return view.Put(t.Context(), dst, c.I.tensor(t), c.V.tensor(t), c.mode())
		})
	case "compress":
		m := c.M.tensor(t)
		shape, err := view.CompressShape(t.Context(), x.Layout(), m, axis)
		return into(t, shape, err, func(dst *view.Tensor) error { return view.Compress(t.Context(), dst, x, m, axis) })
	case "argwhere":
		n, err := view.CountNonzero(t.Context(), x)
		return into(t, []int{n, x.Rank()}, err, func(dst *view.Tensor) error { return view.ArgWhere(t.Context(), dst, x) })
	}
	return c.assemble(t, x, axis)
}

// assemble runs the operations that make one tensor of others.
func (c *gatherCase) assemble(t *testing.T, x *view.Tensor, axis int) (*view.Tensor, error) {
	xs, layouts := make([]*view.Tensor, len(c.Xs)), make([]view.Layout, len(c.Xs))
	for i, l := range c.Xs {
		xs[i], layouts[i] = numbered(t, l.Layout), l.Layout
	}
	switch c.Op {
	case "concatenate":
		shape, err := view.ConcatenateShape(axis, layouts...)
		return into(t, shape, err, func(dst *view.Tensor) error { return view.Concatenate(t.Context(), dst, axis, xs...) })
	case "stack":
		shape, err := view.StackShape(axis, len(xs), layouts[0])
		return into(t, shape, err, func(dst *view.Tensor) error { return view.Stack(t.Context(), dst, axis, xs...) })
	case "tile":
		shape, err := view.TileShape(x.Layout(), c.Reps...)
		return into(t, shape, err, func(dst *view.Tensor) error { return view.Tile(t.Context(), dst, x, c.Reps...) })
	case "repeat":
		shape, err := view.RepeatShape(x.Layout(), c.Counts, axis)
		return into(t, shape, err, func(dst *view.Tensor) error { return view.Repeat(t.Context(), dst, x, c.Counts, axis) })
	case "pad":
		widths := make([]view.PadWidth, len(c.Widths))
		for i, w := range c.Widths {
			widths[i] = view.PadWidth{Before: w[0], After: w[1]}
		}
		mode := map[string]view.PadMode{"constant": view.PadConstant, "edge": view.PadEdge, "reflect": view.PadReflect, "symmetric": view.PadSymmetric, "wrap": view.PadWrap}[c.Mode]
		shape, err := view.PadShape(x.Layout(), widths, mode)
		return into(t, shape, err, func(dst *view.Tensor) error {
			return view.Pad(t.Context(), dst, x, widths, mode, dtype.ScalarOf(int8(77)))
		})
	case "roll":
		return into(t, x.Shape(), nil, func(dst *view.Tensor) error { return view.Roll(t.Context(), dst, x, c.Shifts, c.Axes...) })
	case "allclose":
		ok, err := view.AllClose(t.Context(), floats(t, c.A), floats(t, c.B), c.Rtol, c.Atol, c.Nan)
		if err != nil {
			return nil, err
		}
		return fromSlice(t, []bool{ok}).Index(view.Index{view.At(0)})
	}
	return nil, fmt.Errorf("unknown operation %q", c.Op)
}

func (c *gatherCase) lookup(t *testing.T) func(string) (*view.Tensor, error) {
	return func(name string) (*view.Tensor, error) {
		a, ok := c.Arrays[name]
		if !ok {
			return nil, errors.New("no such array")
		}
		return a.tensor(t), nil
	}
}

func (c *gatherCase) mode() view.IndexMode {
	return map[string]view.IndexMode{"raise": view.IndexRaise, "wrap": view.IndexWrap, "clip": view.IndexClip}[c.Mode]
}

// tensor returns the array in its type.
func (a goldenArray) tensor(t *testing.T) *view.Tensor {
	t.Helper()
	dt, err := dtype.Parse(a.Type)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := packedTensor(t, a.Shape, dt)
	if err := view.Copy(t.Context(), out, fromSlice(t, a.Data, a.Shape...)); err != nil {
		t.Fatal(err)
	}
	return out
}

// contents is the reverse of goldenArray.tensor; the type is taken as given.
func contents(t *testing.T, x *view.Tensor, typeName string) goldenArray {
	t.Helper()
	a := goldenArray{Type: typeName, Shape: x.Shape(), Data: []int64{}}
	for v, err := range x.Elements() {
		if err != nil {
			t.Fatal(err)
		}
		n, _ := v.Int64()
		a.Data = append(a.Data, n)
	}
	return a
}

// numbered returns a tensor of the layout in which each element is its position.
func numbered(t *testing.T, l view.Layout) *view.Tensor {
	t.Helper()
	data := make([]int16, 4096)
	for i := range data {
		data[i] = int16(i)
	}
	whole := fromSlice(t, data)
	x, err := view.NewTensor(whole.Storage(), dtype.Int16, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// fromSlice returns a tensor over data that is closed after the test.
func fromSlice[T dtype.Element](t testing.TB, data []T, shape ...int) *view.Tensor {
	t.Helper()
	l, err := view.NewLayout(len(data))
	if len(shape) > 0 {
		l, err = view.NewLayout(shape...)
	} else if shape != nil && len(data) == 1 {
		l, err = view.NewLayout()
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, err := view.FromSlice(data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { whole.Close() })
	out, err := view.NewTensor(whole.Storage(), whole.DType(), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return out
}

// floats reads numbers as Python writes them.
func floats(t *testing.T, texts []string) *view.Tensor {
	t.Helper()
	data := make([]float64, len(texts))
	for i, text := range texts {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		data[i] = v
	}
	return fromSlice(t, data)
}

// into runs fn on a destination of the shape: Fortran order with gaps, in int32, so that layouts
// and types differ from those of the operands.
func into(t *testing.T, shape []int, err error, fn func(dst *view.Tensor) error) (*view.Tensor, error) {
	t.Helper()
	if err != nil {
		return nil, err
	}
	strides, step := make([]int, len(shape)), 2
	for i, n := range shape {
		strides[i] = step
		step *= max(1, n)
	}
	l := mustMake(t, shape, strides, 1)
	st, err := mmapstore.New(int64(4 * (step + 2)))
	if err != nil {
		t.Fatal(err)
	}
	odd := newTensor(t, st, dtype.Int32, l)
	if err := fn(odd); err != nil {
		return nil, err
	}
	plain, _ := packedTensor(t, shape, dtype.Int16)
	if err := fn(plain); err != nil {
		return nil, err
	}
	wide, _ := packedTensor(t, shape, dtype.Int32)
	if err := view.Copy(t.Context(), wide, plain); err != nil {
		t.Fatal(err)
	}
	if equal, err := view.Equal(t.Context(), odd, wide); !equal || err != nil {
		t.Errorf("the result depends on the layout or type of the destination (%v)", err)
	}
	return plain, nil
}

// copied runs fn on copies of x and returns the changed one.
func copied(t *testing.T, x *view.Tensor, fn func(dst *view.Tensor) error) (*view.Tensor, error) {
	t.Helper()
	return into(t, x.Shape(), nil, func(dst *view.Tensor) error {
		if err := view.Copy(t.Context(), dst, x); err != nil {
			return err
		}
		return fn(dst)
	})
}
