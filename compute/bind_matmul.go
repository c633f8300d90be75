package compute

import (
	"fmt"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func bindMatmul(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}
	if len(x.shape) == 0 || len(y.shape) == 0 {
		return value{}, fmt.Errorf("%s of shapes %s: expected at least one axis each; multiply by numbers with *", c.name(), formatShapes([]*node{x, y}))
	}
	row, column := len(x.shape) == 1, len(y.shape) == 1
	if row {
		x, err = b.view(x, view.Chain{view.IndexStep(view.Index{view.NewAxis(), view.All()})})
	}
	if column && err == nil {
		y, err = b.view(y, view.Chain{view.IndexStep(view.Index{view.All(), view.NewAxis()})})
	}
	if err != nil {
		return value{}, err
	}
	n, err := b.product(c.name(), x, y, t)
	if err == nil && row {
		n, err = b.dropped(n, len(n.shape)-2)
	}
	if err == nil && column {
		n, err = b.dropped(n, len(n.shape)-1)
	}
	return value{node: n}, err
}

// factors returns the two operands of a product, and the type of it.
func (b *binder) factors(c *call) (x, y *node, t dtype.Type, err error) {
	v, err := c.values()
	if err != nil {
		return nil, nil, dtype.Invalid, err
	}
	if x, err = b.typed(v[0]); err != nil {
		return nil, nil, dtype.Invalid, err
	}
	if y, err = b.typed(v[1]); err != nil {
		return nil, nil, dtype.Invalid, err
	}
	return x, y, meetingType(value{node: x}, value{node: y}), nil
}
