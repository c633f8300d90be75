package bind

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/view"
)

// KeptDims returns the axis names that remain of those of an array after a chain of views. axes is
// what view.Chain.Axes returns for the chain. An axis that is a part of one axis keeps its name.
// All others have no name, which is "". If an axis was cut in two, its name could belong to either
// part, and all names are dropped.
func KeptDims(dims []string, axes []int) []string {
	kept := make([]string, len(axes))
	seen := make([]bool, len(dims))
	for i, axis := range axes {
		if axis < 0 {
			continue
		}
		if seen[axis] {
			return nil
		}
		seen[axis] = true
		kept[i] = dims[axis]
	}
	return kept
}

// named returns dims, or nil if no axis has a name.
func named(dims []string) []string {
	if slices.ContainsFunc(dims, func(name string) bool { return name != "" }) {
		return dims
	}
	return nil
}

// A dimsBinder finds the names of the axes of terms that have been bound.
type dimsBinder struct{ *binder }

// conflict is the name of an axis that operands name differently. No user's name is like it.
const conflict = "\x00"

// dims returns the names of the axes of a bound term, "" for an axis without a name. It returns nil
// if no axis has one.
func (b *binder) dims(t *term.Term) []string {
	if !b.dimmed {
		return nil
	}
	return b.axisNames(t)
}

// axisNames is dims whether or not it is known that an axis may have a name.
func (b *binder) axisNames(t *term.Term) []string {
	if b.known == nil {
		b.known = map[termKey][]string{}
	}
	d := dimsBinder{b}
	dims := slices.Clone(d.of(t))
	for i, name := range dims {
		if name == conflict {
			dims[i] = ""
		}
	}
	return named(dims)
}

// hasDims reports whether an axis of what a name stands for has one.
func (b *binder) hasDims(name string) bool {
	return b.names.Dims != nil && len(b.names.Dims(name)) > 0
}

// of is dims with conflicts told apart. What is wrong with a term has been found when it was bound.
func (d *dimsBinder) of(t *term.Term) []string {
	if t == nil {
		return nil
	}
	key := d.key(t)
	if dims, ok := d.known[key]; ok {
		return dims
	}
	var dims []string
	if shape := d.shapeOf(t); len(shape) > 0 {
		if dims = d.find(t, shape); len(dims) != len(shape) {
			dims = nil
		}
	}
	d.known[key] = dims
	return dims
}

// shapeOf returns the shape of a term that stands for an array, else nil.
func (d *dimsBinder) shapeOf(t *term.Term) []int {
	if v := d.memo[d.key(t)]; v.node != nil {
		return v.node.Shape
	}
	return nil
}

func (d *dimsBinder) find(t *term.Term, shape []int) []string {
	switch t.Kind {
	case term.Name:
		if m := d.scope[t.Name]; m != nil {
			return m.dims
		}
		if d.names.Dims == nil {
			return nil
		}
		return d.names.Dims(t.Name)
	case term.View:
		return d.shown(t.Args[0], t.Step)
	case term.Index:
		return d.indexed(t)
	case term.Call:
		return d.called(t, shape)
	}
	return nil
}

// shown returns the names of what a chain shows of a term.
func (d *dimsBinder) shown(t *term.Term, chain view.Chain) []string {
	v, dims := d.memo[d.key(t)], d.of(t)
	if dims == nil {
		return nil
	}
	axes, ok := chain.Axes(v.node.Shape, v.node.DType)
	if !ok {
		return nil
	}
	return KeptDims(dims, axes)
}

// indexed returns the names of the axes that an index leaves. A single list of numbers, or a mask
// of one axis, picks parts of an axis as a slice does. Several of them mix axes, and the names are
// lost.
func (d *dimsBinder) indexed(t *term.Term) []string {
	if d.of(t.Args[0]) == nil {
		return nil
	}

	// Replace the one list by a full slice: it keeps the axis in its place, as the list does.
	var ix view.Index
	lists := 0
	for i := range t.Items {
		it := &t.Items[i]
		switch rank := len(d.shapeOf(it.Array)); {
		case it.Array != nil && rank > 0:
			if lists++; rank > 1 || lists > 1 {
				return nil
			}
			ix = append(ix, view.All())

		default:
			item, array, err := d.indexItem(it)
			basic, ok := view.Fancy{item}.Index()
			if err != nil || array != nil || !ok {
				return nil
			}
			ix = append(ix, basic...)
		}
	}

	return d.shown(t.Args[0], view.Chain{view.IndexStep(ix)})
}

// called returns the names of what a function makes.
func (d *dimsBinder) called(t *term.Term, shape []int) []string {
	t, err := d.numbered(t)
	if err != nil {
		return nil
	}
	if t.Fn.Name == "matmul" {
		return d.multiplied(t.Args[0], t.Args[1], shape)
	}
	switch rowOf(t.Fn).topic {
	case topicReductions, topicRanks:
		return d.reduced(t)
	case topicMatrices, topicLinalg:
		return nil
	case topicJoining:
		return d.joined(t, shape)
	case topicPlaces, topicSlopes:
		return d.of(t.Args[0]) // of another shape they are dropped
	case topicRunning, topicNew:
		if t.Fn.Param("a") == 0 && (t.Fn.Param("axis") > 0 || t.Fn.Param("dtype") > 0) {
			return d.of(t.Args[0])
		}
		return nil
	}
	return d.aligned(t.Args, shape)
}

// reduced returns the names of the axes that a reduction leaves.
func (d *dimsBinder) reduced(t *term.Term) []string {
	dims := d.of(t.Args[0])
	if dims == nil {
		return nil
	}

	c := &call{b: d.binder, t: t}
	axes, err1 := c.axes("axis", len(dims))
	keep, err2 := c.flag("keepdims", false)
	if err1 != nil || err2 != nil {
		return nil
	}

	if keep {
		return dims
	}

	var left []string
	for axis, name := range dims {
		if !slices.Contains(axes, axis) {
			left = append(left, name)
		}
	}
	return left
}

// multiplied returns the axis names of a matrix product: the rows of x, the columns of y, and
// before them the batch axes. A batch axis takes its name from the operand that has it at full
// size.
func (d *dimsBinder) multiplied(x, y *term.Term, shape []int) []string {
	dims := make([]string, len(shape))

	at := len(shape)
	if len(d.shapeOf(y)) > 1 {
		at--
		if names := d.of(y); names != nil {
			dims[at] = names[len(names)-1]
		}
	}

	if len(d.shapeOf(x)) > 1 {
		at--
		if names := d.of(x); names != nil {
			dims[at] = names[len(names)-2]
		}
	}

	// x comes last, so its names win where both operands name a batch axis.
	for _, t := range []*term.Term{y, x} {
		from, names := d.shapeOf(t), d.of(t)
		for i := range max(len(from)-2, 0) {
			if axis := at - (len(from) - 2) + i; names != nil && names[i] != "" && from[i] == shape[axis] {
				dims[axis] = names[i]
			}
		}
	}
	return named(dims)
}

// joined returns the names of arrays put together: of axes that all of them name alike. An axis that
// stack adds has none. What is padded keeps its names.
func (d *dimsBinder) joined(t *term.Term, shape []int) []string {
	if t.Fn.Name == "pad" {
		return d.of(t.Args[0])
	}
	var dims []string
	for i, part := range t.Args[0].Args {
		names := slices.Clone(d.of(part))
		if t.Fn.Name == "stack" && names != nil {
			axis, _, err := (&call{b: d.binder, t: t}).axis("axis", len(shape))
			if err != nil {
				return nil
			}
			names = slices.Insert(names, axis, "")
		}
		if len(names) != len(shape) {
			return nil
		}
		for k, name := range names {
			if i > 0 && name != dims[k] {
				names[k] = ""
			}
		}
		dims = names
	}
	return named(dims)
}

// aligned returns the axis names of an element-wise result. Each operand names the axes that
// broadcasting aligns with its own. Two different names for one axis make a conflict.
func (d *dimsBinder) aligned(args []*term.Term, shape []int) []string {
	var dims []string
	for _, arg := range args {
		from := d.shapeOf(arg)
		for i, name := range d.of(arg) {
			if dims == nil {
				dims = make([]string, len(shape))
			}

			axis := len(shape) - len(from) + i
			switch {
			case axis < 0 || name == "" || from[i] != shape[axis]:
			case dims[axis] == "" || dims[axis] == name:
				dims[axis] = name
			default:
				dims[axis] = conflict
			}
		}
	}
	return named(dims)
}
