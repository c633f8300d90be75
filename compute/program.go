package compute

import (
	"errors"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A bound program knows the tensors, types and shapes of everything it computes.
type bound struct {
	stmts []boundStatement
	owned []*view.Tensor // references that close gives back
}

// A boundStatement stores value. It is the elements as they are stored: of the type and the shape of the
// destination, and with those that a saver keeps.
type boundStatement struct {
	target string
	chain  view.Chain
	value  *node
	stored *node        // what passes store: value, or what that only gives another shape
	dst    *view.Tensor // the part of a tensor that is written, nil if a new one is made
	keeps  []*node      // whose elements are kept before dst is written: later statements read them

	dtype     dtype.Type   // of the elements as they are stored
	out       *view.Tensor // where they are stored: dst, or a new tensor; nil until it is set or made
	elsewhere bool         // out will be set, to a tensor that takes none of the memory of the plan

	dims []string // names of the axes of a new tensor, or nil

	// A later statement of the program makes another tensor of the same name.
	replaced bool
}

// close gives back what the program holds. Nodes must not be used any more.
func (p *bound) close() error {
	var err error
	for _, t := range p.owned {
		err = errors.Join(err, t.Close())
	}
	p.owned = nil
	return err
}
