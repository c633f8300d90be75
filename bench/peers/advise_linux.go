package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// adviseDontNeed drops what the page cache has of a file, but for pages that are mapped or not yet
// written.
func adviseDontNeed(f *os.File) error {
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
