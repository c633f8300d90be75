//go:build unix

package main

import (
	"os/signal"
	"syscall"
	"time"
)

// deathMillis is how long a signal to the process itself may take.
const deathMillis = 1000

// dieOf sends the process a signal that it no longer handles. It returns if the process is still
// there.
func dieOf(sig syscall.Signal) {
	signal.Reset(sig)
	if syscall.Kill(syscall.Getpid(), sig) == nil {
		time.Sleep(deathMillis * time.Millisecond)
	}
}
