package compute

import (
	"fmt"
	"sync"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A leaf is an input of a program: the elements of a tensor, of a generator, or of a node that an earlier pass keeps,
// at the positions of a layout that has been stretched to the shape of the pass.
type leaf struct {
	tensor *view.Tensor
	gen    generator
	kept   *node
	dtype  dtype.Type
	layout view.Layout
	name   string
}

// A lowering makes one program of the nodes that a pass computes.
type lowering struct {
	builder machine.Builder
	shape   []int
	leaves  []leaf
	values  map[*node]machine.Value
	kept    func(*node) bool // whether an earlier pass keeps the elements of a node
}

// lowerings keeps those that are done, for their maps.
var lowerings = sync.Pool{New: func() any { return &lowering{values: map[*node]machine.Value{}} }}

// newLowering returns a lowering, to be recycled when the program is made.
func newLowering(shape []int, kept func(*node) bool) *lowering {
	l := lowerings.Get().(*lowering)
	l.shape, l.kept = shape, kept
	return l
}

// recycle empties l for the next program, unless it holds on to much.
func (l *lowering) recycle() {
	if len(l.values) > maxRecycled {
		return
	}
	clear(l.values)
	l.builder.Reset()
	*l = lowering{builder: l.builder, values: l.values}
	lowerings.Put(l)
}

// output makes the elements of n, converted to the type that they are stored in, an output of the program.
func (l *lowering) output(n *node, to dtype.Type) error {
	v, err := l.value(n)
	if err != nil {
		return err
	}
	l.builder.Output(l.builder.Convert(l.builder.Convert(v, n.dtype), to))
	return nil
}

// value returns the register that holds n: of its own type, or of float32 if that has no registers.
func (l *lowering) value(n *node) (machine.Value, error) {
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

func (l *lowering) lower(n *node) (machine.Value, error) {
	if l.kept(n) {
		return l.leaf(leaf{kept: n, dtype: n.dtype, layout: whole(n.shape)})
	}
	switch n.kind {
	case nodeTensor:
		return l.leaf(leaf{tensor: n.tensor, dtype: n.dtype, layout: n.tensor.Layout(), name: n.name})
	case nodeScalar:
		return l.widen(l.builder.Const(n.scalar)), nil
	case nodeGenerator:
		return l.leaf(leaf{gen: n.gen, dtype: n.dtype, layout: n.layout})
	case nodeView:
		return l.leaf(leaf{kept: n.args[0], dtype: n.dtype, layout: n.layout})
	case nodeCast:
		return l.cast(n)
	case nodeMap:
		return l.apply(n)
	}
	return 0, fmt.Errorf("BUG: compute: node of kind %d inside a pass", n.kind)
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
	return a.tensor == b.tensor || a.tensor != nil && b.tensor != nil && a.tensor.Storage() == b.tensor.Storage()
}

// widen converts a value of a type without registers to float32.
func (l *lowering) widen(v machine.Value) machine.Value {
	if _, small := machine.Round(l.builder.Type(v)); small {
		return l.builder.Convert(v, dtype.Float32)
	}
	return v
}

// cast converts by way of the types that the elements have in memory, as their values are defined there.
func (l *lowering) cast(n *node) (machine.Value, error) {
	v, err := l.value(n.args[0])
	if err != nil {
		return 0, err
	}
	v = l.builder.Convert(v, n.args[0].dtype)
	return l.widen(l.builder.Convert(v, n.dtype)), nil
}

func (l *lowering) apply(n *node) (machine.Value, error) {
	args := make([]machine.Value, len(n.args))
	for k, arg := range n.args {
		v, err := l.value(arg)
		if err != nil {
			return 0, err
		}
		args[k] = v
	}
	if n.op == kernel.Copy {
		return args[0], nil
	}
	if s, ok := spacings[n.dtype]; ok && n.op == kernel.NextAfter {
		return s.next(&l.builder, args[0], args[1]), nil
	}
	v := l.builder.Op(n.op, args...)
	if round, small := machine.Round(n.dtype); small && !keepsValues(n.op) {
		v = l.builder.Op(round, v)
	}
	return v, nil
}

// keepsValues reports whether the results of op are values that its operands' type holds without rounding.
func keepsValues(op kernel.Op) bool {
	switch op {
	case kernel.Neg, kernel.Abs, kernel.Sign, kernel.Floor, kernel.Ceil, kernel.Rint, kernel.Trunc, kernel.Relu,
		kernel.Min, kernel.Max, kernel.FMin, kernel.FMax, kernel.CopySign, kernel.Where, kernel.Clip:
		return true
	}
	return false
}
