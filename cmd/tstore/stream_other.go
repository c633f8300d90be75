//go:build !linux && !darwin

package main

import (
	"context"
	"io"
)

// interruptible is r: a wait for standard input can't be broken off here.
func interruptible(_ context.Context, r io.Reader) io.Reader { return r }
