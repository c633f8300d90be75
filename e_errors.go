package tstore

import (
	"errors"
)

// Errors that the package of the API documents, and hands on.
var (
	errNetworkFS   = errors.New("a store on a network file system can lose what was committed")
	errMissing     = errors.New("data file is missing")
	errDirty       = errors.New("storage has unfinished in-place writes")
	errUnsynced    = errors.New("it may not have reached the disk before the machine was started anew")
	errQuarantined = errors.New("storage is quarantined")
	errChanged     = errors.New("adopted file has changed")
	errConflict    = errors.New("changed by another writer in the meantime")
	errChecksum    = errors.New("checksum mismatch")
	errBusy        = errors.New("storage is being written by another writer")
)
