package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// interrupted is the error of a command that a signal has ended.
type interrupted struct{ signal syscall.Signal }

func (interrupted) Error() string { return "interrupted" }

// Is makes the cause of a context's end what its end is.
func (interrupted) Is(target error) bool { return target == context.Canceled }

// bySignal reports whether an error is that of a signal.
func bySignal(sig syscall.Signal) func(error) bool {
	return func(err error) bool {
		by, ok := errors.AsType[interrupted](err)
		return ok && by.signal == sig
	}
}

// signalExit is the exit code that shells give to what a signal has ended, less the signal.
const signalExit = 128

// endingSignals returns the signals that ask a command to end. A hangup is not among them if the
// command was started with nohup.
func endingSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// untilSignal returns a context that a signal to end cancels, with interrupted as its cause. stop
// lets signals end the process at once again.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endingSignals()...)
	go func() {
		select {
		case sig := <-signals:
			by, _ := sig.(syscall.Signal)
			cancel(interrupted{by})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// exit ends the process. Where the code says that a signal has ended the command, which has cleaned
// up by now, the process dies of that signal, so that a shell ends its loop or script, too.
func exit(code int) {
	if sig := syscall.Signal(code - signalExit); slices.Contains(endingSignals(), os.Signal(sig)) {
		dieOf(sig)
	}
	os.Exit(code)
}
