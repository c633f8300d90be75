package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore/internal/fsx"
)

// createUnnamed creates a file in the folder of tmp that has no name until
// nameIt gives it this one, so that a process that is killed leaves nothing.
// Where there are no such files, or no /proc to name them by, it has the name
// from the start.
func createUnnamed(tmp string) (f fsx.File, nameIt func() error, err error) {
	f, err = fsx.OS.OpenFile(filepath.Dir(tmp), os.O_RDWR|unix.O_TMPFILE, 0o644)
	if err != nil {
		return createNamed(tmp)
	}
	own := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	if _, err := os.Stat(own); err != nil {
		if err := f.Close(); err != nil {
			return nil, nil, err
		}
		return createNamed(tmp)
	}
	return f, func() error {
		if err := unix.Linkat(unix.AT_FDCWD, own, unix.AT_FDCWD, tmp, unix.AT_SYMLINK_FOLLOW); err != nil {
			return &os.LinkError{Op: "link", Old: own, New: tmp, Err: err}
		}
		return nil
	}, nil
}
