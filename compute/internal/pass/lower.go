package pass

import (
	"fmt"
	"sync"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A leaf is an input of a program: the elements of a tensor, of a generator, of a join, or of a node
// that an earlier pass keeps, at the positions of a layout that has been stretched to the shape of the
// pass.
type leaf struct {
	tensor *view.Tensor
	gen    graph.Generator
	kept   *graph.Node
	join   *join
	pick   *pick
	dtype  dtype.Type
	layout view.Layout
	name   string
}

// A lowering makes one program of the nodes that a pass computes.
type lowering struct {
	builder machine.Builder
	shape   []int
	leaves  []leaf
	values  map[*graph.Node]machine.Value
	kept    func(*graph.Node) bool // whether an earlier pass keeps the elements of a node
}

// lowerings keeps those that are done, for their maps.
var lowerings = sync.Pool{New: func() any { return &lowering{values: map[*graph.Node]machine.Value{}} }}

// newLowering returns a lowering, to be recycled when the program is made.
func newLowering(shape []int, kept func(*graph.Node) bool) *lowering {
	l := lowerings.Get().(*lowering)
	l.shape, l.kept = shape, kept
	return l
}

// maxValues is the number of values up to which a lowering is kept: the map of a larger one holds
// on to much.
const maxValues = 1000

// recycle empties l for the next program, unless it holds on to much.
func (l *lowering) recycle() {
	if len(l.values) > maxValues {
		return
	}
	clear(l.values)
	l.builder.Reset()
	*l = lowering{builder: l.builder, values: l.values}
	lowerings.Put(l)
}

// output makes the elements of n, converted to the type that they are stored in, an output of the
// program.
func (l *lowering) output(n *graph.Node, to dtype.Type) error {
	v, err := l.value(n)
	if err != nil {
		return err
	}
	l.builder.Output(l.builder.Convert(l.builder.Convert(v, n.DType), to))
	return nil
}

// value returns the register that holds n: of its own type, or of float32 if that has no registers.
func (l *lowering) value(n *graph.Node) (machine.Value, error) {
	if v, ok := l.values[n]; ok {
		return v, nil
	}
	v, err := l.lower(n)
	if err != nil {
		return v, err
	}
	l.values[n] = v
	return v, nil
}

func (l *lowering) lower(n *graph.Node) (machine.Value, error) {
	if l.kept(n) {
		return l.leaf(leaf{kept: n, dtype: n.DType, layout: graph.Whole(n.Shape)})
	}

	// Everything else is read, or computed of what is in registers.
	switch n.Kind {
	case graph.NodeTensor:
		return l.leaf(leaf{tensor: n.Tensor, dtype: n.DType, layout: n.Tensor.Layout(), name: n.Name})
	case graph.NodeScalar:
		return l.widen(l.builder.Const(n.Scalar)), nil
	case graph.NodeGenerator:
		return l.leaf(leaf{gen: n.Gen, dtype: n.DType, layout: n.Layout})
	case graph.NodeJoin:
		return l.join(n)
	case graph.NodePick:
		return l.pick(n)
	case graph.NodeView:
		return l.leaf(leaf{kept: n.Args[0], dtype: n.DType, layout: n.Layout})
	case graph.NodeCast:
		return l.cast(n)
	case graph.NodeMap:
		return l.apply(n)
	}
	return 0, fmt.Errorf("BUG: compute: node of kind %d inside a pass", n.Kind)
}

// leaf adds an input, or finds it among those that are there.
func (l *lowering) leaf(a leaf) (machine.Value, error) {
	var err error
	if a.layout, err = a.layout.BroadcastTo(l.shape...); err != nil {
		return 0, err
	}
	for k, b := range l.leaves {
		if a.sameElements(b) {
			return l.widen(l.builder.InputValue(k)), nil
		}
	}
	l.leaves = append(l.leaves, a)
	return l.widen(l.builder.Input(a.dtype)), nil
}

// sameElements reports whether two leaves are the same bytes in the same order.
func (a leaf) sameElements(b leaf) bool {
	if a.dtype != b.dtype || a.kept != b.kept || a.gen != b.gen || !a.layout.Equal(b.layout) {
		return false
	}
	if a.join != nil || b.join != nil || a.pick != nil || b.pick != nil {
		return false // nodes tell them apart
	}
	return a.tensor == b.tensor || a.tensor != nil && b.tensor != nil && a.tensor.Storage() == b.tensor.Storage()
}

// widen converts a value of a type without registers to float32.
func (l *lowering) widen(v machine.Value) machine.Value {
	if _, small := machine.Round(l.builder.Type(v)); small {
		return l.builder.Convert(v, dtype.Float32)
	}
	return v
}

// cast converts by way of the types that the elements have in memory, as their values are defined
// there.
func (l *lowering) cast(n *graph.Node) (machine.Value, error) {
	v, err := l.value(n.Args[0])
	if err != nil {
		return 0, err
	}
	v = l.builder.Convert(v, n.Args[0].DType)
	return l.widen(l.builder.Convert(v, n.DType)), nil
}

func (l *lowering) apply(n *graph.Node) (machine.Value, error) {
	args := make([]machine.Value, len(n.Args))
	for k, arg := range n.Args {
		v, err := l.value(arg)
		if err != nil {
			return 0, err
		}
		args[k] = v
	}

	// Stretching is done by the layouts of the leaves.
	if n.Op == kernel.Copy {
		return args[0], nil
	}
	if s, ok := spacings[n.DType]; ok && n.Op == kernel.NextAfter {
		return s.next(&l.builder, args[0], args[1]), nil
	}

	// Small floats are rounded after each operation that may need it.
	v := l.builder.Op(n.Op, args...)
	if round, small := machine.Round(n.DType); small && !keepsValues(n.Op) {
		v = l.builder.Op(round, v)
	}
	return v, nil
}

// keepsValues reports whether the results of op are values that its operands' type holds without
// rounding.
func keepsValues(op kernel.Op) bool {
	switch op {
	case kernel.Neg, kernel.Abs, kernel.Sign, kernel.Floor, kernel.Ceil, kernel.Rint, kernel.Trunc, kernel.Relu,
		kernel.Min, kernel.Max, kernel.FMin, kernel.FMax, kernel.CopySign, kernel.Where, kernel.Clip:
		return true
	}
	return false
}
