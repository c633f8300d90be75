package bind

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func bindMatmul(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}
	if len(x.Shape) == 0 || len(y.Shape) == 0 {
		return value{}, fmt.Errorf("%s of shapes %s: expected at least one axis each; multiply by numbers with *", c.name(), graph.FormatShapes([]*graph.Node{x, y}))
	}

	// As in NumPy, a vector on the left is a row and one on the right a column. The axis that this
	// adds is dropped from the result.
	row, column := len(x.Shape) == 1, len(y.Shape) == 1
	if row {
		x, err = b.View(x, view.Chain{view.IndexStep(view.Index{view.NewAxis(), view.All()})})
	}
	if column && err == nil {
		y, err = b.View(y, view.Chain{view.IndexStep(view.Index{view.All(), view.NewAxis()})})
	}
	if err != nil {
		return value{}, err
	}

	n, err := b.Product(c.name(), x, y, t)
	if err == nil && row {
		n, err = b.Dropped(n, len(n.Shape)-2)
	}
	if err == nil && column {
		n, err = b.Dropped(n, len(n.Shape)-1)
	}
	return value{node: n}, err
}

// factors returns the two operands of a product, and the type of it.
func (b *binder) factors(c *call) (x, y *graph.Node, t dtype.Type, err error) {
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
