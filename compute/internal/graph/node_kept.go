package graph

// IsKept reports whether the elements of n are computed in a pass of its own and kept.
func (n *Node) IsKept() bool {
	switch n.Kind {
	case NodeReduce, NodeScan, NodeHistogram, NodeBincount, NodeBulk, NodeMatmul:
		return true
	}
	return false
}
