package mmapstore_test

import (
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

// benchStorage is a mapped file of size bytes.
func benchStorage(b *testing.B, size int64) *mmapstore.Storage {
	b.Helper()
	s, err := mmapstore.Map(filepath.Join(b.TempDir(), "data"), 0, size, mmapstore.Create, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Release(); err != nil {
			b.Error(err)
		}
	})
	return s
}

func BenchmarkWith(b *testing.B) {
	s := benchStorage(b, 4096)
	sum := 0
	b.ReportAllocs()
	for b.Loop() {
		if err := s.With(func(p []byte) error { sum += len(p); return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPin(b *testing.B) {
	s := benchStorage(b, 4096)
	b.ReportAllocs()
	for b.Loop() {
		p, err := s.Pin()
		if err != nil {
			b.Fatal(err)
		}
		p.Unpin()
	}
}

func BenchmarkGuard(b *testing.B) {
	s := benchStorage(b, 4096)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Guard(func() error { n++; return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadAt(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"8B", 8}, {"64KiB", 64 << 10}} {
		b.Run(size.name, func(b *testing.B) {
			s := benchStorage(b, 1<<20)
			p := make([]byte, size.n)
			b.SetBytes(int64(size.n))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.ReadAt(p, 4096); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRange(b *testing.B) {
	s := benchStorage(b, 1<<20)
	b.ReportAllocs()
	for b.Loop() {
		r, err := s.Range(4096, 4096)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Release(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMapRelease(b *testing.B) {
	path := filepath.Join(b.TempDir(), "data")
	s, err := mmapstore.Map(path, 0, 8<<20, mmapstore.Create, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Release(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := mmapstore.Map(path, 0, -1, mmapstore.ReadOnly, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Release(); err != nil {
			b.Fatal(err)
		}
	}
}
