package bind

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/knn"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

const knnParams = "queries, base, k, metric=\"l2\""

// neighbourFunctions compare each query, a row, with all rows of base.
var neighbourFunctions = []function{
	{name: "knn", params: knnParams, bind: bindNeighbours(false), doc: "indexes of the k rows of base that are nearest to each query, by \"l2\", \"dot\" or \"cosine\"; of equal ones the first"},
	{name: "knn_distances", params: knnParams, bind: bindNeighbours(true), doc: "their distances, or, by \"dot\", products, as float64"},
}

func bindNeighbours(distances bool) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		q, err1 := c.operand("queries")
		base, err2 := c.operand("base")
		k, err3 := c.int("k", 0)
		if err := errors.Join(err1, err2, err3); err != nil {
			return value{}, err
		}

		if len(q.Shape) != 2 || len(base.Shape) != 2 || q.Shape[1] != base.Shape[1] {
			return value{}, fmt.Errorf("%s of queries of shape %s among rows of shape %s: expected two axes each, the second of one size", c.name(), syntax.FormatShape(q.Shape), syntax.FormatShape(base.Shape))
		}
		if k < 0 || k > base.Shape[0] {
			return value{}, c.arg("k").At.Errorf("k of %d: expected 0 to %d, as many rows as there are", k, base.Shape[0])
		}

		work := &knn.Neighbours{K: k, Distances: distances}
		if t := c.arg("metric"); t != nil {
			name, _ := c.text("metric")
			i := slices.Index(knn.MetricNames, name)
			if i < 0 {
				return value{}, t.At.Errorf("metric is \"l2\", \"dot\" or \"cosine\"")
			}
			work.Metric = knn.Metric(i)
		}

		// Distances are computed in float32 if both operands fit it, else in float64.
		t := dtype.Float64
		if meets := meetingType(value{node: q}, value{node: base}); meets.Kind() == dtype.KindComplex {
			return value{}, fmt.Errorf("%s takes real numbers, found %s", c.name(), meets)
		} else if graph.RegisterType(meets) == dtype.Float32 {
			t = dtype.Float32
		}

		n := graph.Node{Args: []*graph.Node{b.Cast(q, t), b.Cast(base, t)}, DType: dtype.Int64, Shape: []int{q.Shape[0], k}, Bulk: pass.WholeArrays{Work: work}}
		if distances {
			n.DType = dtype.Float64
		}
		return value{node: b.BulkNode(n)}, nil
	}
}
