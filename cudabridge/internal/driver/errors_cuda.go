//go:build cuda && linux

package driver

import (
	"strings"

	"gorgonia.org/cu"
)

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

// newError returns an Error with the name that cu has for it, if it has one.
func newError[R result](_ R, code int) *Error {
	name := R(code).Error()
	if strings.HasPrefix(name, "UnknownErrorCode") {
		name = ""
	}
	return &Error{Code: code, Words: name}
}
