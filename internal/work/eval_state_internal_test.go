package work

import (
	"context"
	"errors"
	"testing"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/store"
)

// TestMisfitThatCannotBeExplained has what was looked up not fit together, and the look whether it
// is of one state fail: the error says both.
func TestMisfitThatCannotBeExplained(t *testing.T) {
	s, err := store.Init(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ev, err := (&Store{s}).newEvaluation(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	ev.note("x", &catalog.Entry{})
	misfit := errors.New("shapes do not fit")
	if err := ev.inOneState(misfit); !errors.Is(err, misfit) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want both reasons", err)
	}
}
