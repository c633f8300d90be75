package mmapstore_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

// TestFailedFlushIsFinal makes a flush fail for good, then mends the file: the storage must not
// pretend that its bytes are safe.
func TestFailedFlushIsFinal(t *testing.T) {
	for _, heap := range []bool{false, true} {
		t.Run(fmt.Sprint("copy=", heap), func(t *testing.T) {
			if !heap {
				needCuts(t)
			}
			path := dataFile(t, 20_000)
			s, err := mmapstore.Map(path, 0, -1, mmapstore.Shared, &mmapstore.MapOptions{Copy: heap})
			must(t, err)
			part := mustRange(t, s, 0, 100)
			fill(t, part, []byte("unsafe"))
			must(t, os.Truncate(path, 15_000))
			if err := part.Flush(0, -1); !errors.Is(err, mmapstore.ErrTruncated) || errors.Is(err, mmapstore.ErrPoisoned) {
				t.Fatalf("first Flush: %v, want ErrTruncated", err)
			}
			must(t, os.Truncate(path, 20_000))

			wantPoisoned(t, "range", part)
			must(t, part.Release())
			wantPoisoned(t, "storage", s)
			if err := s.Grow(30_000); !errors.Is(err, mmapstore.ErrPoisoned) {
				t.Errorf("Grow: %v, want ErrPoisoned", err)
			}
			must(t, s.Release())
		})
	}
}

// wantPoisoned wants s to refuse writes, to say why, and to be readable.
func wantPoisoned(t *testing.T, name string, s *mmapstore.Storage) {
	t.Helper()
	_, err := s.WriteAt([]byte{1}, 0)
	for call, err := range map[string]error{"WriteAt": err, "Flush": s.Flush(0, -1)} {
		if !errors.Is(err, mmapstore.ErrPoisoned) || !errors.Is(err, mmapstore.ErrTruncated) {
			t.Errorf("%s of the %s: %v, want ErrPoisoned and the cause", call, name, err)
		}
	}
	if s.Writable() {
		t.Errorf("the %s is writable", name)
	}
	b := make([]byte, 6)
	if _, err := s.ReadAt(b, 0); err != nil || string(b) != "unsafe" {
		t.Errorf("reading the %s: %q, %v", name, b, err)
	}
}

func TestFlushWithoutFile(t *testing.T) {
	s := mapped(t, dataFile(t, 5000), 0, -1, mmapstore.ReadOnly)
	must(t, s.Flush(0, -1))
	must(t, s.Flush(4000, 1000))
	if err := s.Flush(4000, 1001); err == nil {
		t.Error("Flush past the end succeeded")
	}
}
