package bind

import (
	"cmp"
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/dtype"
)

func bindInterp(b *binder, c *call) (value, error) {
	x, err1 := c.operand("x")
	xp, err2 := c.operand("xp")
	fp, err3 := c.operand("fp")
	period, err4 := c.float("period", 0)
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return value{}, err
	}
	nodes := []*graph.Node{x, xp, fp}
	for i, n := range nodes {
		if err := (takesBool | takesReal).check(c.name(), n.DType); err != nil {
			return value{}, err
		}
		nodes[i] = b.Cast(n, dtype.Float64)
	}
	if len(xp.Shape) != 1 || len(fp.Shape) != 1 || xp.Shape[0] != fp.Shape[0] || xp.Shape[0] == 0 {
		return value{}, fmt.Errorf("interp between points of shapes %s: expected one axis of the same length, and one point at least", graph.FormatShapes(nodes[1:]))
	}

	if c.arg("period") != nil {
		if period == 0 {
			return value{}, c.arg("period").At.Errorf("a period of 0")
		}
		if nodes, err1 = b.periodic(c, nodes); err1 != nil {
			return value{}, err1
		}
		return valueOf(b.interpolated(nodes)), nil
	}
	return b.beyond(c, b.interpolated(nodes), nodes)
}

// interpolated returns values at the first node of lines between the points of the others.
func (b *binder) interpolated(nodes []*graph.Node) *graph.Node {
	return b.BulkNode(graph.Node{Args: nodes, DType: dtype.Float64, Shape: nodes[0].Shape, Bulk: pass.WholeArrays{Work: &order.Interpolating{}}})
}

// periodic returns the operands of interp within one period, with a point more on either side.
func (b *binder) periodic(c *call, nodes []*graph.Node) ([]*graph.Node, error) {
	with := given{"x": valueOf(nodes[0]), "xp": valueOf(nodes[1]), "fp": valueOf(nodes[2])}
	made := make([]*graph.Node, 3)
	for i, text := range []string{
		"x % abs(period)",
		"concatenate([sort(xp % abs(period))[-1:] - abs(period), sort(xp % abs(period)), sort(xp % abs(period))[:1] + abs(period)])",
		"concatenate([fp[argsort(xp % abs(period))][-1:], fp[argsort(xp % abs(period))], fp[argsort(xp % abs(period))][:1]])",
	} {
		v, err := b.write(c, text, with)
		if err != nil {
			return nil, err
		}
		made[i] = v.node
	}
	return made, nil
}

// beyond puts the arguments left and right where x is beyond all points.
func (b *binder) beyond(c *call, made *graph.Node, nodes []*graph.Node) (value, error) {
	v := valueOf(made)
	for _, side := range []struct{ name, text string }{{"left", "where(x < xp[0], left, made)"}, {"right", "where(x > xp[-1], right, made)"}} {
		if c.arg(side.name) == nil {
			continue
		}
		if _, err := c.float(side.name, 0); err != nil {
			return value{}, err
		}
		var err error
		if v, err = b.write(c, side.text, given{"x": valueOf(nodes[0]), "xp": valueOf(nodes[1]), "made": v}); err != nil {
			return value{}, err
		}
	}
	return v, nil
}
