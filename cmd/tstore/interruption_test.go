package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// TestInterruption checks that an interrupt is one word, and that what it has left is told.
func TestInterruption(t *testing.T) {
	ended := fmt.Errorf("pass 1 of 2: %w", context.Canceled)
	half := errors.New(`"b" is left half written, and marked dirty`)
	job := &tstore.JobError{ID: catalog.ID{0x1f, 0x3a}, Done: 1, Total: 4, Err: ended}
	const goOn = "25% are done and kept: go on with tstore job resume 1f3a0000, or drop it with tstore job rm 1f3a0000"
	for want, err := range map[string]error{
		"interrupted":                             fmt.Errorf("copy x: %w", ended),
		"interrupted: " + half.Error():            fmt.Errorf("eval: %w", errors.Join(ended, half, nil)),
		"interrupted: " + goOn:                    fmt.Errorf("copy x: %w", errors.Join(job, context.Canceled)),
		"interrupted: " + errKeepsNothing.Error(): errors.Join(errKeepsNothing, ended),
		"interrupted: x; " + goOn:                 &tstore.JobError{ID: job.ID, Done: 1, Total: 4, Err: errors.Join(errors.New("x"), ended)},
	} {
		if got := interruption(interrupted{syscall.SIGINT}, err).Error(); got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
}

// TestToldThoughInterrupted: what has been made is told, also when the command was interrupted
// after that.
func TestToldThoughInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	if err := makeFixture(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s, err := tstore.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var told strings.Builder
	a := &app{stderr: &told}
	if err := a.tellMade(ctx, s, "imported", "x", false); err != nil || !strings.Contains(told.String(), `imported "x"`) {
		t.Errorf("told %q, %v", told.String(), err)
	}
	if err := a.tellMade(ctx, s, "imported", "nobody", false); err == nil || !strings.Contains(err.Error(), `"nobody" is imported`) {
		t.Errorf("it is gone already: %v", err)
	}
}
