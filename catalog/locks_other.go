//go:build !unix || aix || solaris

package catalog

import (
	"io/fs"
	"os"
)

// errReadOnlyFS is the error of opening a file for writing on read-only media.
var errReadOnlyFS = fs.ErrPermission

// shareFile leaves the locking to bbolt.
func shareFile(*os.File) (bool, error) { return false, nil }

// unlockFile does nothing here: closing the file releases the lock that bbolt took.
func unlockFile(*os.File) error { return nil }
