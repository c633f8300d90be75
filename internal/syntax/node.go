package syntax

import "math"

// A Node is a part of a Tree. Nodes can be built as literals, and then have no place.
type Node struct {
	Kind   Kind
	Quoted bool // of a Name: it is one of a tensor, whatever the word means
	Pos    int32
	End    int32
	Text   string
	Args   []*Node
}

// A Kind says what a Node is.
type Kind uint8

// The kinds, and the contents of their Text and Args.
const (
	Missing    Kind = iota // nothing stands where an operand should
	Name                   // Text: a word, or a name in quotes
	Number                 // Text: digits, letters, dots and signs of exponents, whether they make a number or not
	Text                   // Text: what stands in quotes
	None                   // None, or newaxis
	Unary                  // Text: the operator; the operand
	Binary                 // Text: the operator; both operands. Pos is that of the operator
	Tuple                  // the elements; one in parentheses without a comma is no tuple
	List                   // the elements
	Call                   // Text: the name of a function, or in a Chain of a method; arguments
	Keyword                // Text: the name of an argument; its value
	Chain                  // the operand, nil for steps alone; then each Index, Attribute and Call behind it
	Attribute              // Text: the name
	Index                  // the items between brackets
	Slice                  // start, stop and step, nil where left out
	Ellipsis               // ...
	Assign                 // Text: the operator; the targets and, last, the value. Pos is that of the operator
	Statements             // the statements of a program
)

// Equal reports whether two trees are the same, wherever they stand.
func (n *Node) Equal(o *Node) bool {
	if n == nil || o == nil {
		return n == o
	}
	if n.Kind != o.Kind || n.Quoted != o.Quoted || n.Text != o.Text || len(n.Args) != len(o.Args) {
		return false
	}
	for i := range n.Args {
		if !n.Args[i].Equal(o.Args[i]) {
			return false
		}
	}
	return true
}

// IsWord reports whether n is a word in the text, not the name of a tensor in quotes.
func (n *Node) IsWord(word string) bool { return n.Kind == Name && !n.Quoted && n.Text == word }

// Signed returns the number that n is, or that stands behind one sign.
func (n *Node) Signed() (number *Node, negative bool) {
	if n.Kind == Unary && n.Text != "~" {
		return n.Args[0], n.Text == "-"
	}
	return n, false
}

// Int returns the decimal integer that n is, with or without a sign. If fits is false, v is the
// nearest int. ok is false if n is not an integer.
func (n *Node) Int() (v int, fits, ok bool) {
	number, negative := n.Signed()
	if number.Kind != Number {
		return 0, false, false
	}

	// Negative numbers are counted down from 0, as the smallest int has no positive counterpart.
	fits = true
	for i := range len(number.Text) {
		c := number.Text[i]
		if !isDigit(c) {
			return 0, false, false
		}

		digit := int(c - '0')
		if negative {
			fits = fits && v >= (math.MinInt+digit)/10
			v = v*10 - digit
		} else {
			fits = fits && v <= (math.MaxInt-digit)/10
			v = v*10 + digit
		}
	}

	switch {
	case fits:
		return v, true, true
	case negative:
		return math.MinInt, false, true
	}
	return math.MaxInt, false, true
}

// Precedence says how tightly the text of a Node binds its operands. Those of operators are
// Python's.
type Precedence uint8

// The precedences, the loosest first.
const (
	PrecNone Precedence = iota
	PrecCompare
	PrecOr
	PrecXor
	PrecAnd
	PrecShift
	PrecSum
	PrecProduct
	PrecUnary
	PrecPower
	PrecNumber
	PrecPostfix
)
