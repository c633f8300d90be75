package bind

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/tstore/tstore/compute/internal/generate"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

var arrayFunctions = []function{
	{name: "arange", params: "start, stop=None, step=1, dtype=None", bind: bindArange, doc: "start, start + step, … below stop; arange(n) is 0 to n - 1"},
	{name: "linspace", params: "start, stop, num=50, endpoint=True, dtype=None", bind: bindLinspace, doc: "num numbers at equal distances from start to stop"},
	{name: "zeros", params: "shape, dtype=float64", bind: filled(0), doc: "zeros"},
	{name: "ones", params: "shape, dtype=float64", bind: filled(1), doc: "ones"},
	{name: "full", params: "shape, fill_value, dtype=None", bind: bindFull, doc: "the same value everywhere"},
	{name: "zeros_like", params: "a, dtype=None", bind: filledLike(0), doc: "zeros of the shape and type of a"},
	{name: "ones_like", params: "a, dtype=None", bind: filledLike(1), doc: "ones of the shape and type of a"},
	{name: "full_like", params: "a, fill_value, dtype=None", bind: bindFullLike, doc: "the same value, of the shape and type of a"},
	{name: "array", aliases: "asarray", params: "a, dtype=None", bind: bindArray, doc: "a list of numbers, or of lists, as an array"},
}

// constantReal returns a value that is a real number, and its type.
func constantReal(v value) (number.Number, error) {
	n, ok := v.constant()
	if !ok || n.Kind == dtype.KindComplex {
		return number.Number{}, errors.New("expected a real number")
	}
	return n, nil
}

func bindArange(b *binder, c *call) (value, error) {
	start, _, err1 := c.value("start")
	stop, hasStop, err2 := c.value("stop")
	step, hasStep, err3 := c.value("step")
	if err := errors.Join(err1, err2, err3); err != nil {
		return value{}, err
	}

	// As in NumPy, a single argument is the end of the range.
	zero, one := number.Int(big.NewInt(0)), number.Int(big.NewInt(1))
	if !hasStop {
		start, stop = value{weak: &zero}, start
	}
	if !hasStep {
		step = value{weak: &one}
	}

	t, err := c.dtype("dtype", meetingType(start, stop, step))
	if err != nil {
		return value{}, err
	}

	var n [3]number.Number
	for i, v := range []value{start, stop, step} {
		if n[i], err = constantReal(v); err != nil {
			return value{}, fmt.Errorf("arange: %w", err)
		}
	}
	count, err := rangeLength(n[0], n[1], n[2])
	if err != nil {
		return value{}, fmt.Errorf("arange: %w", err)
	}

	first, err1 := n[0].As(n[0].DefaultType())
	by, err2 := n[2].As(n[2].DefaultType())
	if err := errors.Join(err1, err2); err != nil {
		return value{}, err
	}

	g, err := generate.Arange(t, first, by, count)
	if err != nil {
		return value{}, err
	}
	return b.row(g, count)
}

// rangeLength returns how many steps lead from start to below stop.
func rangeLength(start, stop, step number.Number) (int, error) {
	if !step.Truth() {
		return 0, errors.New("a step of 0")
	}

	// Integers of any size are counted exactly.
	if start.IsInt() && stop.IsInt() && step.IsInt() {
		q, m, _ := number.FloorDivMod(new(big.Int).Sub(stop.Int, start.Int), step.Int)
		if m.Sign() != 0 {
			q.Add(q, big.NewInt(1))
		}
		if q.Sign() <= 0 {
			return 0, nil
		}
		return number.Int(q).ToInt()
	}

	from, err1 := start.Float64()
	to, err2 := stop.Float64()
	by, err3 := step.Float64()
	if err := errors.Join(err1, err2, err3); err != nil {
		return 0, err
	}

	// From 2⁵³ on, float64 does not hold every integer.
	n := math.Ceil((to - from) / by)
	if !(n < 1<<53) {
		return 0, fmt.Errorf("%v elements: more than can be addressed", n)
	}
	return int(max(n, 0)), nil
}

// Row returns the first n elements of g.
func (b *binder) row(g *generate.Row, n int) (value, error) {
	return b.array(g, []int{n})
}

// array returns the first elements of g in a shape.
func (b *binder) array(g *generate.Row, shape []int) (value, error) {
	l, err := view.NewLayout(shape...)
	if err != nil {
		return value{}, err
	}
	if int64(l.NumElems()) > g.NumElems() {
		return value{}, fmt.Errorf("shape %s of %s is more than can be addressed", syntax.FormatShape(shape), g.DType())
	}
	return value{node: b.Generated(g, l)}, nil
}

func bindLinspace(b *binder, c *call) (value, error) {
	start, err1 := c.float("start", 0)
	stop, err2 := c.float("stop", 0)
	num, err3 := c.int("num", 50)
	endpoint, err4 := c.flag("endpoint", true)
	t, err5 := c.dtype("dtype", dtype.Float64)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return value{}, err
	}
	g, err := generate.Linspace(t, start, stop, num, endpoint)
	if err != nil {
		return value{}, err
	}
	return b.row(g, num)
}

// filled binds a function that makes an array of one small integer.
func filled(v int64) func(b *binder, c *call) (value, error) {
	n := number.Int(big.NewInt(v))
	return func(b *binder, c *call) (value, error) {
		shape, err := c.shape("shape")
		if err != nil {
			return value{}, err
		}
		t, err := c.dtype("dtype", dtype.Float64)
		if err != nil {
			return value{}, err
		}
		return b.repeated(value{weak: &n}, t, shape)
	}
}

// repeated returns a number everywhere in a shape.
func (b *binder) repeated(v value, t dtype.Type, shape []int) (value, error) {
	n, err := b.operand(v, t)
	if err != nil {
		return value{}, err
	}
	n, err = b.Stretched(n, shape)
	return value{node: n}, err
}

func bindFull(b *binder, c *call) (value, error) {
	shape, err := c.shape("shape")
	if err != nil {
		return value{}, err
	}
	return b.fill(c, shape, dtype.Invalid)
}

func bindFullLike(b *binder, c *call) (value, error) {
	a, err := c.operand("a")
	if err != nil {
		return value{}, err
	}
	return b.fill(c, a.Shape, a.DType)
}

// fill returns an array of a shape that holds the argument fill_value everywhere. Its type is the
// argument dtype, else t, else the type of the value.
func (b *binder) fill(c *call, shape []int, t dtype.Type) (value, error) {
	v, _, err := c.value("fill_value")
	if err != nil {
		return value{}, err
	}

	if t, err = c.dtype("dtype", t); err != nil {
		return value{}, err
	}

	n, err := b.typed(v)
	if err != nil {
		return value{}, err
	}
	if !t.Valid() {
		t = n.DType
	}

	// An untyped integer goes on as it is: its default type may be too narrow for it.
	if v.weak != nil && v.weak.IsInt() {
		return b.repeated(v, t, shape)
	}
	return b.repeated(value{node: n}, t, shape)
}

func filledLike(v int64) func(b *binder, c *call) (value, error) {
	n := number.Int(big.NewInt(v))
	return func(b *binder, c *call) (value, error) {
		a, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		t, err := c.dtype("dtype", a.DType)
		if err != nil {
			return value{}, err
		}
		return b.repeated(value{weak: &n}, t, a.Shape)
	}
}

// bindArray binds array(). Numbers become elements by the rules of Python's int and float. Elements
// of an array are converted even if that loses digits.
func bindArray(b *binder, c *call) (value, error) {
	t, err := c.dtype("dtype", dtype.Invalid)
	if err != nil {
		return value{}, err
	}

	if a := c.arg("a"); a != nil && a.Kind == term.List {
		return b.bindList(a, t)
	}

	v, _, err := c.value("a")
	if err != nil {
		return value{}, err
	}

	if !t.Valid() {
		n, err := b.typed(v)
		return value{node: n}, err
	}
	return b.converted(v, t)
}
