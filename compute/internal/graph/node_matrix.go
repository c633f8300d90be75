package graph

func (n *Node) Rows() int { return n.Shape[len(n.Shape)-2] }

func (n *Node) Columns() int { return n.Shape[len(n.Shape)-1] }

// Batch returns the axes before those of matrices.
func (n *Node) Batch() []int { return n.Shape[: len(n.Shape)-2 : len(n.Shape)-2] }
