package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// openPipe opens a named pipe at once. Nobody may write to it yet: open(2) itself would wait for
// that, and could not be broken off, while poll(2) waits for a first writer too.
func openPipe(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0)
}

// pipePause is how long a wait for a reader overlooks an interrupt, and a write goes on after one.
const pipePause = 50 * time.Millisecond

// openToWrite opens a device or a named pipe, where it waits for a reader, as long as ctx lasts.
func openToWrite(ctx context.Context, file string) (*os.File, error) {
	if !isPipe(file) {
		return os.OpenFile(file, os.O_WRONLY, 0)
	}
	for {
		f, err := os.OpenFile(file, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.ENXIO) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pipePause):
		}
	}
}

// interruptibleOut makes writes to a pipe end soon after ctx does: write(2) itself would wait for a
// reader that may never read. The pipe is opened once more, for writes that don't wait, because the
// file that it is may be shared with other programs. What can't be opened so is w. done lets go of
// it.
func interruptibleOut(ctx context.Context, w io.Writer) (out io.Writer, done func()) {
	none := func() {}
	f, ok := w.(*os.File)
	if !ok {
		return w, none
	}
	same := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	if !isPipe(same) {
		return w, none
	}
	pipe, err := os.OpenFile(same, os.O_WRONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return w, none
	}
	stop := context.AfterFunc(ctx, func() { _ = pipe.SetWriteDeadline(time.Now().Add(pipePause)) })
	return &pipeWriter{ctx, pipe}, func() { stop(); _ = pipe.Close() }
}

// pipeWriter writes to a pipe that has a deadline once ctx has ended.
type pipeWriter struct {
	ctx context.Context
	f   *os.File
}

// Write implements io.Writer. What is printed after an interrupt is written if somebody reads it.
func (w *pipeWriter) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		_ = w.f.SetWriteDeadline(time.Now().Add(pipePause))
	}
	n, err := w.f.Write(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = w.ctx.Err()
	}
	return n, err
}
