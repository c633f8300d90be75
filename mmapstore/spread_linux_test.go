package mmapstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/mmapstore"
)

// Large mappings of equal files do not start at multiples of 256 MiB from each other, and give
// their places back.
func TestLargeMappingsAreSpread(t *testing.T) {
	const size, distance, page = 512 << 20, 256 << 20, 2 << 20
	path := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	for round := range 10 { // with 40 of the 128 places each
		used := map[uintptr]bool{}
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			for range 40 {
				s, err := mmapstore.Map(path, 0, size, mmapstore.ReadOnly, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := s.Release(); err != nil {
						t.Error(err)
					}
				})
				var slot uintptr
				if err := s.With(func(b []byte) error {
					slot = uintptr(unsafe.Pointer(unsafe.SliceData(b))) % distance / page
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if used[slot] {
					t.Errorf("mapping %d starts at a multiple of %d bytes from another one", len(used), distance)
				}
				used[slot] = true
			}
		})
	}
}
