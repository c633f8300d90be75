//go:build (!unix && !windows) || aix || solaris

package boltfile

import "os"

// Share leaves the locking to bbolt.
func Share(*os.File) (bool, error) { return false, nil }

// Unlock does nothing here: closing the file releases the lock that bbolt took.
func Unlock(*os.File) error { return nil }
