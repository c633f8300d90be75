package mmapstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/mmapstore"
)

var allocators = []struct {
	kind mmapstore.Kind
	mmapstore.Allocator
}{
	{mmapstore.KindHeap, mmapstore.Heap{}},
	{mmapstore.KindAnonymous, mmapstore.Anonymous{}},
	{mmapstore.KindFile, mmapstore.File{}},
}

func TestAllocators(t *testing.T) {
	for _, a := range allocators {
		t.Run(a.kind.String(), func(t *testing.T) {
			for _, size := range []int64{0, 1, 63, 64, 65, 4095, 4097, 100_000, 5 << 20} {
				blk, err := a.Alloc(size)
				must(t, err)
				b := blk.Bytes()
				if addr := uintptr(unsafe.Pointer(unsafe.SliceData(b))); size > 0 && addr%64 != 0 {
					t.Errorf("%d bytes at %#x: not aligned to 64", size, addr)
				}
				if !bytes.Equal(b, make([]byte, size)) || cap(b) != len(b) {
					t.Errorf("%d bytes: got %d of capacity %d, or not zero", size, len(b), cap(b))
				}
				if blk.Size() != size || blk.Place() != mmapstore.CPU || a.Place() != mmapstore.CPU || blk.Kind() != a.kind || blk.Device() != nil {
					t.Errorf("%d bytes: the block says %d, %v, %v", size, blk.Size(), blk.Place(), blk.Kind())
				}
				clear(b[:min(size, 1)])
				must(t, blk.Free())
				if err := blk.Free(); !errors.Is(err, mmapstore.ErrClosed) {
					t.Errorf("second Free: %v, want ErrClosed", err)
				}
			}
		})
	}
}

// TestHugeAllocations wants errors, not the end of the process.
func TestHugeAllocations(t *testing.T) {
	for _, a := range allocators {
		for _, size := range []int64{math.MaxInt64, math.MaxInt64 - 1<<20, 1 << 55, -1, math.MinInt64} {
			if a.kind == mmapstore.KindFile && size == 1<<55 {
				continue // sparse file systems may grant it
			}
			s, err := mmapstore.WithAllocator(a, size)
			if err == nil {
				t.Errorf("%s: %d bytes were granted", a.kind, size)
				releaseAll(s)
			}
		}
	}
}

// TestLargeHeap takes the path on which the system is asked first.
func TestLargeHeap(t *testing.T) {
	s, err := mmapstore.New(65 << 20)
	must(t, err)
	if n, err := s.WriteAt([]byte{1}, s.Size()-1); n != 1 || err != nil {
		t.Errorf("WriteAt: %d, %v", n, err)
	}
	must(t, s.Release())
}

func TestTemporaryFilesVanish(t *testing.T) {
	dir := t.TempDir()
	s, err := mmapstore.WithAllocator(mmapstore.File{Dir: dir}, 10_000)
	must(t, err)
	if s.Path() != "" || s.Mapped() || s.Kind() != mmapstore.KindFile {
		t.Errorf("path %q, mapped %v, kind %v", s.Path(), s.Mapped(), s.Kind())
	}
	if runtime.GOOS != "windows" {
		wantEmpty(t, dir)
	}
	must(t, s.Release())
	wantEmpty(t, dir)
	wantNotInUse(t, dir)
	if _, err := mmapstore.WithAllocator(mmapstore.File{Dir: dir + "/none"}, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%s holds %v, %v", dir, left, err)
	}
}

// pool is an allocator of somebody else's: it hands out pieces of the heap and counts them.
type pool struct {
	extra int64 // what Alloc gets wrong
	freed int
	err   error // of freeing
	last  mmapstore.Block
}

func (p *pool) Place() mmapstore.Place { return mmapstore.CPU }

func (p *pool) Alloc(size int64) (mmapstore.Block, error) {
	p.last = mmapstore.NewBlock(make([]byte, size+p.extra), mmapstore.KindOther, func() error { p.freed++; return p.err })
	return p.last, nil
}

func TestForeignAllocator(t *testing.T) {
	p := &pool{}
	s, err := mmapstore.WithAllocator(p, 100)
	must(t, err)
	fill(t, s, pattern(100))
	must(t, s.Grow(200))
	wantBytes(t, s, append(pattern(100), make([]byte, 100)...))
	if p.freed != 1 {
		t.Errorf("%d blocks freed by Grow, want 1", p.freed)
	}
	p.err = errors.New("no luck")
	if err := s.Release(); !errors.Is(err, p.err) {
		t.Errorf("Release: %v, want the error of freeing", err)
	}
	if err := s.Release(); !errors.Is(err, mmapstore.ErrClosed) || p.freed != 2 {
		t.Errorf("second Release: %v, %d blocks freed; want ErrClosed, 2", err, p.freed)
	}
	if _, err := mmapstore.WithAllocator(&pool{extra: 1}, 100); err == nil || !strings.Contains(err.Error(), "101") {
		t.Errorf("an allocator that returns too much: %v", err)
	}
}

// ram stands for a device: memory that is reached by reading and writing only.
type ram struct{ b []byte }

func (r *ram) ReadAt(p []byte, off int64) (int, error)  { return copy(p, r.b[off:]), nil }
func (r *ram) WriteAt(p []byte, off int64) (int, error) { return copy(r.b[off:], p), nil }

type ramAllocator struct{ gpu int }

func (a ramAllocator) Place() mmapstore.Place { return mmapstore.GPU(a.gpu) }

func (a ramAllocator) Alloc(size int64) (mmapstore.Block, error) {
	r := &ram{make([]byte, size)}
	return mmapstore.NewDeviceBlock(a.Place(), size, r, func() error { r.b = nil; return nil }), nil
}

func TestDevice(t *testing.T) {
	s, err := mmapstore.WithAllocator(ramAllocator{gpu: 1}, 1000)
	must(t, err)
	if s.Place() != mmapstore.GPU(1) || s.Kind() != mmapstore.KindDevice || s.Size() != 1000 || !s.Writable() {
		t.Errorf("place %v, kind %v, size %d", s.Place(), s.Kind(), s.Size())
	}
	part, err := s.Range(100, 50)
	must(t, err)
	fill(t, part, pattern(50))
	memory := s.Device().(*ram)
	if !bytes.Equal(memory.b[100:150], pattern(50)) || part.Device() != s.Device() {
		t.Error("the range was not written through")
	}
	all := make([]byte, 60)
	if n, err := part.ReadAt(all, 0); n != 50 || err == nil || !bytes.Equal(all[:50], pattern(50)) {
		t.Errorf("ReadAt: %d, %v", n, err)
	}
	_, pinErr := s.Pin()
	calls := map[string]error{
		"With": s.With(func([]byte) error { return nil }),
		"Pin":  pinErr,
	}
	for name, err := range calls {
		if !errors.Is(err, mmapstore.ErrPlace) || !strings.Contains(fmt.Sprint(err), "gpu:1") {
			t.Errorf("%s: %v, want ErrPlace and gpu:1", name, err)
		}
	}
	must(t, s.Flush(0, -1))
	must(t, s.Advise(0, -1, mmapstore.PopulateRead))
	must(t, part.Release())
	if err := s.Grow(2000); !errors.Is(err, mmapstore.ErrPlace) {
		t.Errorf("Grow: %v, want ErrPlace", err)
	}
	must(t, s.Release())
	if memory.b != nil {
		t.Error("the device memory was not freed")
	}
}

// TestFileOnFree leaves it to a function when a file is given back.
func TestFileOnFree(t *testing.T) {
	var later func() error
	s, err := mmapstore.WithAllocator(mmapstore.File{Dir: t.TempDir(), OnFree: func(size int64, release func() error) error {
		if size != 5000 {
			t.Errorf("a file of %d bytes, want 5000", size)
		}
		later = release
		return nil
	}}, 5000)
	must(t, err)
	if later != nil {
		t.Error("it is let go while it is used")
	}
	must(t, s.Release())
	if later == nil {
		t.Fatal("it is not let go")
	}
	must(t, later())
}
