package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// app is what every command shares: the standard streams and the flags that
// all commands have.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	// terminalOut and terminalErr say that a person is looking.
	terminalOut, terminalErr bool

	storeDir    string
	quiet       bool
	allowDirty  bool
	lockTimeout time.Duration

	// again runs another command line, as run does.
	again func(args []string, stdin io.Reader, stdout, stderr io.Writer) int

	// words are the arguments of the command that runs.
	words []string
}

// note tells the person something beside the output, unless --quiet.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, "tstore: "+format+"\n", args...)
	}
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
