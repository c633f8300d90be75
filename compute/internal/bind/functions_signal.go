package bind

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/correlate"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

const (
	rowParams    = `, method="auto"`
	planeParams  = `in1, in2, mode="full", boundary="fill", fillvalue=0, method="auto"`
	modeOfVector = `a, v, mode=`
)

// signalFunctions have the names and modes of NumPy's, and of SciPy's for two axes.
var signalFunctions = []function{
	{name: "convolve", params: modeOfVector + `"full"` + rowParams, bind: bindConvolve, doc: "sums of a[i-k]*v[k]: of \"full\" overlaps and those at the ends, as many as the longer one has (\"same\"), or of whole overlaps (\"valid\")"},
	{name: "correlate", params: modeOfVector + `"valid"` + rowParams, bind: bindCorrelate, doc: "sums of a[i+k]*conj(v[k]), with the same modes"},
	{name: "convolve2d", params: planeParams, bind: bindPlane(true), doc: "convolution of matrices; \"same\" is of the shape of in1, and what is beyond its edges is fillvalue (\"fill\"), its other side (\"wrap\") or its mirror image (\"symm\")"},
	{name: "correlate2d", params: planeParams, bind: bindPlane(false), doc: "correlation of matrices, with the same modes and boundaries"},
}

var (
	modeNames   = []string{"full", "same", "valid"}
	methodNames = []string{correlate.MethodAuto: "auto", correlate.MethodDirect: "direct", correlate.MethodFourier: "fft"}
)

// choice returns the index in names of an argument. It returns otherwise if the argument is left
// out.
func (c *call) choice(name string, names []string, otherwise int) (int, error) {
	t := c.arg(name)
	if t == nil {
		return otherwise, nil
	}
	text, _ := c.text(name)
	if i := slices.Index(names, text); i >= 0 {
		return i, nil
	}
	return 0, t.At.Errorf("%s is one of %q", name, names)
}

// vectorOperand returns an argument with one axis and at least one element. A number counts as one
// element.
func (c *call) vectorOperand(name string) (*graph.Node, error) {
	x, err := c.operand(name)
	if err != nil {
		return nil, err
	}
	if len(x.Shape) == 0 {
		x, err = c.b.Reshaped(x, []int{1})
	}

	switch {
	case err != nil:
		return nil, err
	case len(x.Shape) != 1:
		return nil, fmt.Errorf("%s of %s of shape %s: expected one axis", c.name(), name, syntax.FormatShape(x.Shape))
	case x.Shape[0] == 0:
		return nil, fmt.Errorf("%s: %s is empty: expected at least one element", c.name(), name)
	}
	return x, nil
}

// vectors returns the operands of a function of one axis, the longer one first, and its arguments.
func (c *call) vectors(mode int) (a, v *graph.Node, k correlate.Convolution, swapped bool, err error) {
	a, err1 := c.vectorOperand("a")
	v, err2 := c.vectorOperand("v")
	mode, err3 := c.choice("mode", modeNames, mode)
	method, err4 := c.choice("method", methodNames, 0)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, nil, k, false, err
	}
	k = correlate.Convolution{Name: c.name(), Mode: modeNames[mode], Method: correlate.Method(method)}
	if len(v.Shape) == 1 && v.Shape[0] > a.Shape[0] {
		a, v, swapped = v, a, true
	}
	return a, v, k, swapped, nil
}

func bindConvolve(b *binder, c *call) (value, error) {
	a, v, k, _, err := c.vectors(0)
	if err != nil {
		return value{}, err
	}
	n := v.Shape[0]
	k.Reversed, k.Kernel = true, [2]int{1, n}
	k.Shape = convolvedShape(&k, [2]int{1, a.Shape[0]})
	k.Origin[1] = map[string]int{"full": 1 - n, "same": -(n / 2), "valid": 0}[k.Mode]
	return b.convolved(c, a, v, k, []int{k.Shape[1]})
}

// bindCorrelate swaps the operands if the second one is longer. The results then come in reverse
// order, and the elements are conjugated instead of the kernel.
func bindCorrelate(b *binder, c *call) (value, error) {
	a, v, k, swapped, err := c.vectors(2)
	if err != nil {
		return value{}, err
	}
	n := v.Shape[0]
	k.Kernel, k.Conjugate, k.ConjugateX = [2]int{1, n}, !swapped, swapped
	k.Shape = convolvedShape(&k, [2]int{1, a.Shape[0]})
	k.Origin[1] = map[string]int{"full": 1 - n, "same": -(n / 2), "valid": 0}[k.Mode]
	made, err := b.convolved(c, a, v, k, []int{k.Shape[1]})
	if err == nil && swapped {
		made.node, err = b.View(made.node, reverseStep)
	}
	return made, err
}

// matrixOf returns an argument of two axes.
func (c *call) matrixOf(name string) (*graph.Node, error) {
	x, err := c.operand(name)
	if err == nil && len(x.Shape) != 2 {
		err = fmt.Errorf("%s of %s of shape %s: expected two axes", c.name(), name, syntax.FormatShape(x.Shape))
	}
	if err == nil && slices.Contains(x.Shape, 0) {
		err = fmt.Errorf("%s of %s of shape %s: expected at least one element", c.name(), name, syntax.FormatShape(x.Shape))
	}
	return x, err
}

func bindPlane(convolves bool) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err1 := c.matrixOf("in1")
		v, err2 := c.matrixOf("in2")
		mode, err3 := c.choice("mode", modeNames, 0)
		edge, err4 := c.choice("boundary", correlate.EdgeNames, 0)
		method, err5 := c.choice("method", methodNames, 0)

		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			return value{}, err
		}
		k := correlate.Convolution{Name: c.name(), Mode: modeNames[mode], Method: correlate.Method(method), Edge: correlate.Edge(edge), Reversed: convolves, Conjugate: !convolves}

		// As in SciPy, "valid" takes the larger array as the one that is convolved.
		swapped := k.Mode == "valid" && (v.Shape[0] > x.Shape[0] || v.Shape[1] > x.Shape[1])
		if swapped {
			if v.Shape[0] < x.Shape[0] || v.Shape[1] < x.Shape[1] {
				return value{}, fmt.Errorf("%s of shapes %s, \"valid\": expected one of them to be at least as large as the other along both axes", c.name(), graph.FormatShapes([]*graph.Node{x, v}))
			}
			x, v = v, x
		}

		k.Kernel = [2]int{v.Shape[0], v.Shape[1]}
		k.Shape = convolvedShape(&k, [2]int{x.Shape[0], x.Shape[1]})
		for axis, n := range k.Kernel {
			k.Origin[axis] = planeOrigin(&k, n)
		}

		// A correlation is not symmetric: with the operands swapped, its result comes out reversed.
		made, err := b.convolved(c, x, v, k, k.Shape[:])
		if err == nil && swapped && !convolves {
			made.node, err = b.View(made.node, reverseBoth)
		}
		return made, err
	}
}

var reverseBoth = graph.MustMethods("[::-1, ::-1]")

// planeOrigin returns where along an axis the first result of two axes begins, for a kernel of n
// elements.
func planeOrigin(k *correlate.Convolution, n int) int {
	switch {
	case k.Mode == "full":
		return 1 - n
	case k.Mode == "valid":
		return 0
	case k.Reversed:
		return -(n / 2)
	}
	return -((n - 1) / 2)
}

// convolvedShape returns the sizes of the results.
func convolvedShape(k *correlate.Convolution, x [2]int) (shape [2]int) {
	for axis, n := range k.Kernel {
		shape[axis] = map[string]int{"full": x[axis] + n - 1, "same": x[axis], "valid": x[axis] - n + 1}[k.Mode]
	}
	return shape
}

// More than any machine has room for. With these, no count of bytes overflows.
const (
	mostTaps    = 1 << 40
	mostResults = 1 << 56
)

// convolved returns the node of a convolution of x with v. It refuses work that would not end in a
// sensible time.
func (b *binder) convolved(c *call, x, v *graph.Node, k correlate.Convolution, shape []int) (value, error) {
	t := meetingType(value{node: x}, value{node: v})
	if k.Method == correlate.MethodFourier && kindSetOf(t)&takesInexact == 0 {
		return value{}, fmt.Errorf("%s with \"fft\" of %s: sums of integers are exact with \"direct\"", c.name(), t)
	}

	if _, err := view.NewLayout(shape...); err != nil {
		return value{}, fmt.Errorf("%s: %w", c.name(), err)
	}

	if k.NumTaps() > mostTaps || graph.NumElems(shape) > mostResults {
		return value{}, fmt.Errorf("%s of shapes %s: results of shape %s of %d products each are too many", c.name(), graph.FormatShapes([]*graph.Node{x, v}), syntax.FormatShape(shape), k.NumTaps())
	}

	k.DType = t
	if c.has("fillvalue") {
		if err := readFill(&k, c); err != nil {
			return value{}, err
		}
	}

	n := graph.Node{Args: []*graph.Node{x, v}, DType: t, Shape: shape, Bulk: pass.WholeArrays{Work: &k}}
	if err := k.Settle(pass.ArraysOf(&n), b.Limits().MemoryLimit); err != nil {
		return value{}, err
	}
	return value{node: b.BulkNode(n)}, nil
}

// readFill reads the value that stands for elements beyond the edges. The default is 0.
func readFill(k *correlate.Convolution, c *call) error {
	v, ok, err := c.value("fillvalue")
	if err != nil {
		return err
	}

	k.Fill = dtype.ScalarOf(int64(0)).Convert(k.DType)
	if !ok {
		return nil
	}

	n, constant := v.constant()
	if !constant {
		return c.arg("fillvalue").At.Errorf("fillvalue is a number, no array")
	}
	if k.Fill, err = n.Converted(k.DType); err != nil {
		return c.arg("fillvalue").At.Wrap(err)
	}
	return nil
}
