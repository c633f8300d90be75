package main

import (
	"context"
	"errors"
	"fmt"
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
		if got := interruption(err).Error(); got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
}
