package compute

import (
	"slices"

	"github.com/tstore/tstore/view"
)

// unshaped returns what n is without last steps that give the elements another shape in the same order: what comes before
// need not be kept as a whole where elements are only stored one after the other.
func unshaped(n *node) *node {
	for n.kind == nodeView && !n.args[0].isKept() && n.layout.IsContiguous() && n.layout.NumElems() == numElems(n.args[0].shape) {
		n = n.args[0]
	}
	return n
}

// takes reports whether elements of another shape can be stored where those of a statement go, in the same order.
func takes(st *boundStatement, shape []int) bool {
	l := whole(st.value.shape)
	if st.out != nil {
		l = st.out.Layout()
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
