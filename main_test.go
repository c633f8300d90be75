package tstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/testdir"
)

// childEnv names what the test binary does when it is run again as a child process.
const childEnv = "TSTORE_TEST_CHILD"

var children = map[string]func(args []string) error{
	"crash":      inStore(crashChild),
	"mixed":      inStore(mixedChild),
	"hold":       inStore(holdChild),
	"unsnapshot": inStore(unsnapshotChild),
	"job":        inStore(jobChild),
	"part":       inStore(partChild),
	"pair":       inStore(pairChild),
	"backup":     inStore(backupChild),
	"tar":        inStore(tarChild),
	"restore":    inStore(restoreChild),
	"bank":       inStore(bankChild),
	"moving":     inStore(movingChild),
}

// inStore is a child that works on the store in the folder that is its first argument.
func inStore(work func(ctx context.Context, s *tstore.Store, args []string) error) func(args []string) error {
	return func(args []string) error {
		ctx := context.Background()
		s, err := tstore.Open(ctx, args[0], nil)
		if err != nil {
			return err
		}
		return errors.Join(work(ctx, s, args[1:]), s.Close())
	}
}

func TestMain(m *testing.M) {
	testdir.UseMemory()
	// Under the race detector a process sleeps a second before it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	if child, ok := children[os.Getenv(childEnv)]; ok {
		if err := child(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
