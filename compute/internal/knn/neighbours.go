package knn

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

// MetricNames are the names of the metrics.
var MetricNames = []string{L2: "l2", Dot: "dot", Cosine: "cosine"}

// Neighbours are the nearest rows of the second operand for each row of the first one. Both are
// float32 or both float64. It is bulk.Work.
type Neighbours struct {
	Metric    Metric
	K         int  // how many are wanted
	Distances bool // their distances, as float64, instead of their indexes, as int64
}

// String implements bulk.Work.
func (k *Neighbours) String() string {
	what := "indexes"
	if k.Distances {
		what = "distances"
	}
	return fmt.Sprintf("%s of the %d nearest by %s", what, k.K, MetricNames[k.Metric])
}

// Queries are compared panel by panel, with so many rows at a time, or with fewer where comparing
// them would take more products of numbers than panelWork: a worker that is cancelled ends behind
// them.
const (
	queryPanel = 1024
	rowPanel   = 1024
	panelWork  = 1 << 26
)

// rowsAtOnce returns the number of rows that queries of a dimension are compared with at a time.
func rowsAtOnce(queries, dim int) int { return min(rowPanel, max(4, panelWork/queries/dim)) }

// Memory implements bulk.Work.
func (k *Neighbours) Memory(args []bulk.Array, room bulk.Room) int64 {
	q, dim, size := min(queryPanel, args[0].Shape[0]), args[0].Shape[1], args[0].DType.Size()
	return int64(q*dim*size) + int64(room.Workers)*int64(q*(rowPanel*size+16*k.K)+rowPanel*dim*size)
}

// Run implements bulk.Work.
func (k *Neighbours) Run(r *bulk.Run) error {
	if r.Args[0].DType() == dtype.Float32 {
		return findNeighbours[float32](k, r)
	}
	return findNeighbours[float64](k, r)
}

func findNeighbours[T float32 | float64](k *Neighbours, r *bulk.Run) (err error) {
	count, dim := r.Args[0].Shape()[0], r.Args[0].Shape()[1]
	if count*k.K == 0 {
		return nil
	}
	if dim == 0 {
		return errors.New("vectors of no numbers")
	}
	x, err := pieces.Open(r.Args[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()

	// All rows are compared with a panel of queries before the next panel.
	queries, size := r.Args[0].Reader(), dtype.Of[T]().Size()
	for first := 0; first < count; first += queryPanel {
		n := min(queryPanel, count-first)
		panel := make([]T, n*dim)
		if _, err := queries.ReadAt(pieces.Bytes(panel), int64(first*dim*size)); err != nil {
			return err
		}
		found, err := comparePanel(k, r, x, panel, dim)
		if err != nil {
			return err
		}
		if err := k.store(r, found.Nearest, first, n); err != nil {
			return err
		}
	}
	return nil
}

// comparePanel compares a panel of queries with all rows of x.
func comparePanel[T float32 | float64](k *Neighbours, r *bulk.Run, x *pieces.Operand, panel []T, dim int) (*Search[T], error) {
	rows := r.Args[1].Shape()[0]
	high := rowsAtOnce(len(panel)/dim, dim)
	extent := func(chunk int) (first, n int) { return chunk * high * dim, min(high, rows-chunk*high) * dim }
	touched := &bulk.Touched{}
	touched.Reads(x, extent)

	// Each worker has a search of its own, and they are merged: which worker has seen a row makes
	// no difference.
	var found []*Search[T]
	r.Pass.Begin()
	err := r.Pass.Exec(exec.Chunks((rows+high-1)/high, func() func(int) error {
		s := NewSearch(k.Metric, panel, dim, k.K)
		found = append(found, s)
		buf := x.Buffer(high * dim)
		return func(chunk int) error {
			first, n := extent(chunk)
			b, err := x.Fetch(buf, first, n)
			if err != nil {
				return err
			}
			return s.Add(pieces.As[T](b), chunk*high)
		}
	}), touched)
	if err != nil {
		return nil, err
	}
	for _, other := range found[1:] {
		found[0].Merge(other)
	}
	return found[0], nil
}

// store writes the results of n queries from number first on.
func (k *Neighbours) store(r *bulk.Run, nearest func(q int, indexes []int64, values []float64), first, n int) error {
	indexes, values := make([]int64, n*k.K), make([]float64, n*k.K)
	for q := range n {
		nearest(q, indexes[q*k.K:(q+1)*k.K], values[q*k.K:(q+1)*k.K])
	}
	made := pieces.Bytes(indexes)
	if k.Distances {
		made = pieces.Bytes(values)
	}
	_, err := r.Dst.Writer().WriteAt(made, int64(8*first*k.K))
	return err
}
