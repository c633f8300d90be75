package compute

import (
	"errors"

	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/compute/internal/term"
)

// ErrDeviceMismatch: a device has computed other bits than the CPU. Options.CheckDevice looks for it.
var ErrDeviceMismatch = offload.ErrMismatch

// An ExprError says where the text of an expression is wrong. It wraps what is wrong there.
type ExprError struct {
	Text string // the whole text
	Pos  int    // the byte it goes wrong at, from 0; len(Text) is the end
	Err  error
}

func (e *ExprError) Error() string { return (*term.Error)(e).Error() }

func (e *ExprError) Unwrap() error { return e.Err }

// exprError returns an error of an expression as callers know it: what says where a text is wrong
// is an *ExprError, or is found as one by errors.As.
func exprError(err error) error {
	if placed, ok := err.(*term.Error); ok {
		return (*ExprError)(placed)
	}
	if _, ok := errors.AsType[*term.Error](err); ok {
		return &innerError{err}
	}
	return err
}

// An innerError is an error about an expression that is part of another one, such as that of a lazy
// name.
type innerError struct{ err error }

func (e *innerError) Error() string { return e.err.Error() }

func (e *innerError) Unwrap() error { return e.err }

// As sets an *ExprError, for errors.As.
func (e *innerError) As(target any) bool {
	to, ok := target.(**ExprError)
	if ok {
		placed, _ := errors.AsType[*term.Error](e.err)
		*to = (*ExprError)(placed)
	}
	return ok
}
