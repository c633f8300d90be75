// Package sentinel holds the errors that packages on different layers share,
// so that a caller of any of them needs one errors.Is.
package sentinel

import "errors"

var (
	// ErrClosed: what was used has been closed.
	ErrClosed = errors.New("it is closed")
	// ErrReadOnly: what was written to takes no writes.
	ErrReadOnly = errors.New("it is read-only")
)
