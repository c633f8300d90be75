package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// openPipe opens a named pipe at once. Nobody may write to it yet: open(2)
// itself would wait for that, and could not be broken off, while poll(2) waits
// for a first writer too.
func openPipe(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0)
}
