package term

import (
	"fmt"

	"github.com/tstore/tstore/view"
)

// A Statement is a term whose elements are stored, or only computed if there is no target.
type Statement struct {
	Target string     // the name of a tensor, or empty
	Chain  view.Chain // picks the part of the target that is written; empty for all of it
	Op     AssignOp
	Value  *Term

	// Constants are the words in the text of value that are numbers, such as e and pi, each once.
	Constants []string
}

// Place is where the value of s stands in its text.
func (s *Statement) Place() Place {
	if s.Value == nil {
		return Place{}
	}
	return s.Value.At
}

// An AssignOp says what becomes of the elements that a target has.
type AssignOp uint8

// The operators, with the text of each.
const (
	Set    AssignOp = iota // =     they are replaced
	SetAdd                 // +=    the new ones are added to them
	SetSub                 // -=
	SetMul                 // *=
	SetDiv                 // /=
	SetMax                 // max=  the larger one stays
	SetMin                 // min=
)

var assignOps = [...]string{"=", "+=", "-=", "*=", "/=", "max=", "min="}

// Known reports whether there is an operator op.
func (op AssignOp) Known() bool { return int(op) < len(assignOps) }

// String returns the operator as it stands between target and expression.
func (op AssignOp) String() string {
	if !op.Known() {
		return fmt.Sprintf("AssignOp(%d)", uint8(op))
	}
	return assignOps[op]
}

// findAssignOp returns the operator of a text.
func findAssignOp(text string) (op AssignOp, ok bool) {
	for op := range assignOps {
		if assignOps[op] == text {
			return AssignOp(op), true
		}
	}
	return 0, false
}
