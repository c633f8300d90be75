package compute

func (n *node) rows() int { return n.shape[len(n.shape)-2] }

func (n *node) columns() int { return n.shape[len(n.shape)-1] }

// batch returns the axes before those of matrices.
func (n *node) batch() []int { return n.shape[: len(n.shape)-2 : len(n.shape)-2] }
