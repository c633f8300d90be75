package catalog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore/internal/sentinel"
)

var (
	// ErrNotFound means that no record, storage or patch has that name or id. Delete and Rename
	// return it inside a *NotFoundError.
	ErrNotFound = errors.New("not found")
	// ErrExists means that the name, or the catalog itself, is already there.
	ErrExists = errors.New("already exists")
	// ErrConflict means that a name would be a tensor or blob and a group at once.
	ErrConflict = errors.New("name is both a value and a group")
	// ErrBadName means that a name breaks the rules of CheckName.
	ErrBadName = errors.New("bad name")
	// ErrInvalid means that a record, storage, value or argument breaks a documented limit.
	ErrInvalid = errors.New("invalid")
	// ErrGone means that the folder of an open catalog is no longer where it was.
	ErrGone = errors.New("the store's folder was moved, renamed or removed while it was open")
	// ErrNotCatalog means that the folder holds no catalog.
	ErrNotCatalog = errors.New("not a tstore catalog")
	// ErrFuture means that the catalog, or one of its values, was written by a newer version of
	// tstore.
	ErrFuture = sentinel.ErrFuture
	// ErrCorrupt means that bytes of the catalog are not what was written.
	ErrCorrupt = errors.New("catalog is corrupt")
	// ErrLockTimeout means that others held the catalog's lock for longer than Options.LockTimeout.
	ErrLockTimeout = errors.New("lock timeout")
	// ErrInDoubt means that a commit failed half way; it is always a *InDoubtError, which says what
	// was found afterwards.
	ErrInDoubt = errors.New("commit in doubt")
	// ErrPoisoned means that an earlier commit of this handle failed: it reads, but writes no more.
	// Open the catalog again.
	ErrPoisoned = errors.New("catalog handle refuses writes after a failed commit")
	// ErrReadOnly means a write through a read-only handle or transaction.
	ErrReadOnly = sentinel.ErrReadOnly
	// ErrClosed means that the catalog, or the transaction, has ended.
	ErrClosed = sentinel.ErrClosed
)

// NotFoundError is an ErrNotFound that knows names like the one asked for.
type NotFoundError struct {
	Name string   // what was asked for
	Near []string // names that exist, nearest first; may be empty
}

// Error names what is missing and suggests up to three names.
func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("%q not found", e.Name)
	if len(e.Near) == 0 {
		return text
	}
	quoted := make([]string, len(e.Near))
	for i, n := range e.Near {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return text + "; did you mean " + strings.Join(quoted, " or ") + "?"
}

// Is makes the error match ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// Outcome says whether a commit that failed can be seen by readers.
type Outcome uint8

// The outcomes of a failed commit.
const (
	OutcomeUnknown Outcome = iota // the catalog could not be read afterwards
	OutcomeYes                    // the transaction is visible, though perhaps not yet durable
	OutcomeNo                     // the transaction left nothing visible
)

// String returns "unknown", "yes" or "no".
func (o Outcome) String() string {
	switch o {
	case OutcomeYes:
		return "yes"
	case OutcomeNo:
		return "no"
	}
	return "unknown"
}

// InDoubtError is a failed commit. Files that the transaction refers to must not be removed because
// of it: only the catalog, read again by a new handle, decides.
type InDoubtError struct {
	Committed Outcome // what a look at the file found after the failure
	Err       error   // why the commit failed
}

// Error says what failed, what was found, and what to do.
func (e *InDoubtError) Error() string {
	return fmt.Sprintf("commit in doubt (visible: %s): %v; open the store again before writing", e.Committed, e.Err)
}

// Is makes the error match ErrInDoubt.
func (e *InDoubtError) Is(target error) bool { return target == ErrInDoubt }

// Unwrap returns the failure of the commit.
func (e *InDoubtError) Unwrap() error { return e.Err }

// corrupt returns an ErrCorrupt that names the file and says what to do.
func corrupt(path, format string, args ...any) error {
	return fmt.Errorf("%w: %q: %s; run \"tstore fsck\"", ErrCorrupt, path, fmt.Sprintf(format, args...))
}
