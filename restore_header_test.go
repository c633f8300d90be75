package tstore_test

import (
	"testing"

	"github.com/tstore/tstore"
)

// TestHeaderOfFileWithViewsOnly changes what is known of a file of which only parts have names: its
// header goes on to describe the array that was there, and is what the catalog expects.
func TestHeaderOfFileWithViewsOnly(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, s *tstore.Store){
		"the view is restored": func(t *testing.T, s *tstore.Store) {
			must(t, s.Delete(t.Context(), "q"))
			must(t, second(s.CreateSnapshot(t.Context(), "monday", "")))
			must(t, s.Delete(t.Context(), "c"))
			must(t, second(s.RestoreSnapshot(t.Context(), "monday")))
		},
		"the array is made shorter": func(t *testing.T, s *tstore.Store) {
			must(t, s.Resize(t.Context(), "q", 4))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			must(t, s.Create(t.Context(), "q", source(t, 1, 7)))
			must(t, s.View(t.Context(), "c", "q[1:]"))
			change(t, s)
			if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
				t.Errorf("%v, %v", problems, err)
			}
		})
	}
}
