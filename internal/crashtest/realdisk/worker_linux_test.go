package realdisk_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

func init() { children["realwork"] = realWorkChild }

// failedStep is the exit status of a worker of which a step was an error.
const failedStep = 3

// realWorkChild makes a store and does the steps that a seed chooses. It says before and after each
// that it does, and then waits for a line. args are the folder, the seed, the number of steps and a
// spoiling.
func realWorkChild(args []string) error {
	ctx, dir, spoiling := context.Background(), args[0], args[3]
	seed, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	steps := realSteps(seed, n)
	states := statesOf(steps)
	next := bufio.NewScanner(os.Stdin)
	say := func(format string, args ...any) {
		fmt.Printf(format+"\n", args...)
		next.Scan()
	}
	made, err := tstore.Init(ctx, dir, nil)
	if err != nil {
		return err
	}
	if err := made.Close(); err != nil {
		return err
	}
	if spoiling == "no sync before the meta page" {
		if err := skipEveryOtherFdatasync(); err != nil {
			return err
		}
	}
	s, spoilt, err := openSpoilt(ctx, dir, spoiling)
	if err != nil {
		return err
	}
	say("done")
	for i, step := range steps {
		say("begin")
		if err := spoilt.do(ctx, states[i], states[i+1], step); err != nil {
			fmt.Fprintf(os.Stderr, "step %s: %v\n", step.Name, err)
			for name := range states[i] { // an error or the elements, but no signal
				_, _ = storetest.ReadAll(ctx, s, name)
			}
			_ = s.Close()
			os.Exit(failedStep)
		}
		say("done")
	}
	return s.Close()
}

// realWorker is a process that changes a store.
type realWorker struct {
	// begun and done are called as a change, the making of the store among them, begins and was
	// acknowledged. The process waits meanwhile.
	begun, done func(n int) error
}

// run lets a process work to its end, and returns what it printed to its standard error, and how it
// ended.
func (w realWorker) run(t *testing.T, dir string, seed uint64, steps int, spoiling string) (stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], dir, strconv.FormatUint(seed, 10), strconv.Itoa(steps), spoiling)
	cmd.Env = append(os.Environ(), storetest.ChildEnv+"=realwork")
	var text strings.Builder
	cmd.Stderr = &text
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var err error
		switch {
		case lines.Text() == "done":
			done++
			err = w.done(done)
		case w.begun != nil:
			err = w.begun(done)
		}
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintln(in)
	}
	err = cmd.Wait()
	return text.String(), err
}
