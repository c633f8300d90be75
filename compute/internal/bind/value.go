package bind

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
)

// A value is the value of a term: a node, or a number without a type.
type value struct {
	node *graph.Node
	weak *number.Number // if node is nil
}

// typed returns a value as a node; a number gets the type that it has on its own.
func (b *binder) typed(v value) (*graph.Node, error) {
	if v.node != nil {
		return v.node, nil
	}
	return b.operand(v, v.weak.DefaultType())
}

// bindTyped binds a term to a node.
func (b *binder) bindTyped(t *term.Term) (*graph.Node, error) {
	v, err := b.bind(t)
	if err != nil {
		return nil, err
	}
	return b.typed(v)
}

// operand returns a value as elements of type t. An integer that t does not hold is an error.
func (b *binder) operand(v value, t dtype.Type) (*graph.Node, error) {
	if v.node != nil {
		return b.Cast(v.node, t), nil
	}
	s, err := v.weak.As(t)
	if err != nil {
		return nil, err
	}
	return b.Scalar(s), nil
}

// operands is operand for several.
func (b *binder) operands(values []value, t dtype.Type) ([]*graph.Node, error) {
	nodes := b.lists.Take(len(values))
	for i, v := range values {
		var err error
		if nodes[i], err = b.operand(v, t); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// commonType returns the type in which values meet, by the rules of NumPy 2.
func meetingType(values ...value) dtype.Type {
	var types []dtype.Type
	var kinds []dtype.Kind
	for _, v := range values {
		if v.node != nil {
			types = append(types, v.node.DType)
		} else {
			kinds = append(kinds, v.weak.Kind)
		}
	}
	if len(types) == 0 && len(values) == 1 {
		return values[0].weak.DefaultType()
	}
	return dtype.ResultFor(types, kinds...)
}

// A kindSet says which kinds of elements a function takes.
type kindSet uint8

const (
	takesBool kindSet = 1 << iota
	takesInt          // signed and unsigned
	takesFloat
	takesComplex

	takesWhole   = takesBool | takesInt
	takesReal    = takesInt | takesFloat
	takesNumbers = takesReal | takesComplex
	takesInexact = takesFloat | takesComplex
	takesAll     = takesBool | takesNumbers
)

func kindSetOf(t dtype.Type) kindSet {
	switch t.Kind() {
	case dtype.KindBool:
		return takesBool
	case dtype.KindInt, dtype.KindUint:
		return takesInt
	case dtype.KindFloat:
		return takesFloat
	case dtype.KindComplex:
		return takesComplex
	}
	return 0
}

// String lists the kinds for an error: "integer, float or complex".
func (s kindSet) String() string {
	names := ""
	for i, name := range []string{"bool", "integer", "float", "complex"} {
		bit := kindSet(1) << i
		switch {
		case s&bit == 0:
			continue
		case names == "":
		case s>>(i+1) == 0:
			names += " or "
		default:
			names += ", "
		}
		names += name
	}
	return names
}

// check returns an error if elements of type t are none that a function takes.
func (s kindSet) check(name string, t dtype.Type) error {
	if s&kindSetOf(t) == 0 {
		return fmt.Errorf("%s takes %v elements, found %s", name, s, t)
	}
	return nil
}

// A typeRule returns the type in which a function computes with values.
type typeRule func(values ...value) dtype.Type

// mapped returns op on values, converted to the type that rule tells.
func (b *binder) mapped(name string, op kernel.Op, rule typeRule, takes kindSet, values ...value) (value, error) {
	t := rule(values...)
	if err := takes.check(name, t); err != nil {
		return value{}, err
	}
	if kernel.ResultType(op, graph.RegisterType(t)) == dtype.Invalid {
		return value{}, fmt.Errorf("%s of %s elements is not there yet", name, t)
	}
	nodes, err := b.operands(values, t)
	if err != nil {
		return value{}, fmt.Errorf("%s: %w", name, err)
	}
	n, err := b.Apply(name, op, nodes...)
	return value{node: n}, err
}

// intForBool is the rule of functions that have no meaning on bools but one on small integers.
func intForBool(values ...value) dtype.Type {
	if t := meetingType(values...); t != dtype.Bool {
		return t
	}
	return dtype.Int8
}

// inexactType is the rule of quotients: float64 for bools and integers.
func inexactType(values ...value) dtype.Type {
	t := meetingType(values...)
	return dtype.ResultForDivision(t, t)
}

// mathType is the rule of functions whose results are floats: for bools and integers the narrowest
// float that each of them can safely be cast to.
func mathType(values ...value) dtype.Type {
	t := meetingType(values...)
	if kindSetOf(t)&takesWhole == 0 {
		return t
	}
	types := []dtype.Type{dtype.Float16}
	for _, v := range values {
		if v.node != nil {
			types = append(types, v.node.DType)
		} else {
			types = append(types, t)
		}
	}
	return dtype.PromoteAll(types...)
}
