package graph

import (
	"errors"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A Program program knows the tensors, types and shapes of everything it computes.
type Program struct {
	Statements []Statement
	owned      []*view.Tensor // references that close gives back
}

// A Statement stores value. It is the elements as they are stored: of the type and the shape of the
// destination, and with those that an operator keeps.
type Statement struct {
	Target string
	Chain  view.Chain
	Value  *Node
	Stored *Node        // what passes store: value, or what that only gives another shape
	Dst    *view.Tensor // the part of a tensor that is written, nil if a new one is made
	Keeps  []*Node      // whose elements are kept before dst is written: later statements read them

	DType     dtype.Type   // of the elements as they are stored
	Out       *view.Tensor // where they are stored: dst, or a new tensor; nil until it is set or made
	Elsewhere bool         // out will be set, to a tensor that takes none of the memory of the plan

	Dims []string // names of the axes of a new tensor, or nil

	// A later statement of the program makes another tensor of the same name.
	Replaced bool
}

// Close gives back what the program holds. Nodes must not be used any more.
func (p *Program) Close() error {
	var err error
	for _, t := range p.owned {
		err = errors.Join(err, t.Close())
	}
	p.owned = nil
	return err
}
