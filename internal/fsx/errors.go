package fsx

import "errors"

var (
	// ErrFallocateUnsupported reports a file system that can't reserve space. [Reserve] writes
	// zeros instead.
	ErrFallocateUnsupported = errors.New("the file system can't reserve space (fallocate)")

	// ErrCloneUnsupported reports two files that can't share bytes, or be copied inside the kernel.
	// [Clone] copies them instead.
	ErrCloneUnsupported = errors.New("the file system can't clone these files")

	// ErrSourceLong reports a source with more bytes than were asked for. One with fewer is an
	// io.ErrUnexpectedEOF.
	ErrSourceLong = errors.New("the source is longer than expected")
)
