package compute

import "github.com/tstore/tstore/compute/internal/term"

// Nearest is the indexes, as int64, of the k rows of base that are nearest to each row of queries,
// by the metric "l2", "dot" or "cosine". [NearestDistances] are their distances.
func Nearest(queries, base Expr, k int, metric string) Expr {
	return Call("knn", queries, base, Scalar(k), Expr{&term.Term{Kind: term.Text, Name: metric}})
}

// NearestDistances is the distances, as float64, of what [Nearest] finds; by "dot" the products.
func NearestDistances(queries, base Expr, k int, metric string) Expr {
	return Call("knn_distances", queries, base, Scalar(k), Expr{&term.Term{Kind: term.Text, Name: metric}})
}
