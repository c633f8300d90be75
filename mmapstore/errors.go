package mmapstore

import (
	"errors"

	"github.com/tstore/tstore/internal/sentinel"
)

var (
	// ErrClosed is returned by every method of a storage whose last reference has been released.
	ErrClosed = sentinel.ErrClosed

	// ErrReadOnly is returned by writes to a storage that was mapped ReadOnly, and wrapped by the
	// *FaultError of a store that slipped past that check.
	ErrReadOnly = sentinel.ErrReadOnly

	// ErrTruncated says that a file is shorter than the storage over it: either when it was opened,
	// or later, because somebody cut it behind the mapping.
	ErrTruncated = errors.New("file is shorter than the storage")

	// ErrPoisoned is returned by writes after a Flush failed: what the file holds is unknown from
	// then on. The first error is wrapped beside it. Reads go on.
	ErrPoisoned = errors.New("storage is poisoned for writing by a failed flush")

	// ErrBusy is returned by Grow while pins or ranges of the storage are in use.
	ErrBusy = errors.New("storage is in use")

	// ErrPlace is returned by what needs the bytes in host memory when they live on a device, or the
	// other way round.
	ErrPlace = errors.New("storage is in another place")
)
