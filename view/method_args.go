package view

import (
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// arguments returns the arguments of a call, in the order of the method's parameters.
func (r *syntaxReader) arguments(m *method, call *syntax.Node) (args, error) {
	a := make(args, len(m.params))
	named := false

	for next, rest := 0, call.Args; len(rest) > 0; {
		n := rest[0]
		i, err := r.parameter(m, n, next)
		if err != nil {
			return nil, err
		}

		values := rest
		if n.Kind == syntax.Keyword {
			named, values = true, n.Args
		} else if next++; named {
			return nil, r.errorf(int(n.Pos), "an argument by position after one by name")
		}

		if a[i].given {
			return nil, r.errorf(int(n.Pos), "%s has argument %s twice", m.name, m.params[i].names[0])
		}

		// An argument may take several nodes: shapes are written with or without a tuple.
		used := 0
		if a[i], used, err = r.argument(m.params[i].kind, values); err != nil {
			return nil, err
		}
		rest = rest[used:]
	}

	for i, param := range m.params {
		if !a[i].given && !param.optional {
			return nil, r.errorf(int(call.End), "%s lacks its argument %s", m.name, param.names[0])
		}
	}

	return a, nil
}

// parameter returns the parameter that an argument is for: the one it names, or otherwise number
// next.
func (r *syntaxReader) parameter(m *method, n *syntax.Node, next int) (int, error) {
	if n.Kind == syntax.Keyword {
		i := slices.IndexFunc(m.params, func(param param) bool { return slices.Contains(param.names, n.Text) })
		if i < 0 {
			return 0, r.errorf(int(n.Pos), "%s has no argument %q", m.name, n.Text)
		}
		return i, nil
	}
	if next >= len(m.params) {
		return 0, r.errorf(int(n.Pos), "%s takes no more than %d arguments", m.name, len(m.params))
	}
	return next, nil
}

// argument returns the argument that nodes begin with, and the number of nodes in it. Some kinds
// take several nodes, which commas separate.
func (r *syntaxReader) argument(kind paramKind, nodes []*syntax.Node) (a argument, used int, err error) {
	n := nodes[0]
	switch {
	case n.Kind == syntax.None:
		return argument{}, 1, nil
	case kind == elementType, kind == typeOrShape && isTypeName(n):
		a, err = r.elementType(n)
		return a, 1, err
	case kind != oneInt && (n.Kind == syntax.Tuple || n.Kind == syntax.List):
		a.ints, err = r.integers(n.Args)
		a.given, a.tuple = true, true
		return a, 1, err
	}

	used = 1
	if kind == manyInts || kind == typeOrShape {
		for used < len(nodes) && isNumber(nodes[used]) {
			used++
		}
	}

	a.ints, err = r.integers(nodes[:used])
	a.given = true
	return a, used, err
}

// isNumber reports whether n is a number, with or without a sign.
func isNumber(n *syntax.Node) bool {
	n, _ = n.Signed()
	return n.Kind == syntax.Number
}

// integers returns integers that fit in an int.
func (r *syntaxReader) integers(nodes []*syntax.Node) ([]int, error) {
	ints := make([]int, len(nodes))
	for i, n := range nodes {
		if i == maxInts {
			return nil, r.errorf(int(n.Pos), "more than %d integers", maxInts)
		}
		var err error
		if ints[i], err = r.integer(n, wantInteger); err != nil {
			return nil, err
		}
	}
	return ints, nil
}

// modules are the prefixes that names of element types may have.
var modules = []string{"np", "numpy", "torch", "ml_dtypes"}

// isTypeName reports whether n may be the name of an element type: a word, behind the name of a
// module or not, or a text.
func isTypeName(n *syntax.Node) bool {
	if n.Kind == syntax.Chain {
		return n.Args[0].Kind == syntax.Name && len(n.Args) == 2 && n.Args[1].Kind == syntax.Attribute && slices.Contains(modules, n.Args[0].Text)
	}
	return n.Kind == syntax.Name || n.Kind == syntax.Text
}

// elementType returns the element type of a name.
func (r *syntaxReader) elementType(n *syntax.Node) (argument, error) {
	if !isTypeName(n) {
		return argument{}, r.unexpected(n, "an element type")
	}
	name := n.Text
	if n.Kind == syntax.Chain {
		name = n.Args[1].Text
	}
	t, err := dtype.Parse(name)
	if err != nil {
		return argument{}, r.errorf(int(n.Pos), "%s", err)
	}
	return argument{given: true, dt: t}, nil
}
