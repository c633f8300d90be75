package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// outBufferBytes is large enough that a listing is few writes, and small
// enough that blocks of elements pass by it.
const outBufferBytes = 64 << 10

// run executes one command line and returns the exit code. An interrupt ends
// the command through its context, so that unfinished files are removed.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second interrupt ends the process, whatever it waits for.
	defer context.AfterFunc(ctx, stop)()
	out := bufio.NewWriterSize(stdout, outBufferBytes)
	a := &app{stdin: stdin, stdout: out, stderr: stderr, terminalOut: isTerminal(stdout), terminalErr: isTerminal(stderr), again: run, tree: newRoot}
	root := newRoot(a)
	root.SetArgs(protectNegative(root, args))
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if flushErr := out.Flush(); flushErr != nil && !errors.Is(err, flushErr) {
		err = errors.Join(err, fmt.Errorf("write to standard output: %w", flushErr))
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if line := errorLine(err); line != "" {
		fmt.Fprintln(stderr, line)
	}
	return exitCode(err)
}
