package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
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
