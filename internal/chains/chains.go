// Package chains is the wall between package view and those who read its chains in texts of their
// own. The exported API of view can't show the types of package syntax, which is internal. So view
// registers here what reads and writes its chains as trees, and package compute gets it from here.
package chains

import "github.com/tstore/tstore/internal/syntax"

// A Form reads and writes chains as trees. C is view.Chain.
type Form[C any] struct {
	// Of returns the chain that nodes of the tree of a text are: indexes, attributes and methods.
	// Errors are of type *view.SyntaxError, with positions in the whole text.
	Of func(tree syntax.Tree, nodes ...*syntax.Node) (C, error)

	// Tree returns a chain without an operand and without places in a text.
	Tree func(c C) *syntax.Node

	// Knows reports whether there is an attribute of a name, or a method.
	Knows func(name string) (attribute, method bool)
}

// registered is the Form of view.
var registered any

// Register is called by view before anybody calls Registered.
func Register[C any](form Form[C]) { registered = form }

// Registered returns what view has registered. C must be view.Chain.
func Registered[C any]() Form[C] { return registered.(Form[C]) }
