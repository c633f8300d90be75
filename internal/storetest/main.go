package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/testdir"
)

// ChildEnv names what the test binary does when it is run again as a child process.
const ChildEnv = "TSTORE_TEST_CHILD"

// InStore is a child that works on the store in the folder that is its first argument.
func InStore(work func(ctx context.Context, s *tstore.Store, args []string) error) func(args []string) error {
	return func(args []string) error {
		ctx := context.Background()
		s, err := tstore.Open(ctx, args[0], nil)
		if err != nil {
			return err
		}
		return errors.Join(work(ctx, s, args[1:]), s.Close())
	}
}

// Main runs the tests of a package. A binary that is run again as a child, because ChildEnv is set,
// runs that child instead, with the arguments of the process.
func Main(m *testing.M, children map[string]func(args []string) error) {
	testdir.UseMemory()
	// Under the race detector a process sleeps a second before it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0")

	if child, ok := children[os.Getenv(ChildEnv)]; ok {
		if err := child(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}

	// Tests make stores and tensors that live for moments: most of what collecting would cost is saved.
	debug.SetGCPercent(400)
	goleak.VerifyTestMain(m)
}
