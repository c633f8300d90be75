package filelock

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	maxWaits = 64 // kernel waits with a context, and so threads, at a time in this process
	minDelay = 50 * time.Microsecond
	maxDelay = 2 * time.Millisecond
)

// seats bounds the kernel waits that a context can leave behind: each occupies a thread until its
// byte is free.
var seats = make(chan struct{}, maxWaits)

// wait locks the byte through fd or closes fd and returns an error.
func wait(ctx context.Context, fd int, off int64, mode Mode) error {
	if ctx.Done() == nil {
		return closeOnError(fd, waitLock(fd, off, mode))
	}
	select {
	case seats <- struct{}{}:
		return waitSeated(ctx, fd, off, mode)
	default:
		return closeOnError(fd, poll(ctx, fd, off, mode))
	}
}

// waitSeated waits in the kernel on a goroutine of its own, which owns the seat, and fd too once
// ctx has ended.
func waitSeated(ctx context.Context, fd int, off int64, mode Mode) error {
	locked, left := make(chan error), make(chan struct{})
	go func() {
		defer func() { <-seats }()
		err := waitLock(fd, off, mode)
		select {
		case locked <- err:
		case <-left:
			release(fd, off) // nobody is left to hear of an error
		}
	}()

	select {
	case err := <-locked:
		return closeOnError(fd, err)
	case <-ctx.Done():
		close(left)
		return held(ctx)
	}
}

// poll is for the waiters beyond maxWaits.
func poll(ctx context.Context, fd int, off int64, mode Mode) error {
	timer := time.NewTimer(minDelay)
	defer timer.Stop()
	for delay := minDelay; ; delay = min(2*delay, maxDelay) {
		timer.Reset(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return held(ctx)
		}
		if err := setLock(fd, off, mode); !errors.Is(err, ErrHeld) {
			return err
		}
	}
}

func held(ctx context.Context) error {
	return fmt.Errorf("%w: %w", ErrHeld, context.Cause(ctx))
}

func closeOnError(fd int, err error) error {
	if err != nil {
		closeFile(fd)
	}
	return err
}
