package fsx_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tstore/tstore/internal/fsx"
)

// TestStreamMemory copies many chunks of the default size and adds up all memory that takes.
func TestStreamMemory(t *testing.T) {
	const size = 160 * mib
	dir := t.TempDir()
	src, dst := create(t, fsx.OS, filepath.Join(dir, "src")), create(t, fsx.OS, filepath.Join(dir, "dst"))
	if err := src.Truncate(size); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := fsx.NewStreamWriter(dst, 4096, nil).ReadFrom(context.Background(), src, size); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*mib {
		t.Errorf("copying %d MiB took %d MiB of memory, want at most 4", size/mib, got/mib)
	}
}
