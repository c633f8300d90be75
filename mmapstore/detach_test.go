package mmapstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

// TestDetach maps, and copies, files that are closed at once.
func TestDetach(t *testing.T) {
	for name, opts := range map[string]*mmapstore.MapOptions{"mapped": {Detach: true}, "copied": {Detach: true, Copy: true}} {
		t.Run(name, func(t *testing.T) {
			path := dataFile(t, 20_000)
			want, err := os.ReadFile(path)
			must(t, err)
			before, _ := mmapstore.Held()
			s, err := mmapstore.Map(path, 100, 10_000, mmapstore.ReadOnly, opts)
			must(t, err)
			if now, _ := mmapstore.Held(); now != before {
				t.Errorf("%d descriptors, %d before", now, before)
			}
			if s.CanReadFile() {
				t.Error("it would read the file, which is closed")
			}
			must(t, s.CheckLength())
			must(t, s.Advise(0, -1, mmapstore.Sequential))
			must(t, os.Rename(path, path+".moved"))
			must(t, os.WriteFile(path, nil, 0o644))
			must(t, s.CheckLength())
			must(t, s.With(func(b []byte) error {
				if string(b) != string(want[100:10_100]) {
					t.Error("other bytes")
				}
				return nil
			}))
			must(t, s.Release())
		})
	}
	if _, err := mmapstore.Map(filepath.Join(t.TempDir(), "x"), 0, 5, mmapstore.Create, &mmapstore.MapOptions{Detach: true}); err == nil {
		t.Error("detached, and to be written")
	}
}

// TestDetachedFault cuts a file that is mapped and closed.
func TestDetachedFault(t *testing.T) {
	needCuts(t)
	path := dataFile(t, 20_000)
	s, err := mmapstore.Map(path, 0, 20_000, mmapstore.ReadOnly, &mmapstore.MapOptions{Detach: true})
	must(t, err)
	must(t, os.Truncate(path, 5000))
	if err := s.CheckLength(); !errors.Is(err, mmapstore.ErrTruncated) {
		t.Errorf("length: %v, want ErrTruncated", err)
	}
	_, err = s.ReadAt(make([]byte, 10), 15_000)
	var fault *mmapstore.FaultError
	if !errors.As(err, &fault) && !raceBuild {
		t.Errorf("read: %v, want a FaultError", err)
	}
	must(t, s.Release())
	if _, m := mmapstore.Held(); m != 0 {
		t.Errorf("%d mappings are left", m)
	}
}

// TestCopiesSideBySide changes bytes of one page through two copies of a file.
func TestCopiesSideBySide(t *testing.T) {
	path := dataFile(t, 5000)
	var all []*mmapstore.Storage
	for range 2 {
		s, err := mmapstore.Map(path, 0, -1, mmapstore.Shared, &mmapstore.MapOptions{Copy: true})
		must(t, err)
		all = append(all, s)
	}
	for i, s := range all {
		for at := int64(i); at < 5000; at += 2 {
			_, err := s.WriteAt([]byte{byte(201 + i)}, at)
			must(t, err)
		}
		must(t, s.Flush(0, -1))
	}
	got, err := os.ReadFile(path)
	must(t, err)
	for i, b := range got {
		if b != byte(201+i%2) {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
	for _, s := range all {
		must(t, s.Release())
	}
}
