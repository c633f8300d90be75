package fsx_test

import (
	"io"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/internal/fsx"
)

type stretch struct {
	N    int64
	Hole bool
}

func stretches(h *fsx.Holes, off, end, most int64) (all []stretch) {
	for off < end {
		n, hole := h.At(off, min(end, off+most))
		if last := len(all) - 1; last >= 0 && all[last].Hole == hole {
			all[last].N += n
		} else {
			all = append(all, stretch{n, hole})
		}
		off += n
	}
	return all
}

func TestHoles(t *testing.T) {
	f, content := holey(t, fsx.OS, filepath.Join(t.TempDir(), "f"))
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	size := int64(len(content))
	for _, most := range []int64{size, mib, 4096} {
		got := stretches(fsx.HolesOf(f, size), 0, size, most)
		first := got[0].N // data end with a block of the file system
		want := []stretch{{first, false}, {3*mib - first, true}, {10 * mib, false}, {size - 13*mib, true}}
		if runtime.GOOS != "linux" {
			first, want = mib+5, []stretch{{size, false}}
		}
		if diff := cmp.Diff(want, got); diff != "" || first < mib+5 || first > mib+64<<10 {
			t.Errorf("at most %d: %s", most, diff)
		}
	}
	h := fsx.HolesOf(f, size)
	for _, back := range []int64{14 * mib, 4 * mib, 0, 14 * mib} {
		n, hole := h.At(back, back+1)
		if n != 1 || hole != (back == 14*mib && runtime.GOOS == "linux") {
			t.Errorf("at %d: %d bytes, hole %t", back, n, hole)
		}
	}
}

// TestNoHoles asks about what is behind the end of a file, and about one that can't be positioned:
// it has to be read, which tells the rest.
func TestNoHoles(t *testing.T) {
	f, content := holey(t, fsx.OS, filepath.Join(t.TempDir(), "f"))
	size := int64(len(content))
	if n, hole := fsx.HolesOf(f, size).At(size, size+5); n != 5 || hole {
		t.Errorf("behind the end: %d bytes, hole %t", n, hole)
	}
	if n, hole := fsx.HolesOf(io.NewSectionReader(f, 0, size), size).At(2*mib, 3*mib); n != mib || hole {
		t.Errorf("of no file: %d bytes, hole %t", n, hole)
	}
}
