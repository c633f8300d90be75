package mmapstore_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/internal/testdir"
	"github.com/tstore/tstore/mmapstore"
)

func TestFileBacked(t *testing.T) {
	path := dataFile(t, 10_000)
	heap, err := mmapstore.New(100)
	must(t, err)
	temporary, err := mmapstore.WithAllocator(mmapstore.File{Dir: t.TempDir()}, 100)
	must(t, err)
	copied, err := mmapstore.Map(path, 0, -1, mmapstore.Shared, &mmapstore.MapOptions{Copy: true})
	must(t, err)
	shared := mapped(t, path, 0, -1, mmapstore.Shared)
	tests := []struct {
		name string
		s    *mmapstore.Storage
		want bool
	}{
		{"heap", heap, false},
		{"temporary file", temporary, !raceBuild},
		{"copy", copied, false},
		{"private", mapped(t, path, 0, -1, mmapstore.Private), false},
		{"read-only", mapped(t, path, 0, -1, mmapstore.ReadOnly), !raceBuild},
		{"shared", shared, !raceBuild},
		{"range", mustRange(t, shared, 5000, 100), !raceBuild},
	}
	for _, test := range tests {
		if got := test.s.FileBacked(); got != test.want {
			t.Errorf("%s: FileBacked is %v, want %v", test.name, got, test.want)
		}
	}
	for _, test := range tests {
		releaseAll(test.s)
		if test.s.FileBacked() {
			t.Errorf("%s: FileBacked after it was closed", test.name)
		}
	}
}

// TestWriteback follows stored bytes through memory to the disk and out of memory.
func TestWriteback(t *testing.T) {
	const size = 8 << 20
	s, err := mmapstore.Map(filepath.Join(testdir.OnDisk(t), "new"), 0, size, mmapstore.Create, nil)
	must(t, err)
	defer releaseAll(s)
	if _, _, ok := s.Cached(0, size); !ok {
		t.Skip("the system does not tell what is in memory")
	}
	must(t, s.With(func(b []byte) error {
		for i := range b {
			b[i] = byte(i) | 1
		}
		return nil
	}))
	if cached, dirty, _ := s.Cached(0, size); cached < size/2 || dirty == 0 {
		t.Errorf("after the stores %d bytes are cached and %d dirty, want %d at least and some", cached, dirty, size/2)
	}
	must(t, s.StartWriteback(0, size))
	must(t, s.WaitWriteback(0, size))
	if _, dirty, _ := s.Cached(0, size); dirty != 0 {
		t.Errorf("%d bytes are dirty after WaitWriteback", dirty)
	}
	must(t, s.Advise(0, size, mmapstore.DontNeed))
	if cached, _, _ := s.Cached(0, size); cached > size/2 {
		t.Logf("%d of %d bytes are cached after DontNeed: a file system in memory?", cached, size)
	}
	b := make([]byte, 3)
	if _, err := s.ReadAt(b, 4095); err != nil || b[0] != 255 || b[1] != 1 || b[2] != 1 {
		t.Errorf("read %v, %v", b, err)
	}
}

// A countdown is a context that ends when it has been looked at some times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestWriteBack writes in pieces, between which it looks at its context.
func TestWriteBack(t *testing.T) {
	const size, pieces = 44<<20 + 5, 6
	s, err := mmapstore.Map(filepath.Join(t.TempDir(), "new"), 0, size, mmapstore.Create, nil)
	must(t, err)
	defer releaseAll(s)
	must(t, s.With(func(b []byte) error {
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		return nil
	}))
	for _, left := range []int{0, pieces - 1} {
		ctx := &countdown{Context: t.Context(), left: left}
		if err := s.WriteBack(ctx, 0, -1); !errors.Is(err, context.Canceled) || ctx.left != -1 {
			t.Errorf("%d looks: error %v", left, err)
		}
	}
	must(t, s.WriteBack(t.Context(), 0, -1))
	if _, dirty, _ := s.Cached(0, size); dirty != 0 {
		t.Errorf("%d bytes are dirty", dirty)
	}
	must(t, s.Flush(0, -1))
	if err := s.WriteBack(t.Context(), 1, size); err == nil {
		t.Error("WriteBack past the end succeeded")
	}
}

func TestWritebackErrors(t *testing.T) {
	s := mapped(t, dataFile(t, 10_000), 0, -1, mmapstore.Shared)
	for name, call := range map[string]func(off, n int64) error{"StartWriteback": s.StartWriteback, "WaitWriteback": s.WaitWriteback} {
		if err := call(9_000, 1_001); err == nil {
			t.Errorf("%s past the end succeeded", name)
		}
		must(t, call(10_000, 0))
		must(t, call(0, -1))
	}
	if _, _, ok := s.Cached(9_000, 1_001); ok {
		t.Error("Cached past the end is known")
	}
	readOnly := mapped(t, dataFile(t, 10_000), 0, -1, mmapstore.ReadOnly)
	must(t, readOnly.StartWriteback(0, -1))
	releaseAll(s)
	if err := s.WaitWriteback(0, 1); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("WaitWriteback of a closed storage: %v", err)
	}
	if _, _, ok := s.Cached(0, 1); ok {
		t.Error("Cached of a closed storage is known")
	}
}
