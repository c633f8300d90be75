package view

import (
	"context"
	"slices"
	"strings"

	"github.com/tstore/tstore/dtype"
)

// A method is an operation that a Chain can name.
type method struct {
	name      string
	attribute bool // it is written without parentheses
	params    []param
	apply     func(in form, a args) (form, error)

	// copies, if there, makes what apply reports to need a copy. Otherwise apply finds it in a
	// packed copy of the elements.
	copies func(ctx context.Context, e evaluation, t *Tensor, a args) (*Tensor, error)

	// moves, if there, says how a copy comes about; see Step.Moves.
	moves func(l Layout, a args) (shape []int, moves []Move, err error)
}

// A param is one parameter of a method. Python's rules say how arguments are matched with them:
// first those in order, then those by name.
type param struct {
	names    []string // the first one is written, the others are read too
	kind     paramKind
	optional bool
}

type paramKind uint8

const (
	oneInt      paramKind = iota // an integer
	intOrTuple                   // an integer or a tuple of them
	manyInts                     // all arguments that are left: integers or one tuple
	elementType                  // the name of an element type
	typeOrShape                  // elementType or manyInts
)

// args are the arguments of a call, one for each parameter.
type args []argument

// An argument is the value that a call gives to one parameter.
type argument struct {
	given bool
	ints  []int
	tuple bool       // the integers are in parentheses
	dt    dtype.Type // Invalid unless it is an element type
}

// int returns argument i, or otherwise if it is left out.
func (a args) int(i, otherwise int) int {
	if !a[i].given {
		return otherwise
	}
	return a[i].ints[0]
}

// findMethod returns the method of a name, or nil.
func findMethod(name string) *method {
	i, ok := slices.BinarySearchFunc(methods, name, func(m *method, name string) int { return strings.Compare(m.name, name) })
	if !ok {
		return nil
	}
	return methods[i]
}

// methodNames lists all methods for an error.
func methodNames() string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return strings.Join(names, ", ")
}
