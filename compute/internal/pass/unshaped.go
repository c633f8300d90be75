package pass

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/view"
)

// unshaped returns n without its last steps that give the elements another shape in the same order.
// If elements are only stored one after the other, what comes before these steps need not be kept
// as a whole.
func unshaped(n *graph.Node) *graph.Node {
	for n.Kind == graph.NodeView && !n.Args[0].IsKept() && n.Layout.IsContiguous() && n.Layout.NumElems() == graph.NumElems(n.Args[0].Shape) {
		n = n.Args[0]
	}
	return n
}

// takes reports whether elements of another shape can be stored where those of a statement go, in
// the same order.
func takes(st *graph.Statement, shape []int) bool {
	l := graph.Whole(st.Value.Shape)
	if st.Out != nil {
		l = st.Out.Layout()
	}
	_, err := l.Reshape(shape...)
	return err == nil
}

// inShape returns a view of t in another shape, or t itself if that is its own.
func inShape(t *view.Tensor, shape []int) (*view.Tensor, error) {
	if slices.Equal(t.Shape(), shape) {
		return t, nil
	}
	return t.Reshape(shape...)
}
