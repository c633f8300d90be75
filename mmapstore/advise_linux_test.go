package mmapstore_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/tstore/tstore/internal/testdir"
	"github.com/tstore/tstore/mmapstore"
)

// TestWillNeed starts to read a file that is longer than any read-ahead, and looks that all of it
// comes to memory. Advice is a hint, so that some of it may stay away.
func TestWillNeed(t *testing.T) {
	const size = 32 << 20
	s, err := mmapstore.Map(filepath.Join(testdir.OnDisk(t), "new"), 0, size, mmapstore.Create, nil)
	must(t, err)
	defer releaseAll(s)
	must(t, s.With(func(b []byte) error {
		for i := range b {
			b[i] = byte(i) | 1
		}
		return nil
	}))
	must(t, s.StartWriteback(0, size))
	must(t, s.WaitWriteback(0, size))
	must(t, s.Advise(0, size, mmapstore.DontNeed))
	if cached, _, ok := s.Cached(0, size); !ok || cached > size/8 {
		t.Skip("the system does not tell what is in memory, or the file is in memory for good")
	}

	must(t, s.Advise(0, size, mmapstore.WillNeed))
	var cached int64
	for range 100 {
		if cached, _, _ = s.Cached(0, size); cached > size/4*3 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d of %d bytes are in memory, expected nearly all", cached, size)
}
