//go:build !race

package view_test

import (
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

// TestCopyMovedInMappings is TestCopyMoved within a mapped file, and between two mappings of it,
// whose addresses are in any order. In race builds they are copies, which don't see each other.
func TestCopyMovedInMappings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	first, err := mmapstore.Map(path, 0, movedBytes, mmapstore.Create, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := mmapstore.Map(path, 0, movedBytes, mmapstore.Shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := flat(t, first), flat(t, second)
	t.Run("up", func(t *testing.T) { copyMoved(t, first, a, a, "3072:", ":-3072", 3072) })
	t.Run("down", func(t *testing.T) { copyMoved(t, first, a, a, ":-3072", "3072:", -3072) })
	t.Run("up to another", func(t *testing.T) { copyMoved(t, first, a, b, "3072:", ":-3072", 3072) })
	t.Run("up from another", func(t *testing.T) { copyMoved(t, first, b, a, "3072:", ":-3072", 3072) })
	t.Run("down to another", func(t *testing.T) { copyMoved(t, first, a, b, ":-3072", "3072:", -3072) })
	t.Run("down from another", func(t *testing.T) { copyMoved(t, first, b, a, ":-3072", "3072:", -3072) })
}
