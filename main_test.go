package tstore_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childEnv names what the test binary does when it is run again as a child
// process.
const childEnv = "TSTORE_TEST_CHILD"

var children = map[string]func(args []string) error{
	"crash":      crashChild,
	"mixed":      mixedChild,
	"hold":       holdChild,
	"unsnapshot": unsnapshotChild,
	"job":        jobChild,
	"part":       partChild,
}

func TestMain(m *testing.M) {
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
