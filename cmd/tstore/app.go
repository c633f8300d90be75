package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/measure"
)

// app is what every command shares: the standard streams and the flags that all commands have.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	// terminalOut and terminalErr say that a person is looking.
	terminalOut, terminalErr bool

	storeDir    string
	quiet       bool
	allowDirty  bool
	paranoid    bool
	durability  durabilityFlag
	lockTimeout time.Duration
	// allowNetworkFS changes stores on network file systems.
	allowNetworkFS bool

	// within is the store as a transaction sees it, which all commands use then; nil outside of
	// one.
	within *tstore.Store

	// args are the arguments of the program, for another one that it hands over to.
	args []string
	// device is what --device is where it is not given; "" is the CPU.
	device string
	// gpu is what computes; nil is the CPU. It is open while a command runs. With rates, it computes
	// what it is expected to do faster.
	gpu   device.Device
	rates func(context.Context, device.Device) (measure.Rates, error)

	// again runs another command line, as run does, on the CPU.
	again func(args []string, stdin io.Reader, stdout, stderr io.Writer) int
	// tree is newRoot, for commands that run others.
	tree func(*app) *cobra.Command

	// events are those of --progress json, if it is asked for.
	events *progressEvents

	// words are the arguments of the command that runs.
	words []string

	// helpErr is the error of a call for help with what there is none about.
	helpErr error
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
