package catalog_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs one of the child programs when the test binary was started as one, else the tests.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(runChild(role))
	}
	goleak.VerifyTestMain(m)
}
