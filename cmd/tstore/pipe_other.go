//go:build !linux

package main

import (
	"context"
	"io"
	"os"
)

// openPipe opens a named pipe, and waits until somebody writes to it.
func openPipe(file string) (*os.File, error) { return os.Open(file) }

// openToWrite opens a device or a named pipe, and waits until somebody reads that.
func openToWrite(_ context.Context, file string) (*os.File, error) {
	return os.OpenFile(file, os.O_WRONLY, 0)
}

// interruptibleOut is w: a wait for whoever reads a pipe can't be broken off here.
func interruptibleOut(_ context.Context, w io.Writer) (out io.Writer, done func()) {
	return w, func() {}
}
