package compute

// isKept reports whether the elements of n are computed in a pass of its own and kept.
func (n *node) isKept() bool {
	switch n.kind {
	case nodeReduce, nodeScan, nodeHistogram, nodeBincount, nodeBulk, nodeMatmul:
		return true
	}
	return false
}
