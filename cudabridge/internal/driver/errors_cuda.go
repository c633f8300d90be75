//go:build cuda && linux

package driver

import "gorgonia.org/cu"

// A result is the type of cu's errors, which cu does not export.
type result interface {
	~int
	error
}

// ErrorOf returns an error of package cu as an *Error, whose words are the name of it, and all others
// as they are.
func ErrorOf(err error) error { return errorOf(cu.Success, err) }

func errorOf[R result](_ R, err error) error {
	if r, ok := err.(R); ok {
		return newError(r, int(r))
	}
	return err
}

// newError returns an Error with the name that cu has for it.
func newError[R result](_ R, code int) *Error { return &Error{Code: code, Words: R(code).Error()} }
