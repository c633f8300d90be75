package compute

// Sort is e sorted along an axis, counted from the last one if it is negative.
func Sort(e Expr, axis int) Expr { return Call("sort", e, Scalar(axis)) }

// ArgSort is the indexes, as int64, that sort e along an axis. Those of equal elements ascend.
func ArgSort(e Expr, axis int) Expr { return Call("argsort", e, Scalar(axis)) }

// TopK is the k largest elements of e along an axis, the largest first; or, if smallest is set, the
// k smallest.
func TopK(e Expr, k, axis int, smallest bool) Expr {
	return Call("topk", e, Scalar(k), Scalar(axis), Scalar(!smallest))
}

// ArgTopK is the indexes, as int64, of what [TopK] returns; of equal elements the first.
func ArgTopK(e Expr, k, axis int, smallest bool) Expr {
	return Call("argtopk", e, Scalar(k), Scalar(axis), Scalar(!smallest))
}
