package model

import (
	"fmt"
	"os"
	"testing"

	"github.com/tstore/tstore/internal/testdir"
)

// childEnv says that the test binary is a worker.
const childEnv = "TSTORE_CRASHTEST_WORKER"

func TestMain(m *testing.M) {
	testdir.UseMemory()
	// Under the race detector a process sleeps a second before it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	if text := os.Getenv(childEnv); text != "" {
		if err := work(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
