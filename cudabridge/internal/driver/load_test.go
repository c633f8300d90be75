//go:build cuda && linux

package driver_test

import (
	"errors"
	"testing"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/cudabridge/internal/driver"
)

// This test ran the init function of cu, which ends a process whose cuInit fails.
func TestLoad(t *testing.T) {
	if _, err := cu.NumDevices(); err != cu.NotInitialized {
		t.Errorf("before Load: got %v, want %v", err, cu.NotInitialized)
	}

	err := driver.Load()
	if again := driver.Load(); again != err {
		t.Errorf("Load again: got %v, want %v", again, err)
	}
	failed, isDriver := errors.AsType[*driver.Error](err)
	switch _, asked := cu.NumDevices(); {
	case err == nil && asked != nil:
		t.Errorf("after Load: %v", asked)
	case err != nil && asked != cu.NotInitialized:
		t.Errorf("after a Load that failed: got %v, want %v", asked, cu.NotInitialized)
	case err != nil && !errors.Is(err, driver.ErrMissing) && !isDriver:
		t.Errorf("Load: %v, want nil, ErrMissing or an Error", err)
	case isDriver && failed.Code <= 0:
		t.Errorf("Load: %v, want a positive code", err)
	}
	t.Logf("Load: %v", err)
}
