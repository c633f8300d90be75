package view

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore/dtype"
)

// ErrNeedsCopy is wrapped by Reshape and other operations on layouts when no choice of strides
// gives the elements as wanted, so that only a copy can have them so.
var ErrNeedsCopy = errors.New("needs a copy")

// ErrRepeats is wrapped by the error of writing to a tensor that shows an element at several
// indexes: a broadcast one, or overlapping windows.
var ErrRepeats = errors.New("repeated elements cannot be written")

// An IndexError says that an index is outside its axis.
type IndexError struct {
	Axis  int // the axis of the indexed layout, from 0
	Index int // as it was given, so possibly negative
	Size  int // the size of the axis: -Size ≤ Index < Size would be valid
}

func (e *IndexError) Error() string {
	return fmt.Sprintf("index %d is out of bounds for axis %d with size %d", e.Index, e.Axis, e.Size)
}

// A RankError says that the number of indexes does not fit the number of axes.
type RankError struct {
	Want int // the number of axes of the tensor
	Got  int // the number of axes the indexes are for
}

func (e *RankError) Error() string {
	amount, verb := "many", "were"
	if e.Got < e.Want {
		amount = "few"
	}
	if e.Got == 1 {
		verb = "was"
	}
	axes := "axes"
	if e.Want == 1 {
		axes = "axis"
	}
	return fmt.Sprintf("too %s indices: tensor has %d %s, %d %s given", amount, e.Want, axes, e.Got, verb)
}

// A ShapeError says that two shapes do not go together.
type ShapeError struct {
	Op   string // what was tried, such as "copy"
	Want []int  // the shape that the operation needs
	Got  []int  // the shape it was given
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s: shape %s does not fit shape %s", e.Op, formatShape(e.Got), formatShape(e.Want))
}

// A DTypeError says that a tensor has another element type than was asked for.
type DTypeError struct {
	Want []dtype.Type // the types that would do
	Got  dtype.Type   // the type of the tensor
}

func (e *DTypeError) Error() string {
	return fmt.Sprintf("tensor has dtype %s, wanted %s", e.Got, joinTypes(e.Want))
}

// maxQuoted is the longest text that an error message repeats.
const maxQuoted = 200

// A SyntaxError says where the text of an index, or of methods, stops making sense.
type SyntaxError struct {
	What string // what the text is, such as "methods"; an index if it is empty
	Text string // the whole text
	Pos  int    // the byte it goes wrong at, from 0; len(Text) is the end
	Msg  string // what was expected and what was found
}

func (e *SyntaxError) Error() string {
	what := cmp.Or(e.What, "index")
	if len(e.Text) > maxQuoted {
		return fmt.Sprintf("%s text, position %d: %s", what, e.Pos, e.Msg)
	}
	return fmt.Sprintf("%s %q, position %d: %s", what, e.Text, e.Pos, e.Msg)
}

// joinTypes lists types as text: "float32", "float32 or float64".
func joinTypes(types []dtype.Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	return strings.Join(names, " or ")
}
