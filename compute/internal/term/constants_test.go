package term

import (
	"testing"

	"github.com/tstore/tstore/internal/syntax"
)

// TestConstantsAreNoNames checks that the words that are numbers are no plain names in the language.
func TestConstantsAreNoNames(t *testing.T) {
	for word := range constants {
		if syntax.Plain(word) {
			t.Errorf("%s is a number here and a plain name in the language", word)
		}
	}
}
