package graph

// Rows returns the rows of each matrix in the last two axes.
func (n *Node) Rows() int { return n.Shape[len(n.Shape)-2] }

// Columns returns the columns of each matrix in the last two axes.
func (n *Node) Columns() int { return n.Shape[len(n.Shape)-1] }

// Batch returns the axes before those of matrices.
func (n *Node) Batch() []int { return n.Shape[: len(n.Shape)-2 : len(n.Shape)-2] }
