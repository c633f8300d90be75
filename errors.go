package tstore

import (
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/backup"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/internal/work"
	"github.com/tstore/tstore/mmapstore"
)

// ErrNotBackup: a folder or a file is not a backup, or not one of the store that it would have to
// be of.
var ErrNotBackup = backup.ErrNotBackup

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
	ErrNoFile = store.ErrNoFile
	// ErrConflict: another writer changed the tensor in the meantime.
	ErrConflict = engine.ErrConflict
	// ErrWrongKind: a blob was asked for where a tensor is, or the reverse.
	ErrWrongKind = store.ErrWrongKind
	// ErrLazy: a tensor was asked for, but the name is a lazy one: its elements are computed when
	// they are read. It is an ErrWrongKind too.
	ErrLazy = store.ErrLazy
	// ErrDrops: Grow would drop elements. It changes nothing then.
	ErrDrops = store.ErrDrops
	// ErrSealed: elements of a sealed tensor were to be changed in place. It is an ErrReadOnly too.
	ErrSealed = store.ErrSealed
	// ErrChecksum: elements of a sealed tensor are not those that were sealed. A *ChecksumError
	// says where they lie.
	ErrChecksum = engine.ErrChecksum
	// ErrNotResumable: work that was to be a job can't be one.
	ErrNotResumable = store.ErrNotResumable
	// ErrInputChanged: what a job reads is no longer what it was.
	ErrInputChanged = store.ErrInputChanged
	// ErrCancelled: CancelJob has stopped the job.
	ErrCancelled = store.ErrCancelled
	// ErrBusy: the same elements, or all of the storage, are being written by someone else.
	ErrBusy = engine.ErrBusy
)

// JobError is the error of work that has become a job and can be resumed. It wraps the reason why
// the work ended.
type JobError struct {
	ID          catalog.ID
	Done, Total int64 // bytes
	Err         error
}

// Error describes why the work ended, and how it goes on.
func (e *JobError) Error() string { return (*work.JobError)(e).Error() }

// Left describes what is kept of the work, and how it goes on.
func (e *JobError) Left() string { return (*work.JobError)(e).Left() }

// Unwrap returns the reason.
func (e *JobError) Unwrap() error { return e.Err }

// ChecksumError says that bytes of a sealed storage are not those that were sealed. It matches
// ErrChecksum.
type ChecksumError struct {
	// Path is the file, Offset and Bytes the part of it that is bad: whole blocks.
	Path          string
	Offset, Bytes int64
	// Names are tensors whose elements lie there.
	Names []string
}

// Error describes where the bytes lie.
func (e *ChecksumError) Error() string { return (*store.ChecksumError)(e).Error() }

// Unwrap returns ErrChecksum.
func (e *ChecksumError) Unwrap() error { return ErrChecksum }

// ConflictError lists the names on which a transaction relied and which others have changed, made
// or removed meanwhile. It is an ErrConflict.
type ConflictError struct {
	// Names are in order.
	Names []string
}

// Error names the names, as far as a line has room for them.
func (e *ConflictError) Error() string { return (*store.ConflictError)(e).Error() }

// Is makes a ConflictError an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// The packages behind the API return the errors that have types of their own as those above.
func init() {
	store.PublicConflict = func(e *store.ConflictError) error { return (*ConflictError)(e) }
	store.PublicChecksum = func(e *store.ChecksumError) error { return (*ChecksumError)(e) }
	work.PublicJobError = func(e *work.JobError) error { return (*JobError)(e) }
}
