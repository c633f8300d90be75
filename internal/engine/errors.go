package engine

import (
	"errors"
)

// Errors that package tstore documents, and hands on.
var (
	ErrNetworkFS   = errors.New("a store on a network file system can lose what was committed")
	ErrMissing     = errors.New("data file is missing")
	ErrDirty       = errors.New("storage has unfinished in-place writes")
	ErrUnsynced    = errors.New("it may not have reached the disk before the machine was started anew")
	ErrQuarantined = errors.New("storage is quarantined")
	ErrChanged     = errors.New("adopted file has changed")
	ErrConflict    = errors.New("changed by another writer in the meantime")
	ErrChecksum    = errors.New("checksum mismatch")
	ErrBusy        = errors.New("storage is being written by another writer")
)
