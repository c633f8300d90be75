package bind

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// A padding is what a call of pad does to one axis. Axes are padded one after the other, each
// together with what those before it have become.
type padding struct {
	*binder
	call          *call
	x             *graph.Node
	mode          string
	axis, n       int      // n elements are along it
	before, after int      // elements to add
	values        [2]value // of "constant", and where a "linear_ramp" ends
	lengths       [2]int   // of the part that a statistic is of
}

// padModes make the elements before and behind an axis.
var padModes = map[string]func(p *padding) (*graph.Node, error){
	"constant": (*padding).constant, "empty": (*padding).constant, "edge": (*padding).edge, "linear_ramp": (*padding).ramp,
	"maximum": (*padding).statistic, "minimum": (*padding).statistic, "mean": (*padding).statistic, "median": (*padding).statistic,
	"reflect": (*padding).reflect, "symmetric": (*padding).reflect, "wrap": (*padding).wrap,
}

func bindPad(b *binder, c *call) (value, error) {
	x, err := c.operand("array")
	if err != nil {
		return value{}, err
	}
	mode := "constant"
	if t := c.arg("mode"); t != nil {
		mode, _ = c.text("mode")
		if padModes[mode] == nil {
			return value{}, t.At.Errorf("mode is one of %q", sortedKeys(padModes))
		}
	}

	p := padding{binder: b, call: c, x: x, mode: mode}
	for p.axis = range x.Shape {
		if err := p.read(); err != nil {
			return value{}, err
		}
		if p.before+p.after == 0 {
			continue
		}
		if p.n == 0 && mode != "constant" && mode != "empty" {
			return value{}, fmt.Errorf("pad: axis %d has no elements, which only the modes \"constant\" and \"empty\" can extend", p.axis)
		}
		if p.x, err = padModes[mode](&p); err != nil {
			return value{}, err
		}
	}
	return valueOf(p.x), nil
}

// read reads the arguments for one axis.
func (p *padding) read() error {
	p.n = p.x.Shape[p.axis]
	widths, err := p.sizes("pad_width", 0)
	if err != nil {
		return err
	}
	p.before, p.after = widths[0], widths[1]
	if p.lengths, err = p.sizes("stat_length", p.n); err != nil {
		return err
	}

	name := "constant_values"
	if p.mode == "linear_ramp" {
		name = "end_values"
	}
	terms, err := p.pair(name)
	if err != nil {
		return err
	}
	for i, t := range terms {
		p.values[i] = weakInt(0)
		if t != nil && p.mode != "empty" {
			if p.values[i], err = p.bind(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// sizes returns the two sizes that an argument has for the axis.
func (p *padding) sizes(name string, otherwise int) (sizes [2]int, err error) {
	terms, err := p.pair(name)
	for i, t := range terms {
		sizes[i] = otherwise
		if t == nil || err != nil {
			continue
		}
		if sizes[i], err = p.integer(t); err == nil && sizes[i] < 0 {
			err = t.At.Errorf("%s of %d elements: expected 0 or more", name, sizes[i])
		}
		if err == nil && sizes[i] > maxPadding {
			err = t.At.Errorf("%s of %d elements: more than can be addressed", name, sizes[i])
		}
	}
	return sizes, err
}

// maxPadding bounds a padding, so that sums of sizes don't overflow.
const maxPadding = 1 << 60

// pair returns what an argument has for the two sides of the axis: one for all, one for each side,
// or a pair for each axis. It returns nil for an argument that is left out.
func (p *padding) pair(name string) (pair [2]*term.Term, err error) {
	t := p.call.arg(name)
	if t == nil {
		return pair, nil
	}
	rank := len(p.x.Shape)
	if isSeveral(t) && len(t.Args) > 0 && isSeveral(t.Args[0]) {
		if len(t.Args) != rank && len(t.Args) != 1 {
			return pair, t.At.Errorf("%s for %d axes, found %d: expected a pair for each", name, len(t.Args), rank)
		}
		t = t.Args[min(p.axis, len(t.Args)-1)]
	}
	switch {
	case !isSeveral(t):
		return [2]*term.Term{t, t}, nil
	case len(t.Args) == 1:
		return [2]*term.Term{t.Args[0], t.Args[0]}, nil
	case len(t.Args) == 2:
		return [2]*term.Term{t.Args[0], t.Args[1]}, nil
	}
	return pair, t.At.Errorf("%s is a number, a pair for both sides, or a pair for each axis", name)
}

func isSeveral(t *term.Term) bool { return t.Kind == term.Tuple || t.Kind == term.List }

// joined returns the elements with those before and behind them, each stretched to so many.
func (p *padding) joined(before, after *graph.Node) (*graph.Node, error) {
	parts := []*graph.Node{p.x}
	if p.before > 0 {
		parts = append([]*graph.Node{p.stretched(before, p.before)}, parts...)
	}
	if p.after > 0 {
		parts = append(parts, p.stretched(after, p.after))
	}
	return p.Join(parts, p.axis)
}

// stretched returns an array of the type of x that is repeated to so many elements along the axis.
func (p *padding) stretched(n *graph.Node, elems int) *graph.Node {
	shape := slices.Clone(p.x.Shape)
	shape[p.axis] = elems
	return p.Stretch(p.Cast(n, p.x.DType), shape)
}

// constant adds the same value everywhere.
func (p *padding) constant() (*graph.Node, error) {
	before, err := p.number(0)
	if err != nil {
		return nil, err
	}
	after, err := p.number(1)
	if err != nil {
		return nil, err
	}
	return p.joined(before, after)
}

// number returns the value of a side as an element of x.
func (p *padding) number(side int) (*graph.Node, error) {
	n, ok := p.values[side].constant()
	if !ok {
		return nil, fmt.Errorf("pad: values are numbers, no arrays")
	}
	s, err := n.Converted(p.x.DType)
	return p.Scalar(s), err
}

// edge adds the first and the last element.
func (p *padding) edge() (*graph.Node, error) {
	return p.joined(p.part(0, 1), p.part(p.n-1, p.n))
}

// part returns a part along the axis.
func (p *padding) part(start, stop int) *graph.Node { return p.sliceOf(p.x, p.axis, start, stop) }

// ramp adds what leads from a value to the elements at the edge.
func (p *padding) ramp() (*graph.Node, error) {
	before, err := p.sloped(p.part(0, 1), 0, p.before)
	if err != nil {
		return nil, err
	}
	after, err := p.sloped(p.part(p.n-1, p.n), 1, p.after)
	if err != nil {
		return nil, err
	}
	if after, err = p.reversed(after); err != nil {
		return nil, err
	}
	return p.joined(before, after)
}

// sloped is numpy.linspace from a value to an edge, without that.
func (p *padding) sloped(edge *graph.Node, side, num int) (*graph.Node, error) {
	wide := dtype.Float64
	if p.x.DType.Kind() == dtype.KindComplex {
		wide = dtype.Complex128
	}
	n, ok := p.values[side].constant()
	if !ok || num == 0 {
		return edge, nil
	}
	s, err := n.Converted(wide)
	if err != nil {
		return nil, err
	}
	shape := slices.Repeat([]int{1}, len(p.x.Shape))
	shape[p.axis] = num
	steps, err := p.write(p.call, "arange(0.0, num)", given{"num": weakInt(num)})
	if err != nil {
		return nil, err
	}
	if steps.node, err = p.Reshaped(steps.node, shape); err != nil {
		return nil, err
	}

	// Where a step is 0, NumPy divides before it multiplies.
	with := given{"start": valueOf(p.Scalar(s)), "stop": valueOf(p.Cast(edge, wide)), "num": weakInt(num), "steps": steps}
	text := "where(any((stop - start)/num == 0), steps/num*(stop - start), steps*((stop - start)/num)) + start"
	if kindSetOf(p.x.DType)&takesInt != 0 {
		text = "floor(" + text + ")"
	}
	v, err := p.write(p.call, text, with)
	return v.node, err
}

// reversed returns n with its elements along the axis in reverse.
func (p *padding) reversed(n *graph.Node) (*graph.Node, error) {
	return p.Slice(n, p.axis, view.All().By(-1))
}

// statistic adds what the elements next to an edge have come to.
func (p *padding) statistic() (*graph.Node, error) {
	var sides [2]*graph.Node
	for i := range sides {
		length := min(p.lengths[i], p.n)
		if length == 0 {
			return nil, p.call.arg("stat_length").At.Errorf("stat_length of 0: expected a part of the elements")
		}
		part := p.part(0, length)
		if i == 1 {
			part = p.part(p.n-length, p.n)
		}
		v, err := p.write(p.call, padStatistics[p.mode], given{"part": valueOf(part), "axis": weakInt(p.axis)})
		if err == nil && kindSetOf(p.x.DType)&takesInt != 0 && kindSetOf(v.node.DType)&takesFloat != 0 {
			v, err = p.write(p.call, "rint(x)", given{"x": v})
		}
		if err != nil {
			return nil, err
		}
		sides[i] = v.node
	}
	return p.joined(sides[0], sides[1])
}

var padStatistics = map[string]string{
	"maximum": "max(part, axis=axis, keepdims=True)", "minimum": "min(part, axis=axis, keepdims=True)",
	"mean": "mean(part, axis=axis, keepdims=True)", "median": "median(part, axis=axis, keepdims=True)",
}

// reflect adds the mirror image of the elements, with those at the edges in "symmetric", again and
// again.
func (p *padding) reflect() (*graph.Node, error) {
	odd, err := p.isOdd()
	if err != nil || p.n == 1 {
		if err == nil {
			return p.edge()
		}
		return nil, err
	}
	period, edge := p.n, 1
	if p.mode == "reflect" {
		period, edge = p.n-1, 0
	}

	// Each time both sides get what there is by then, in whole periods.
	before, after := p.before, p.after
	for before > 0 || after > 0 {
		have := p.x.Shape[p.axis]
		most := (have - 1 + edge) / period * period
		p.before, p.after = min(most, before), min(most, after)
		first, err := p.mirrored(p.part(1-edge, 1-edge+p.before), p.part(0, 1), odd)
		if err != nil {
			return nil, err
		}
		last, err := p.mirrored(p.part(have-1+edge-p.after, have-1+edge), p.part(have-1, have), odd)
		if err != nil {
			return nil, err
		}
		if p.x, err = p.joined(first, last); err != nil {
			return nil, err
		}
		before, after = before-p.before, after-p.after
	}
	return p.x, nil
}

// isOdd reports whether mirror images are turned at the edges.
func (p *padding) isOdd() (bool, error) {
	t := p.call.arg("reflect_type")
	if t == nil {
		return false, nil
	}
	text, _ := p.call.text("reflect_type")
	if text != "even" && text != "odd" {
		return false, t.At.Errorf("reflect_type is \"even\" or \"odd\"")
	}
	return text == "odd", nil
}

// mirrored returns a part in reverse, as it is or turned at an edge.
func (p *padding) mirrored(part, edge *graph.Node, odd bool) (*graph.Node, error) {
	n, err := p.reversed(part)
	if err != nil || !odd {
		return n, err
	}
	v, err := p.write(p.call, "2*edge - part", given{"edge": valueOf(edge), "part": valueOf(n)})
	return v.node, err
}

// wrap adds the elements of the other side, again and again.
func (p *padding) wrap() (*graph.Node, error) {
	var parts []*graph.Node
	start := 0
	if rest := p.before % p.n; rest > 0 {
		start = p.n - rest
	}
	whole := p.before + p.n + p.after
	if whole/p.n > maxParts {
		return nil, fmt.Errorf("pad: %d times the elements of an axis: tile(a, %s) repeats them", whole/p.n, syntax.FormatShape([]int{whole / p.n}))
	}
	for made := 0; made < whole; {
		stop := min(p.n, start+whole-made)
		parts = append(parts, p.part(start, stop))
		made, start = made+stop-start, 0
	}
	return p.Join(parts, p.axis)
}

// sortedKeys returns the keys of a table in order.
func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
