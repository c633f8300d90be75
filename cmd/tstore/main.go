package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/tstore/tstore"
)

func main() { exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// outBufferBytes is large enough for a listing to take few writes, and small enough for blocks of
// elements to bypass the buffer.
const outBufferBytes = 64 << 10

// run executes one command line and returns the exit code. An interrupt ends the command through
// its context, so that unfinished files are removed; a reader of its output that has gone ends it
// with the error of the next write.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runOn(os.Getenv(deviceVariable), args, stdin, stdout, stderr)
}

// runOnCPU is run for a command line within another one, whose process can't be handed over.
func runOnCPU(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runOn("", args, stdin, stdout, stderr)
}

// runOn is run on the device that computes where no flag says which.
func runOn(device string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()

	pipes := make(chan os.Signal, 1) // nobody looks: writes fail, and the process lives
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	// A second interrupt ends the process, whatever it waits for.
	defer context.AfterFunc(ctx, stop)()

	to, done := interruptibleOut(ctx, stdout)
	defer done()
	out := bufio.NewWriterSize(to, outBufferBytes)

	a := &app{
		stdin: interruptible(ctx, stdin), stdout: out, stderr: stderr, terminalOut: isTerminal(stdout), terminalErr: isTerminal(stderr),
		again: runOnCPU, tree: newRoot, args: args, device: device,
	}
	root := newRoot(a)
	root.SetArgs(protectNegative(root, args))
	root.SetIn(a.stdin)
	root.SetOut(out)
	root.SetErr(stderr)

	err := root.ExecuteContext(ctx)
	if a.helpErr != nil {
		err = a.helpErr
	}
	a.closeGPU()
	if err == nil {
		a.events.end()
	}

	switch flushErr := out.Flush(); {
	case errors.Is(flushErr, syscall.EPIPE) && (err == nil || errors.Is(err, syscall.EPIPE)):
		err = errNoReader
	case flushErr != nil && !errors.Is(err, flushErr):
		err = errors.Join(err, fmt.Errorf("write to standard output: %w", flushErr))
	}

	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = interruption(context.Cause(ctx), err)
	}

	if line := errorLine(err); line != "" {
		fmt.Fprintln(stderr, line)
	}
	return exitCode(err)
}

// interruption returns the error of a command that was interrupted by cause, with what it has left.
func interruption(cause, err error) error {
	if left := leftOf(err); len(left) > 0 {
		return fmt.Errorf("%w: %s", cause, strings.Join(left, "; "))
	}
	return cause
}

// leftOf returns those parts of an error that say more than "interrupted".
func leftOf(err error) (left []string) {
	job, isJob := err.(*tstore.JobError)
	joined, isJoined := err.(interface{ Unwrap() []error })

	switch {
	case err == nil:
	case isJob:
		left = append(leftOf(job.Err), job.Left())
	case isJoined:
		for _, e := range joined.Unwrap() {
			left = append(left, leftOf(e)...)
		}
	case !errors.Is(err, context.Canceled):
		left = []string{err.Error()}
	default:
		left = leftOf(errors.Unwrap(err))
	}
	return left
}
