package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore/internal/fsx"
)

// createUnnamed creates a file in the folder of tmp that has no name until it is linked, so that a
// killed process leaves nothing behind. If there are no such files, or no /proc to link them by,
// the file has the name tmp from the start.
func createUnnamed(tmp string) (*outFile, error) {
	f, err := fsx.OS.OpenFile(filepath.Dir(tmp), os.O_RDWR|unix.O_TMPFILE, 0o644)
	if err != nil {
		return createNamed(tmp)
	}

	// The link is made through /proc: without it the file could never get its name.
	own := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	if _, err := os.Stat(own); err != nil {
		if err := f.Close(); err != nil {
			return nil, err
		}
		return createNamed(tmp)
	}

	return &outFile{File: f, tmp: tmp, link: func(name string) error {
		if err := unix.Linkat(unix.AT_FDCWD, own, unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW); err != nil {
			return &os.LinkError{Op: "link", Old: own, New: name, Err: err}
		}
		return nil
	}}, nil
}
