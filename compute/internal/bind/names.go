package bind

import (
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Names give the names in terms a meaning. Every field may be nil. Names are looked up in this
// order: results of earlier statements, Vars, InPlace targets, Expand, Lookup.
type Names struct {
	// Lookup finds a tensor. The caller owns it, and must not close it before the program.
	Lookup func(name string) (*view.Tensor, error)

	// Expand finds the term of a lazy name; ok is false if a name is not one.
	Expand func(name string) (t *term.Term, ok bool, err error)

	// InPlace finds the tensor that a target is written into, and returns nil if the statement is
	// to make a new one.
	InPlace func(target string) (*view.Tensor, error)

	// Dims returns the names of the axes of a tensor or a lazy name, "" for axes without a name,
	// and nil if no axis has one.
	Dims func(name string) []string

	// Vars are numbers with names.
	Vars map[string]dtype.Scalar
}
