//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pollMillis is how long a wait for standard input overlooks an interrupt.
const pollMillis = 50

// interruptible makes reads of a pipe or a terminal end when ctx does: read(2) itself would wait
// for bytes that may never come.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	f, ok := r.(*os.File)
	if !ok {
		return r
	}
	return &pollReader{ctx: ctx, f: f}
}

type pollReader struct {
	ctx context.Context
	f   *os.File
}

func (r *pollReader) Read(p []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(r.f.Fd()), Events: unix.POLLIN}}
	for {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		n, err := unix.Poll(fds, pollMillis)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return 0, os.NewSyscallError("poll", err)
		}
		if n > 0 {
			return r.f.Read(p)
		}
	}
}
