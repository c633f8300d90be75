package catalog_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/tstore/tstore/internal/testdir"
)

var long = flag.Bool("long", false, "run the benchmarks that take minutes")

// TestMain runs one of the child programs when the test binary was started as one, else the tests.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(runChild(role))
	}
	testdir.UseMemory()
	goleak.VerifyTestMain(m)
}
