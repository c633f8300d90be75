package view

import "github.com/tstore/tstore/dtype"

// A formatter turns elements into words that line up. It first observes every element that will be
// printed.
type formatter interface {
	observe(v dtype.Scalar)
	append(dst []byte, v dtype.Scalar) []byte
}

// newFormatter returns the formatter for elements of type t.
func newFormatter(t dtype.Type, o PrintOptions) formatter {
	switch t.Kind() {
	case dtype.KindFloat:
		return &floatFormat{opts: o, limits: limitsOf(t)}
	case dtype.KindComplex:
		return newComplexFormat(t, o)
	}
	return &plainFormat{}
}

// plainFormat aligns integers and bools to the right.
type plainFormat struct{ width int }

func (f *plainFormat) observe(v dtype.Scalar) { f.width = max(f.width, textWidth(v)) }

// textWidth returns the width that v asks for: a bool always that of "False".
func textWidth(v dtype.Scalar) int {
	if v.Type() == dtype.Bool {
		return len("False")
	}
	return len(v.String())
}

func (f *plainFormat) append(dst []byte, v dtype.Scalar) []byte {
	text := v.String()
	return append(appendSpaces(dst, f.width-len(text)), text...)
}

// appendSpaces appends n spaces, none if n is negative.
func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
