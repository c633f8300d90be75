package compute_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has garbage collected more rarely: most tests drop large operands when they end.
func TestMain(m *testing.M) {
	debug.SetGCPercent(200)
	os.Exit(m.Run())
}
