package tstore

import (
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// Selector names a tensor, or what a chain of operations makes of it: "weather/t2m",
// "weather/t2m[0:10, ::-1]", "x.T.reshape(4, -1)". The text of the operations is that of
// view.ParseMethods. "x@monday[0:10]" is read from a snapshot.
type Selector struct {
	Name string
	// Snapshot names the snapshot that is read; empty for the store as it is.
	Snapshot string
	Chain    view.Chain
}

// ParseSelector reads a selector. Where a name ends in a word that is also an operation, as in
// "model.real", the operation is meant; methods of Store that take the text of a selector look for
// a tensor of the longer name first.
func ParseSelector(text string) (Selector, error) {
	r, err := store.ParseSelector(text)
	return Selector(r), err
}

// Whole is true when the selector is just a name.
func (s Selector) Whole() bool { return store.Selector(s).Whole() }

// String returns the text form, which ParseSelector reads back.
func (s Selector) String() string { return store.Selector(s).String() }
