package bind

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/compute/internal/window"
)

const moveParams = "a, window, axis=-1"

// movingFunctions have the names of Bottleneck's. A result belongs to the last element of its
// window; where the window is not complete it is NaN.
var movingFunctions = []function{
	{name: "move_sum", params: moveParams, bind: bindMove(window.Sum), doc: "sum of each element and those before it, window of them in all"},
	{name: "move_mean", params: moveParams, bind: bindMove(window.Mean), doc: "mean of the window"},
	{name: "move_var", params: moveParams, bind: bindMove(window.Var), doc: "variance of the window, over its number of elements"},
	{name: "move_std", params: moveParams, bind: bindMove(window.Std), doc: "square root of move_var"},
	{name: "move_min", params: moveParams, bind: bindMove(window.Min), doc: "smallest element of the window"},
	{name: "move_max", params: moveParams, bind: bindMove(window.Max), doc: "largest element of the window"},
	{name: "move_median", params: moveParams, bind: bindMove(window.Median), doc: "median of the window"},
}

func bindMove(op window.Op) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		if err := (takesBool | takesReal).check(c.name(), x.DType); err != nil {
			return value{}, err
		}

		axis, ok, err := c.axis("axis", len(x.Shape))
		if err != nil {
			return value{}, err
		}
		if !ok {
			if axis, err = normalAxis(-1, len(x.Shape)); err != nil {
				return value{}, fmt.Errorf("%s: %w", c.name(), err)
			}
		}

		width, err := c.int("window", 0)
		if err != nil {
			return value{}, err
		}
		if width < 1 || width > x.Shape[axis] {
			return value{}, c.arg("window").At.Errorf("window of %d elements: expected 1 to %d, the size of axis %d", width, x.Shape[axis], axis)
		}

		t := inexactType(value{node: x})
		k := &window.Moving{Name: c.name(), Op: op, Width: width, Axis: axis}
		return value{node: b.BulkNode(graph.Node{Args: []*graph.Node{x}, DType: t, Shape: x.Shape, Bulk: pass.WholeArrays{Work: k}})}, nil
	}
}
