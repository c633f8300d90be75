package store

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/mmapstore"
)

// Errors that callers tell apart with errors.Is. Those of the catalog and of mapped storages are
// the same values as in their packages.
var (
	// ErrNotFound: no tensor, blob or group has that name.
	ErrNotFound = catalog.ErrNotFound
	// ErrExists: the name, or the store, is there already.
	ErrExists = catalog.ErrExists
	// ErrLockTimeout: another process or goroutine held a lock for longer than Options.LockTimeout.
	// Try again.
	ErrLockTimeout = catalog.ErrLockTimeout
	// ErrInDoubt: a commit failed, and nobody knows whether it is visible. Reopen the store and
	// look.
	ErrInDoubt = catalog.ErrInDoubt
	// ErrPoisoned: an earlier write could not be made durable, so this handle no longer writes.
	// Reads go on; reopen the store to write again.
	ErrPoisoned = catalog.ErrPoisoned
	// ErrCorrupt: the catalog or a storage does not read back as written.
	ErrCorrupt = catalog.ErrCorrupt
	// ErrFuture: the store was written by a newer version of tstore.
	ErrFuture = catalog.ErrFuture
	// ErrTruncated: a data file is shorter than what was committed.
	ErrTruncated = mmapstore.ErrTruncated
	// ErrReadOnly: the store, the tensor or its storage takes no writes.
	ErrReadOnly = mmapstore.ErrReadOnly
	// ErrClosed: the store or the tensor has been closed.
	ErrClosed = mmapstore.ErrClosed

	// ErrGone: the folder of an open store is no longer where it was. What was being written in
	// place there is on the disk, and stays marked.
	ErrGone = catalog.ErrGone
	// ErrNetworkFS: the store is on a network file system, where commits of several machines would
	// be lost. Options.AllowNetworkFS opens it for one machine.
	ErrNetworkFS = engine.ErrNetworkFS
	// ErrNotStore: the folder holds no store.
	ErrNotStore = storefile.ErrNotStore
	// ErrMissing: the catalog names a data file that is not there.
	ErrMissing = engine.ErrMissing
	// ErrDirty: an in-place writer of elements of the tensor has not finished: it is still at work,
	// or it ended and left them half written.
	ErrDirty = engine.ErrDirty
	// ErrUnsynced: the tensor was committed with a durability of less than power, and the machine
	// has been started anew since: the elements may not have reached the disk.
	ErrUnsynced = engine.ErrUnsynced
	// ErrQuarantined: fsck took the storage out of use.
	ErrQuarantined = engine.ErrQuarantined
	// ErrChanged: an adopted file is not the file that was adopted.
	ErrChanged = engine.ErrChanged
	// ErrNoFile: no file is exactly the tensor, for other programs to read.
	ErrNoFile = errors.New("no file holds exactly this tensor")
	// ErrConflict: another writer changed the tensor in the meantime.
	ErrConflict = engine.ErrConflict
	// ErrWrongKind: a blob was asked for where a tensor is, or the reverse.
	ErrWrongKind = errors.New("wrong kind of object")
	// ErrLazy: a tensor was asked for, but the name is a lazy one: its elements are computed when
	// they are read. It is an ErrWrongKind too.
	ErrLazy = fmt.Errorf("%w: a lazy name", ErrWrongKind)
	// ErrSealed: elements of a sealed tensor were to be changed in place. It is an ErrReadOnly too.
	ErrSealed = fmt.Errorf("sealed, so that %w", ErrReadOnly)
	// ErrChecksum: elements of a sealed tensor are not those that were sealed. A *ChecksumError
	// says where they lie.
	ErrChecksum = engine.ErrChecksum
	// ErrNotResumable: work that was to be a job can't be one.
	ErrNotResumable = errors.New("it can't be resumed")
	// ErrInputChanged: what a job reads is no longer what it was.
	ErrInputChanged = errors.New("an input has changed since the job began")
	// ErrCancelled: CancelJob has stopped the job.
	ErrCancelled = errors.New("the job was cancelled")
	// ErrBusy: the same elements, or all of the storage, are being written by someone else.
	ErrBusy = engine.ErrBusy
)

// PublicConflict and PublicChecksum turn the errors of this package into those that users tell
// apart by type. Package tstore, which defines these, sets the functions.
var (
	PublicConflict = func(e *ConflictError) error { return e }
	PublicChecksum = func(e *ChecksumError) error { return e }
)
