package bind

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// An einsum is a call of einsum.
type einsum struct {
	*binder
	spec  einsumSpec
	sizes map[label]int
	terms []labelled
	order einsumOrder
	wide  dtype.Type // that is computed in
}

// A labelled is a node whose axes have labels, each another one.
type labelled struct {
	*graph.Node
	labels []label
}

func bindEinsum(b *binder, c *call) (value, error) {
	text, ok := c.text("subscripts")
	if !ok {
		return value{}, fmt.Errorf("einsum: expected subscripts in quotes, such as 'ij,jk->ik'")
	}

	e := einsum{binder: b, sizes: map[label]int{}}
	var values []value
	var ranks []int
	for _, p := range c.t.Fn.Params[1:] {
		v, given, err := c.value(p.Name)
		if err != nil {
			return value{}, err
		}
		if !given {
			continue
		}
		n, err := b.typed(v)
		if err != nil {
			return value{}, err
		}
		values, ranks = append(values, value{node: n}), append(ranks, len(n.Shape))
	}

	var err error
	if e.spec, err = parseEinsum(text, ranks); err != nil {
		return value{}, c.arg("subscripts").At.Wrap(err)
	}

	t := meetingType(values...)
	e.wide = graph.RegisterType(t)
	for i, v := range values {
		if err := e.operand(v.node, e.spec.operands[i]); err != nil {
			return value{}, err
		}
	}

	n, err := e.contract()
	if err != nil {
		return value{}, err
	}
	return value{node: b.Cast(n, t)}, nil
}

// operand adds an operand. Axes that share a label are replaced by their diagonal.
func (e *einsum) operand(n *graph.Node, labels []label) error {
	for i := 0; i < len(labels); i++ {
		j := slices.Index(labels[i+1:], labels[i])
		if j < 0 {
			continue
		}

		j += i + 1
		if n.Shape[i] != n.Shape[j] {
			return fmt.Errorf("einsum: axes %d and %d of shape %s are one: expected as many elements, found %d and %d", i, j, syntax.FormatShape(n.Shape), n.Shape[i], n.Shape[j])
		}
		chain, err := view.ParseMethods(fmt.Sprintf(".diagonal(0, %d, %d)", i, j))
		if err != nil {
			return err
		}
		if n, err = e.View(n, chain); err != nil {
			return err
		}

		// The view drops axes i and j and puts their diagonal last. The labels follow, so that
		// position i holds the next label.
		l := labels[i]
		labels = append(slices.Delete(slices.Delete(slices.Clone(labels), j, j+1), i, i+1), l)
		i--
	}

	// Axes of one label have one size, or size 1, which broadcasts.
	for axis, l := range labels {
		size, known := e.sizes[l]
		switch {
		case !known || size == 1:
			e.sizes[l] = n.Shape[axis]
		case n.Shape[axis] != size && n.Shape[axis] != 1:
			return fmt.Errorf("einsum: axis %d of operand %d, of shape %s, has %d elements: expected %d, as the axis %s has before",
				axis, len(e.terms)+1, syntax.FormatShape(n.Shape), n.Shape[axis], size, l)
		}
	}

	e.terms = append(e.terms, labelled{n, labels})
	return nil
}

// contract evaluates the whole expression and puts the axes in the order of the output.
func (e *einsum) contract() (*graph.Node, error) {
	e.order = einsumOrder{output: e.spec.output, sizes: e.sizes}
	for i := range e.terms {
		if err := e.unstretch(&e.terms[i]); err != nil {
			return nil, err
		}
		e.order.operands = append(e.order.operands, e.terms[i].labels)
	}

	// Bit i of a set stands for operand i.
	all := uint(1)<<len(e.terms) - 1
	made, err := e.set(all)
	if err != nil {
		return nil, err
	}

	axes := make([]int, len(e.spec.output))
	for i, l := range e.spec.output {
		axes[i] = slices.Index(made.labels, l)
	}
	return e.Permuted(made.Node, axes)
}

// unstretch takes axes of one element away that belong to longer ones of other operands.
func (e *einsum) unstretch(t *labelled) error {
	for axis := len(t.labels) - 1; axis >= 0; axis-- {
		if t.Shape[axis] == 1 && e.sizes[t.labels[axis]] != 1 {
			n, err := e.Dropped(t.Node, axis)
			if err != nil {
				return err
			}
			*t = labelled{n, slices.Delete(slices.Clone(t.labels), axis, axis+1)}
		}
	}
	return nil
}

// set returns the contraction of a set of operands, in the cheapest order of pairs.
func (e *einsum) set(set uint) (labelled, error) {
	kept := e.order.labels(set)
	if set&(set-1) == 0 {
		for i := range e.terms {
			if set>>i&1 != 0 {
				return e.summed(e.terms[i], kept), nil
			}
		}
	}

	left := e.order.split(set).left
	x, err := e.set(left)
	if err != nil {
		return labelled{}, err
	}
	y, err := e.set(set &^ left)
	if err != nil {
		return labelled{}, err
	}

	return e.pair(x, y, kept)
}

// summed adds up t over the axes that are not kept.
func (e *einsum) summed(t labelled, kept []label) labelled {
	var axes []int
	var labels []label
	for axis, l := range t.labels {
		if slices.Contains(kept, l) {
			labels = append(labels, l)
		} else {
			axes = append(axes, axis)
		}
	}

	n := e.Cast(t.Node, e.wide)
	if len(axes) == 0 {
		return labelled{n, labels}
	}

	// In the arithmetic of bools a sum is an or.
	op := reduce.Any
	if e.wide != dtype.Bool {
		op, n = reduce.Sum, e.Cast(n, dtype.ResultForSum(e.wide))
	}
	return labelled{e.Cast(e.Reduction(n, nil, graph.Reduction{Op: op, Axes: axes}), e.wide), labels}
}

// pair contracts two operands. It uses matrix products if both have axes of their own and some axis
// is summed. Otherwise it multiplies elements.
func (e *einsum) pair(x, y labelled, kept []label) (labelled, error) {
	// Sort the labels: both are batch axes, inner ones are summed, the others belong to one
	// operand.
	var both, inner, ownX, ownY []label
	for _, l := range x.labels {
		switch shared := slices.Contains(y.labels, l); {
		case shared && slices.Contains(kept, l):
			both = append(both, l)
		case shared:
			inner = append(inner, l)
		default:
			ownX = append(ownX, l)
		}
	}
	for _, l := range y.labels {
		if !slices.Contains(x.labels, l) {
			ownY = append(ownY, l)
		}
	}

	if len(inner) == 0 || len(ownX) == 0 || len(ownY) == 0 {
		return e.elements(x, y, slices.Concat(both, ownX, ownY, inner), kept)
	}

	// Left is (both, ownX, inner) and right (both, inner, ownY), as a batched matrix product takes
	// them.
	left, err := e.matrices(x, both, ownX, inner)
	if err != nil {
		return labelled{}, err
	}
	right, err := e.matrices(y, both, inner, ownY)
	if err != nil {
		return labelled{}, err
	}
	n, err := e.Product("einsum", left, right, e.wide)
	if err != nil {
		return labelled{}, err
	}

	labels := slices.Concat(both, ownX, ownY)
	n, err = e.Reshaped(n, e.shape(labels))
	return labelled{n, labels}, err
}

// shape returns the sizes of axes.
func (e *einsum) shape(labels []label) []int {
	shape := make([]int, len(labels))
	for i, l := range labels {
		shape[i] = e.sizes[l]
	}
	return shape
}

// matrices returns t as matrices, for each element of the axes of batch one.
func (e *einsum) matrices(t labelled, batch, rows, columns []label) (*graph.Node, error) {
	n, err := e.aligned(t, slices.Concat(batch, rows, columns))
	if err != nil {
		return nil, err
	}
	return e.Reshaped(n, append(e.shape(batch), graph.NumElems(e.shape(rows)), graph.NumElems(e.shape(columns))))
}

// aligned returns t with its axes in the order of labels. Labels that t lacks become axes of one
// element.
func (e *einsum) aligned(t labelled, labels []label) (*graph.Node, error) {
	var axes []int
	ix := view.Index{}
	for _, l := range labels {
		if axis := slices.Index(t.labels, l); axis >= 0 {
			axes, ix = append(axes, axis), append(ix, view.All())
		} else {
			ix = append(ix, view.NewAxis())
		}
	}
	n, err := e.Permuted(t.Node, axes)
	if err != nil || len(axes) == len(labels) {
		return n, err
	}
	return e.View(n, view.Chain{view.IndexStep(ix)})
}

// elements multiplies element by element, with the axes of labels, and adds up over those that are
// not kept.
func (e *einsum) elements(x, y labelled, labels, kept []label) (labelled, error) {
	left, err := e.aligned(x, labels)
	if err != nil {
		return labelled{}, err
	}
	right, err := e.aligned(y, labels)
	if err != nil {
		return labelled{}, err
	}
	n, err := e.Apply("einsum", multiplication(e.wide), left, right)
	if err != nil {
		return labelled{}, err
	}
	return e.summed(labelled{n, labels}, kept), nil
}
