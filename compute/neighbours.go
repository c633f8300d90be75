package compute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/knn"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

const knnParams = "queries, base, k, metric=\"l2\""

// neighbourFunctions compare each query, a row, with all rows of base.
var neighbourFunctions = []function{
	{name: "knn", params: knnParams, bind: bindNeighbours(false), doc: "indexes of the k rows of base that are nearest to each query, by \"l2\", \"dot\" or \"cosine\"; of equal ones the first"},
	{name: "knn_distances", params: knnParams, bind: bindNeighbours(true), doc: "their distances, or, by \"dot\", products, as float64"},
}

var metricNames = []string{knn.L2: "l2", knn.Dot: "dot", knn.Cosine: "cosine"}

func bindNeighbours(distances bool) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		q, err1 := c.operand("queries")
		base, err2 := c.operand("base")
		k, err3 := c.int("k", 0)
		if err := errors.Join(err1, err2, err3); err != nil {
			return value{}, err
		}
		if len(q.shape) != 2 || len(base.shape) != 2 || q.shape[1] != base.shape[1] {
			return value{}, fmt.Errorf("%s of queries of shape %s among rows of shape %s: expected two axes each, the second of one size", c.name(), formatShape(q.shape), formatShape(base.shape))
		}
		if k < 0 || k > base.shape[0] {
			return value{}, c.arg("k").at.errorf("k of %d: expected 0 to %d, as many rows as there are", k, base.shape[0])
		}
		work := &neighbours{k: k, distances: distances}
		if t := c.arg("metric"); t != nil {
			name, _ := c.text("metric")
			i := slices.Index(metricNames, name)
			if i < 0 {
				return value{}, t.at.errorf("metric is \"l2\", \"dot\" or \"cosine\"")
			}
			work.metric = knn.Metric(i)
		}
		t := dtype.Float64
		if meets := meetingType(value{node: q}, value{node: base}); meets.Kind() == dtype.KindComplex {
			return value{}, fmt.Errorf("%s takes real numbers, found %s", c.name(), meets)
		} else if registerType(meets) == dtype.Float32 {
			t = dtype.Float32
		}
		n := node{args: []*node{b.cast(q, t), b.cast(base, t)}, dtype: dtype.Int64, shape: []int{q.shape[0], k}, bulk: work}
		if distances {
			n.dtype = dtype.Float64
		}
		return value{node: b.bulkNode(n)}, nil
	}
}

// neighbours are the nearest rows of args[1] for each row of args[0].
type neighbours struct {
	metric    knn.Metric
	k         int
	distances bool
}

// String implements bulk.
func (k *neighbours) String() string {
	what := "indexes"
	if k.distances {
		what = "distances"
	}
	return fmt.Sprintf("%s of the %d nearest by %s", what, k.k, metricNames[k.metric])
}

// Queries are compared panel by panel, with so many rows at a time, or with fewer where comparing them would take more
// products of numbers than panelWork: a worker that is cancelled ends behind them.
const (
	queryPanel = 1024
	rowPanel   = 1024
	panelWork  = 1 << 26
)

// rowsAtOnce returns the number of rows that queries of a dimension are compared with at a time.
func rowsAtOnce(queries, dim int) int { return min(rowPanel, max(4, panelWork/queries/dim)) }

// memory implements bulk.
func (k *neighbours) memory(n *node, o *Options) int64 {
	q, size := min(queryPanel, n.args[0].shape[0]), n.args[0].dtype.Size()
	return int64(q*n.args[0].shape[1]*size) + int64(o.Parallelism)*int64(q*(rowPanel*size+16*k.k)+rowPanel*n.args[0].shape[1]*size)
}

// run implements bulk.
func (k *neighbours) run(w *bulkWork) error {
	if w.args[0].DType() == dtype.Float32 {
		return findNeighbours[float32](k, w)
	}
	return findNeighbours[float64](k, w)
}

func findNeighbours[T float32 | float64](k *neighbours, w *bulkWork) (err error) {
	count, dim, rows := w.args[0].Shape()[0], w.args[0].Shape()[1], w.args[1].Shape()[0]
	if count*k.k == 0 {
		return nil
	}
	if dim == 0 {
		return errors.New("vectors of no numbers")
	}
	x, err := pieces.Open(w.args[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	queries, size := w.args[0].Reader(), dtype.Of[T]().Size()
	for first := 0; first < count; first += queryPanel {
		n := min(queryPanel, count-first)
		panel := make([]T, n*dim)
		if _, err := queries.ReadAt(pieces.Bytes(panel), int64(first*dim*size)); err != nil {
			return err
		}
		high := rowsAtOnce(n, dim)
		var found []*knn.Search[T]
		extent := func(chunk int) (at, n int) { return chunk * high * dim, min(high, rows-chunk*high) * dim }
		w.begin(w.pass)
		err := w.each(chunkedBy{(rows + high - 1) / high, func() func(int) error {
			s := knn.NewSearch(k.metric, panel, dim, k.k)
			found = append(found, s)
			buf := x.Buffer(high * dim)
			return func(chunk int) error {
				b, err := x.Fetch(buf, chunk*high*dim, min(high, rows-chunk*high)*dim)
				if err != nil {
					return err
				}
				return s.Add(pieces.As[T](b), chunk*high)
			}
		}}, extent, x)
		if err != nil {
			return err
		}
		for _, other := range found[1:] {
			found[0].Merge(other)
		}
		if err := k.store(w, found[0].Nearest, first, n); err != nil {
			return err
		}
	}
	return nil
}

// store writes the results of n queries from number first on.
func (k *neighbours) store(w *bulkWork, nearest func(q int, indexes []int64, values []float64), first, n int) error {
	indexes, values := make([]int64, n*k.k), make([]float64, n*k.k)
	for q := range n {
		nearest(q, indexes[q*k.k:(q+1)*k.k], values[q*k.k:(q+1)*k.k])
	}
	made := pieces.Bytes(indexes)
	if k.distances {
		made = pieces.Bytes(values)
	}
	_, err := w.dst.Writer().WriteAt(made, int64(8*first*k.k))
	return err
}

// Nearest is the indexes, as int64, of the k rows of base that are nearest to each row of queries, by the metric "l2", "dot" or
// "cosine". [NearestDistances] are their distances.
func Nearest(queries, base Expr, k int, metric string) Expr {
	return Call("knn", queries, base, Scalar(k), Expr{&term{kind: termText, name: metric}})
}

// NearestDistances is the distances, as float64, of what [Nearest] finds; by "dot" the products.
func NearestDistances(queries, base Expr, k int, metric string) Expr {
	return Call("knn_distances", queries, base, Scalar(k), Expr{&term{kind: termText, name: metric}})
}
