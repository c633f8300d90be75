package ptx_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has garbage collected more rarely: every program that is run makes a device and a text anew.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
