// Package sentinel holds the errors that packages on different layers share, so that a caller of
// any of them needs one errors.Is.
package sentinel

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed: what was used has been closed.
	ErrClosed = errors.New("it is closed")
	// ErrFuture: a newer version of the program has written it. See [Newer].
	ErrFuture = errors.New("written by a newer tstore")
	// ErrReadOnly: what was written to takes no writes.
	ErrReadOnly = errors.New("it is read-only")
)

// Newer returns the ErrFuture of what, whose version this program does not know. The error names
// both versions.
func Newer(what string, found, known int) error {
	return fmt.Errorf("%w: %s has format %d, this tstore knows formats up to %d: use the tstore that wrote it, or a newer one", ErrFuture, what, found, known)
}

// NewerKind returns the ErrFuture of a value that programs of the format known, or less, do not
// write.
func NewerKind(what string, found any, known int) error {
	return fmt.Errorf("%w: %s %v is none of format %d, which this tstore knows: use the tstore that wrote it, or a newer one", ErrFuture, what, found, known)
}
