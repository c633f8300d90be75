package catalog_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

var long = flag.Bool("long", false, "run the tests and benchmarks that take minutes")

// TestMain runs one of the child programs when the test binary was started as one, else the tests.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(runChild(role))
	}
	goleak.VerifyTestMain(m)
}
