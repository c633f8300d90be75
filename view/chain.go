package view

import (
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// A Chain is a list of operations on a tensor, as they follow its name in a line of NumPy or
// PyTorch: "[::2].T.reshape(4, -1)". ParseMethods reads one. The empty Chain changes nothing.
//
// A Chain is an immutable value and safe for concurrent use.
type Chain []Step

// A Step is one operation of a Chain: an index in brackets or a method. IndexStep makes one of an
// index, ParseMethods of any text.
type Step struct {
	index  Index   // of basic indexing, if method and pick are nil
	pick   Fancy   // advanced indexing, without the tensors of its names
	method *method // otherwise
	args   args
}

// IndexStep is the step that picks a part by basic indexing. It keeps the Index.
func IndexStep(ix Index) Step { return Step{index: ix} }

// A form is the layout and type that a view gives to the bytes of a storage.
type form struct {
	layout Layout
	dt     dtype.Type
}

// Apply returns the layout and type of what the chain makes of elements of type t in layout l. It
// reads no elements. The error names the failing step and wraps the error of its operation. It
// wraps ErrNeedsCopy if the result of a step cannot be a view of the elements. Only Eval computes
// such a step.
func (c Chain) Apply(l Layout, t dtype.Type) (Layout, dtype.Type, error) {
	f := form{l, t}
	for i, s := range c {
		next, err := s.apply(f)
		if err != nil {
			return Layout{}, dtype.Invalid, c.stepError(i, err)
		}
		f = next
	}
	return f.layout, f.dt, nil
}

// CutPick splits a chain whose last step is advanced indexing into the steps before it and the text
// between its brackets, as ParseFancy reads it. Of another chain, pick is empty and the part is all
// of it. What no view can be read through can so be written: part gives the dst of Scatter, pick
// its index.
func (c Chain) CutPick() (part Chain, pick string) {
	if len(c) == 0 || c[len(c)-1].pick == nil {
		return c, ""
	}
	return c[:len(c)-1], c[len(c)-1].pick.String()
}

// apply is Apply for one step.
func (s Step) apply(in form) (form, error) {
	switch {
	case s.method != nil:
		return s.method.apply(in, s.args)
	case s.pick != nil:
		return form{}, fmt.Errorf("advanced indexing: %w", ErrNeedsCopy)
	}
	l, err := in.layout.Index(s.index)
	return form{l, in.dt}, err
}

// stepError adds to an error which step it is of, when there are several.
func (c Chain) stepError(i int, err error) error {
	if len(c) == 1 {
		return err
	}
	text := c[i].String()
	if len(text) > maxQuoted {
		text = text[:maxQuoted] + "…"
	}
	return fmt.Errorf("step %d, %q: %w", i+1, text, err)
}

// String returns the chain in the form that ParseMethods reads: "[1:9:2].T.reshape(4, -1)".
func (c Chain) String() string { return c.syntax().String() }

// String returns the step in the form that ParseMethods reads.
func (s Step) String() string { return Chain{s}.String() }
