package bootid_test

import (
	"runtime"
	"testing"

	"github.com/tstore/tstore/internal/bootid"
)

func TestGet(t *testing.T) {
	id := bootid.Get()
	if known := runtime.GOOS == "linux" || runtime.GOOS == "darwin"; known && len(id) < 16 {
		t.Errorf("found %q, want an id", id)
	}
	for _, r := range id {
		if r <= ' ' || r > '~' {
			t.Errorf("%q is not printable", id)
		}
	}
	if again := bootid.Get(); again != id {
		t.Errorf("%q, and then %q", id, again)
	}
}
