package mmapstore_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/tstore/tstore/mmapstore"
)

// makers make a writable storage that holds content, of every sort there is.
var makers = []struct {
	name string
	make func(t *testing.T, content []byte) *mmapstore.Storage
}{
	{"heap", fromAllocator(mmapstore.Heap{})},
	{"anonymous", fromAllocator(mmapstore.Anonymous{})},
	{"anonymous small pages", fromAllocator(mmapstore.Anonymous{NoHugePages: true})},
	{"file", fromAllocator(mmapstore.File{})},
	{"borrowed", func(_ *testing.T, content []byte) *mmapstore.Storage {
		return mmapstore.FromBytes(bytes.Clone(content))
	}},
	{"shared", fromFile(mmapstore.Shared, nil)},
	{"private", fromFile(mmapstore.Private, nil)},
	{"shared copy", fromFile(mmapstore.Shared, &mmapstore.MapOptions{Copy: true})},
	{"shared copy of a sole writer", fromFile(mmapstore.Shared, &mmapstore.MapOptions{Copy: true, SoleWriter: true})},
	{"private copy", fromFile(mmapstore.Private, &mmapstore.MapOptions{Copy: true})},
	{"create", fromCreated(nil)},
	{"create sparse", fromCreated(&mmapstore.MapOptions{Sparse: true})},
	{"create copy", fromCreated(&mmapstore.MapOptions{Copy: true})},
	{"range", func(t *testing.T, content []byte) *mmapstore.Storage {
		whole, err := mmapstore.New(int64(len(content)) + 100)
		must(t, err)
		part, err := whole.Range(77, int64(len(content)))
		must(t, err)
		must(t, whole.Release())
		return fill(t, part, content)
	}},
	{"range of range of file", func(t *testing.T, content []byte) *mmapstore.Storage {
		whole, err := mmapstore.Map(dataFile(t, len(content)+9000), 3, -1, mmapstore.Shared, nil)
		must(t, err)
		middle, err := whole.Range(4000, int64(len(content))+50)
		must(t, err)
		part, err := middle.Range(33, int64(len(content)))
		must(t, err)
		must(t, whole.Release())
		must(t, middle.Release())
		return fill(t, part, content)
	}},
}

func fromAllocator(a mmapstore.Allocator) func(*testing.T, []byte) *mmapstore.Storage {
	return func(t *testing.T, content []byte) *mmapstore.Storage {
		s, err := mmapstore.WithAllocator(a, int64(len(content)))
		must(t, err)
		return fill(t, s, content)
	}
}

func fromFile(mode mmapstore.Mode, o *mmapstore.MapOptions) func(*testing.T, []byte) *mmapstore.Storage {
	return func(t *testing.T, content []byte) *mmapstore.Storage {
		s, err := mmapstore.Map(dataFile(t, len(content)+5000), 4567, int64(len(content)), mode, o)
		must(t, err)
		return fill(t, s, content)
	}
}

func fromCreated(o *mmapstore.MapOptions) func(*testing.T, []byte) *mmapstore.Storage {
	return func(t *testing.T, content []byte) *mmapstore.Storage {
		s, err := mmapstore.Map(t.TempDir()+"/new", 4096, int64(len(content)), mmapstore.Create, o)
		must(t, err)
		wantBytes(t, s, make([]byte, len(content)))
		return fill(t, s, content)
	}
}

func fill(t *testing.T, s *mmapstore.Storage, content []byte) *mmapstore.Storage {
	t.Helper()
	n, err := s.WriteAt(content, 0)
	if n != len(content) || err != nil {
		t.Fatalf("WriteAt = %d, %v; want %d, nil", n, err, len(content))
	}
	return s
}

// TestContract holds every sort of storage to the same behaviour.
func TestContract(t *testing.T) {
	content := pattern(3<<20 + 123) // several copy chunks and a rest
	for _, maker := range makers {
		t.Run(maker.name, func(t *testing.T) {
			t.Run("bytes", func(t *testing.T) { testBytes(t, maker.make(t, content), content) })
			t.Run("bounds", func(t *testing.T) { testBounds(t, maker.make(t, content[:100])) })
			t.Run("lifetime", func(t *testing.T) { testLifetime(t, maker.make(t, content[:100]), content[:100]) })
			t.Run("range", func(t *testing.T) { testRange(t, maker.make(t, content), content) })
			t.Run("advice", func(t *testing.T) { testAdviceKeepsBytes(t, maker.make(t, content), content) })
			t.Run("empty", func(t *testing.T) { testEmpty(t, maker.make(t, nil)) })
		})
	}
}

func testBytes(t *testing.T, s *mmapstore.Storage, content []byte) {
	wantBytes(t, s, content)
	if s.Size() != int64(len(content)) || !s.Writable() || s.Place() != mmapstore.CPU {
		t.Errorf("size %d, writable %v, place %v", s.Size(), s.Writable(), s.Place())
	}
	all := make([]byte, len(content))
	if n, err := s.ReadAt(all, 0); n != len(all) || err != nil || !bytes.Equal(all, content) {
		t.Errorf("ReadAt of everything: %d, %v, equal: %v", n, err, bytes.Equal(all, content))
	}
	must(t, iotest.TestReader(io.NewSectionReader(s, 100, 500), content[100:600]))
	must(t, s.Flush(0, -1))
	must(t, s.CheckLength())
	must(t, s.Release())
}

func testBounds(t *testing.T, s *mmapstore.Storage) {
	buf := make([]byte, 10)
	reads := []struct {
		name string
		off  int64
		n    int
		err  error
	}{
		{"inside", 0, 10, nil},
		{"up to the end", 90, 10, nil},
		{"over the end", 95, 5, io.EOF},
		{"at the end", 100, 0, io.EOF},
		{"far behind", 1 << 62, 0, io.EOF},
	}
	for _, r := range reads {
		if n, err := s.ReadAt(buf, r.off); n != r.n || err != r.err {
			t.Errorf("ReadAt %s: %d, %v; want %d, %v", r.name, n, err, r.n, r.err)
		}
	}
	if n, err := s.ReadAt(buf, -1); n != 0 || err == nil {
		t.Errorf("ReadAt -1: %d, %v; want an error", n, err)
	}
	for _, off := range []int64{-1, 91, 101, 1 << 62} {
		if n, err := s.WriteAt(buf, off); n != 0 || err == nil {
			t.Errorf("WriteAt %d: %d, %v; want an error", off, n, err)
		}
		if _, err := s.Range(off, 10); err == nil {
			t.Errorf("Range(%d, 10) of 100 bytes succeeded", off)
		}
		if err := s.Flush(off, 10); err == nil {
			t.Errorf("Flush(%d, 10) of 100 bytes succeeded", off)
		}
		if err := s.Advise(off, 10, mmapstore.Normal); err == nil {
			t.Errorf("Advise(%d, 10) of 100 bytes succeeded", off)
		}
	}
	if _, err := s.Range(0, -1); err == nil {
		t.Error("Range of -1 bytes succeeded")
	}
	must(t, s.With(func(b []byte) error {
		if cap(b) != len(b) {
			t.Errorf("capacity %d reaches past the %d bytes of the storage", cap(b), len(b))
		}
		return nil
	}))
	must(t, s.Release())
}

func testLifetime(t *testing.T, s *mmapstore.Storage, content []byte) {
	again, err := s.Retain()
	must(t, err)
	must(t, s.Release())
	wantBytes(t, again, content)
	pin, err := again.Pin()
	must(t, err)
	if !bytes.Equal(pin.Bytes(), content) {
		t.Error("pinned bytes differ")
	}
	pin.Unpin()
	must(t, again.Release())
	testClosed(t, s)
}

// testClosed wants ErrClosed from everything that can return it.
func testClosed(t *testing.T, s *mmapstore.Storage) {
	t.Helper()
	calls := map[string]func() error{
		"Release":     s.Release,
		"Retain":      func() error { _, err := s.Retain(); return err },
		"Pin":         func() error { _, err := s.Pin(); return err },
		"Range":       func() error { _, err := s.Range(0, 0); return err },
		"With":        func() error { return s.With(func([]byte) error { t.Error("With ran"); return nil }) },
		"Flush":       func() error { return s.Flush(0, 0) },
		"Advise":      func() error { return s.Advise(0, 0, mmapstore.Normal) },
		"CheckLength": s.CheckLength,
		"ReadAt":      func() error { _, err := s.ReadAt(make([]byte, 1), 0); return err },
		"WriteAt":     func() error { _, err := s.WriteAt(nil, 0); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("%s of a closed storage: %v, want ErrClosed", name, err)
		}
	}
}

func testRange(t *testing.T, s *mmapstore.Storage, content []byte) {
	const off, n = 5001, 70_000
	part, err := s.Range(off, n)
	must(t, err)
	inner, err := part.Range(7, 100)
	must(t, err)
	if part.FileOffset()-s.FileOffset() != off && s.Path() != "" {
		t.Errorf("range at file offset %d, storage at %d", part.FileOffset(), s.FileOffset())
	}
	if part.Owned() != s.Owned() || part.Mapped() != s.Mapped() || part.Path() != s.Path() || part.Kind() != s.Kind() {
		t.Error("the range describes itself unlike its storage")
	}
	must(t, s.Release())
	wantBytes(t, part, content[off:off+n])
	if _, err := part.WriteAt([]byte("changed"), 7); err != nil {
		t.Error(err)
	}
	must(t, part.Flush(3, 20_000))
	must(t, part.Release())
	testClosed(t, part)
	wantBytes(t, inner, append([]byte("changed"), content[off+14:off+107]...))
	must(t, inner.Release())
	testClosed(t, inner)
}

func testAdviceKeepsBytes(t *testing.T, s *mmapstore.Storage, content []byte) {
	for a := mmapstore.Normal; a <= mmapstore.PopulateWrite; a++ {
		must(t, s.Advise(0, -1, a))
		must(t, s.Advise(1, 5000, a))
		must(t, s.Advise(s.Size()-1, 1, a))
		wantBytes(t, s, content)
	}
	if err := s.Advise(0, -1, mmapstore.PopulateWrite+1); err == nil {
		t.Error("unknown advice was taken")
	}
	must(t, s.Release())
}

func testEmpty(t *testing.T, s *mmapstore.Storage) {
	wantBytes(t, s, nil)
	if n, err := s.ReadAt(make([]byte, 1), 0); n != 0 || err != io.EOF {
		t.Errorf("ReadAt = %d, %v", n, err)
	}
	part, err := s.Range(0, 0)
	must(t, err)
	must(t, part.Release())
	must(t, s.Flush(0, -1))
	must(t, s.Advise(0, -1, mmapstore.PopulateRead))
	must(t, s.Release())
}
