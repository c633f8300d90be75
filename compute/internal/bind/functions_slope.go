package bind

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// slopeFunctions are of neighbouring elements.
var slopeFunctions = []function{
	{name: "gradient", params: "f, spacing=1.0, axis=None, edge_order=1", bind: bindGradient, doc: "slopes along an axis, of neighbours at a distance, or at coordinates: second order inside, and of edge_order at the edges"},
	{name: "interp", params: "x, xp, fp, left=None, right=None, period=None", bind: bindInterp, doc: "values at x of the lines between points xp, which ascend, and fp; fp[0] and fp[-1] beyond them, or left and right"},
}

// A slope is a call of gradient.
type slope struct {
	*binder
	call *call
	f    *graph.Node
	axis int
	n    int
	h    value // the distance, or the distances of all neighbours
	even bool  // whether they are one
}

func bindGradient(b *binder, c *call) (value, error) {
	f, err1 := c.operand("f")
	order, err2 := c.int("edge_order", 1)
	if err := cmp.Or(err1, err2); err != nil {
		return value{}, err
	}
	if order != 1 && order != 2 {
		return value{}, c.arg("edge_order").At.Errorf("edge_order is 1 or 2")
	}
	axis, given, err := c.axis("axis", len(f.Shape))
	switch {
	case err != nil:
		return value{}, err
	case len(f.Shape) == 0 || !given && len(f.Shape) > 1:
		return value{}, fmt.Errorf("gradient of shape %s: name one axis, as in gradient(f, axis=0)", syntax.FormatShape(f.Shape))
	case f.Shape[axis] <= order:
		return value{}, fmt.Errorf("gradient along %d elements: expected %d at least", f.Shape[axis], order+1)
	}

	// Integers have slopes in float64. They do not wrap around, as NumPy's do.
	t := f.DType
	if kindSetOf(t)&takesWhole != 0 {
		t = dtype.Float64
		f = b.Cast(f, t)
	}
	s := &slope{binder: b, call: c, f: f, axis: axis, n: f.Shape[axis]}
	if err := s.space(); err != nil {
		return value{}, err
	}
	parts, err := s.parts(order)
	if err != nil {
		return value{}, err
	}
	for i, n := range parts {
		parts[i] = b.Cast(n, t)
	}
	return b.concatenated(c.name(), parts, axis)
}

// space reads the argument spacing: a distance, or as many coordinates as there are elements.
func (s *slope) space() error {
	v, ok, err := s.call.value("spacing")
	if err != nil {
		return err
	}
	if !ok {
		v, err = s.write(s.call, "1.0", nil)
	}
	s.h, s.even = v, true
	if err != nil || v.node == nil || len(v.node.Shape) == 0 {
		return err
	}
	if !slices.Equal(v.node.Shape, []int{s.n}) {
		return s.call.arg("spacing").At.Errorf("spacing of shape %s: expected a number, or %d coordinates", syntax.FormatShape(v.node.Shape), s.n)
	}

	// As in NumPy, coordinates at one distance are that distance.
	if kindSetOf(v.node.DType)&takesWhole != 0 {
		v.node = s.Cast(v.node, dtype.Float64)
	}
	if s.h, err = s.write(s.call, "diff(x)", given{"x": v}); err != nil {
		return err
	}
	distances, err := s.float64s(s.h.node)
	if err != nil {
		return err
	}
	if s.even = !slices.ContainsFunc(distances, func(d float64) bool { return d != distances[0] }); s.even {
		s.h = valueOf(s.Scalar(dtype.ScalarOf(distances[0]).Convert(v.node.DType)))
	}
	return nil
}

// part returns elements from start up to stop, counted from the end if they are negative.
func (s *slope) part(start, stop int) value {
	if start < 0 {
		start, stop = start+s.n, stop+s.n
	}
	return valueOf(s.sliceOf(s.f, s.axis, start, stop))
}

// distances returns some of the distances, beside the elements along the axis.
func (s *slope) distances(start, stop int) (value, error) {
	if start < 0 {
		start, stop = start+s.n-1, stop+s.n-1
	}
	shape := slices.Repeat([]int{1}, len(s.f.Shape))
	shape[s.axis] = stop - start
	n, err := s.Reshaped(s.sliceOf(s.h.node, 0, start, stop), shape)
	return valueOf(n), err
}

// Slopes in the words of numpy.gradient, of three elements and the two distances between them.
const (
	slopeInside = "-d2/(d1*(d1 + d2))*x + (d2 - d1)/(d1*d2)*y + d1/(d2*(d1 + d2))*z"
	slopeFirst  = "-(2.0*d1 + d2)/(d1*(d1 + d2))*x + (d1 + d2)/(d1*d2)*y + -d1/(d2*(d1 + d2))*z"
	slopeLast   = "d2/(d1*(d1 + d2))*x + -(d2 + d1)/(d1*d2)*y + (2.0*d2 + d1)/(d2*(d1 + d2))*z"
)

// parts returns the slopes at the first element, inside, and at the last one.
func (s *slope) parts(order int) ([]*graph.Node, error) {
	first, inside, last := "(y - x)/d1", "(z - x)/(2.0*h)", "(z - y)/d2"
	if order == 2 {
		first, last = slopeFirst, slopeLast
		if s.even {
			first, last = "-1.5/h*x + 2.0/h*y + -0.5/h*z", "0.5/h*x + -2.0/h*y + 1.5/h*z"
		}
	}
	if !s.even {
		inside = slopeInside
	}

	// Two elements have edges only.
	var parts []*graph.Node
	for _, p := range []struct {
		text string
		at   int
		n    int
	}{{first, 0, 1}, {inside, 0, s.n - 2}, {last, -3, 1}} {
		if p.n == 0 {
			continue
		}
		v, err := s.at(p.text, p.at, p.n, order)
		if err != nil {
			return nil, err
		}
		parts = append(parts, v.node)
	}
	return parts, nil
}

// at returns n slopes that a text makes of elements from a place on and the two behind each.
func (s *slope) at(text string, at, n, order int) (value, error) {
	with := given{"h": s.h, "d1": s.h, "d2": s.h}
	if s.n == 2 { // both slopes are of the only two elements there are
		with["x"], with["y"], with["z"] = s.part(0, 1), s.part(1, 2), s.part(1, 2)
		if at < 0 {
			with["y"] = s.part(0, 1)
		}
	} else {
		with["x"], with["y"], with["z"] = s.part(at, at+n), s.part(at+1, at+n+1), s.part(at+2, at+n+2)
	}
	if s.even {
		return s.write(s.call, text, with)
	}

	from := at
	if at < 0 {
		from = at + 1
	}
	var err1, err2 error
	with["d1"], err1 = s.distances(from, from+n)
	with["d2"], err2 = s.distances(from+1, from+n+1)
	if err := cmp.Or(err1, err2); err != nil {
		return value{}, err
	}
	return s.write(s.call, text, with)
}
