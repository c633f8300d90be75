package tstore

import (
	"fmt"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/view"
)

// Selector names a tensor, or a part of one: "weather/t2m" or
// "weather/t2m[0:10, ::-1]". The text between the brackets is NumPy's basic
// indexing.
type Selector struct {
	Name  string
	Index view.Index
	// Whole is true when the text had no brackets.
	Whole bool
}

// ParseSelector reads a selector.
func ParseSelector(text string) (Selector, error) {
	name, rest, bracketed := strings.Cut(text, "[")
	if err := catalog.CheckName(name); err != nil {
		return Selector{}, err
	}
	if !bracketed {
		return Selector{Name: name, Whole: true}, nil
	}
	inner, ok := strings.CutSuffix(rest, "]")
	if !ok {
		return Selector{}, fmt.Errorf("selector %q: expected it to end in ']'", text)
	}
	ix, err := view.ParseIndex(inner)
	if err != nil {
		return Selector{}, fmt.Errorf("selector %q: %w", text, err)
	}
	return Selector{Name: name, Index: ix}, nil
}

// String is the text form, which ParseSelector reads back.
func (s Selector) String() string {
	if s.Whole {
		return s.Name
	}
	return s.Name + "[" + s.Index.String() + "]"
}
