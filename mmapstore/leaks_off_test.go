//go:build !invariants

package mmapstore_test

import (
	"strings"
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

func TestLeaksAreNotRecorded(t *testing.T) {
	s, err := mmapstore.New(1)
	must(t, err)
	if leaks := mmapstore.Leaks(); leaks != nil {
		t.Errorf("got %v, want nil", leaks)
	}
	must(t, s.Release())
}

func TestLeakString(t *testing.T) {
	text := mmapstore.Leak{Name: `"a.npy"`, Size: 5, Lost: true, Stack: "main.main"}.String()
	for _, part := range []string{"lost", "5 bytes", `"a.npy"`, "main.main"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not hold %q", text, part)
		}
	}
}
