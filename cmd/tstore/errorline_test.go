package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

func TestErrorLineAndExitCode(t *testing.T) {
	tests := []struct {
		name string
		err  error
		line string
		code int
	}{
		{"none", nil, "", 0},
		{"found", errFound, "", 1},
		{"found, wrapped", fmt.Errorf("fsck: %w", errFound), "", 1},
		{"error", errors.New("it broke"), "tstore: it broke", 2},
		{"joined", errors.Join(errors.New("one"), errors.New("two")), "tstore: one; two", 2},
		{"long", fmt.Errorf("bad name %q: %s", strings.Repeat("a ", 5000), strings.Repeat("b", 5000)),
			`tstore: bad name "` + strings.Repeat("a ", 19) + "a…" + strings.Repeat(" a", 19) + ` ": ` + strings.Repeat("b", 40) + "…" + strings.Repeat("b", 40), 2},
		{"memory of a device", fmt.Errorf("pass 1 of 1: %w", &device.MemoryError{Place: mmapstore.GPU(0), Asked: 4096, Used: 1024, Limit: 2048}),
			"tstore: pass 1 of 1: gpu:0: no room for 4.0 KiB: 1.0 KiB of 2.0 KiB are in use; --device-memory says how much may be taken", 2},
		{"memory for a device", &device.MemoryError{Asked: 4096, Limit: 2048},
			"tstore: 4.0 KiB of host memory to copy from and to a device: the memory limit has 2.0 KiB for it; --memory-limit says how much may be taken", 2},
		{"no memory for a device", &device.MemoryError{Asked: 4096}, "tstore: the system has no 4.0 KiB of host memory for a device to copy from and to", 2},
		{"hostile", errors.New("a\x1b[2Jb\r\u202ec\xff"), `tstore: a\u001b[2Jb\u000d\u202ec�`, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := errorLine(tt.err); got != tt.line {
				t.Errorf("errorLine = %q, want %q", got, tt.line)
			}
			if got := exitCode(tt.err); got != tt.code {
				t.Errorf("exitCode = %d, want %d", got, tt.code)
			}
		})
	}
}
