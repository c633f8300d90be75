package mmapstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore/internal/testdir"
	"github.com/tstore/tstore/mmapstore"
)

// mountSmall mounts a file system in memory, of 2 MiB for tmpfs.
func mountSmall(t *testing.T, fstype string) string {
	t.Helper()
	return testdir.Mount(t, "tstore-test", fstype, 0, "size=2m")
}

// wantRoom checks that n bytes are free, by reserving them.
func wantRoom(t *testing.T, dir string, n int64) {
	t.Helper()
	s, err := mmapstore.Map(filepath.Join(dir, "room"), 0, n, mmapstore.Create, nil)
	must(t, err)
	must(t, s.Release())
	must(t, os.Remove(filepath.Join(dir, "room")))
}

func TestFullDiskIsAnErrorOfCreate(t *testing.T) {
	dir := mountSmall(t, "tmpfs")
	path := filepath.Join(dir, "new")
	for _, heap := range []bool{false, true} {
		_, err := mmapstore.Map(path, 4096, 8<<20, mmapstore.Create, &mmapstore.MapOptions{Copy: heap})
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Create: %v, want ENOSPC", err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file was left behind: %v", err)
		}
	}
	if _, err := mmapstore.WithAllocator(mmapstore.File{Dir: dir}, 8<<20); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("temporary file: %v, want ENOSPC", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	wantRoom(t, dir, 3<<19)
}

func TestFullDiskIsAnErrorOfGrow(t *testing.T) {
	dir := mountSmall(t, "tmpfs")
	for _, sort := range []string{"mapped", "copy", "temporary"} {
		t.Run(sort, func(t *testing.T) {
			path := filepath.Join(dir, sort)
			var s *mmapstore.Storage
			var err error
			if sort == "temporary" {
				s, err = mmapstore.WithAllocator(mmapstore.File{Dir: dir}, 100_000)
			} else {
				s, err = mmapstore.Map(path, 0, 100_000, mmapstore.Create, &mmapstore.MapOptions{Copy: sort == "copy"})
			}
			must(t, err)
			fill(t, s, pattern(100_000))
			if err := s.Grow(8 << 20); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("Grow: %v, want ENOSPC", err)
			}
			if s.Size() != 100_000 {
				t.Errorf("size %d after a failed Grow", s.Size())
			}
			wantBytes(t, s, pattern(100_000))
			wantRoom(t, dir, 1<<20)
			must(t, s.Grow(200_000))
			must(t, s.Flush(0, -1))
			must(t, s.Release())
			if sort == "temporary" {
				return
			}
			if info, err := os.Stat(path); err != nil || info.Size() != 200_000 {
				t.Errorf("file: %v, %v; want 200000 bytes", info, err)
			}
			must(t, os.Remove(path))
		})
	}
}

// TestFullDiskUnderSparseFile meets the full disk late, at a store.
func TestFullDiskUnderSparseFile(t *testing.T) {
	skipInRaceBuilds(t)
	path := filepath.Join(mountSmall(t, "tmpfs"), "sparse")
	s, err := mmapstore.Map(path, 0, 8<<20, mmapstore.Create, &mmapstore.MapOptions{Sparse: true})
	must(t, err)
	data := pattern(8 << 20)
	n, err := s.WriteAt(data, 0)
	fault, ok := errors.AsType[*mmapstore.FaultError](err)
	if !ok || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("WriteAt: %d, %v; want a *FaultError with ENOSPC", n, err)
	}
	if fault.Offset < int64(n) || fault.Offset >= 2<<20+int64(page) {
		t.Errorf("fault at %d after %d bytes on a disk of 2 MiB", fault.Offset, n)
	}
	back := make([]byte, n)
	if _, err := s.ReadAt(back, 0); err != nil || string(back) != string(data[:n]) {
		t.Errorf("what was written before: %v", err)
	}
	err = s.With(func(b []byte) error { b[7<<20] = 1; return nil })
	wantFault(t, err, path, 7<<20)
	must(t, s.Release())
}

// TestNoReservation takes a file system that can't reserve space.
func TestNoReservation(t *testing.T) {
	dir := mountSmall(t, "ramfs")
	path := filepath.Join(dir, "new")
	s, err := mmapstore.Map(path, 100, 5<<20, mmapstore.Create, nil)
	must(t, err)
	wantBytes(t, s, make([]byte, 5<<20))
	fill(t, s, pattern(5<<20))
	must(t, s.Grow(6<<20))
	wantBytes(t, s, append(pattern(5<<20), make([]byte, 1<<20)...))
	must(t, s.Release())
	info, err := os.Stat(path)
	must(t, err)
	if blocks := info.Sys().(*syscall.Stat_t).Blocks; blocks*512 < 6<<20 {
		t.Errorf("the file has %d bytes of space, want all of its 6 MiB", blocks*512)
	}

	// What the file has after the storage is not written over.
	s, err = mmapstore.Map(path, 100, 1000, mmapstore.Shared, nil)
	must(t, err)
	must(t, s.Grow(7<<20))
	wantPrefix(t, s, pattern(5<<20))
	must(t, s.Release())
}

func init() {
	children["file size limit"] = func(dir string) {
		limit := unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Println("setrlimit:", err)
			return
		}
		path := filepath.Join(dir, "new")
		_, err := mmapstore.Map(path, 0, 4<<20, mmapstore.Create, nil)
		_, statErr := os.Stat(path)
		s, smallErr := mmapstore.Map(path, 0, 1<<19, mmapstore.Create, nil)
		fmt.Println(errors.Is(err, syscall.EFBIG), errors.Is(statErr, fs.ErrNotExist), smallErr, s.Grow(1<<21) != nil, s.Release())
	}
}

// TestFileSizeLimit needs no root: a file larger than allowed is an error, not a signal.
func TestFileSizeLimit(t *testing.T) {
	out, err := runChild(t, "file size limit")
	if err != nil || !strings.HasSuffix(out, "true true <nil> true <nil>\n") {
		t.Errorf("child: %v\n%.1000s", err, out)
	}
}

func TestPipesAreNotWaitedFor(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, unix.Mkfifo(pipe, 0o644))
	if _, err := mmapstore.Map(pipe, 0, -1, mmapstore.ReadOnly, nil); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("mapping a pipe: %v", err)
	}
}

// TestReservedSpace checks that files have all of their space, or none when sparse.
func TestReservedSpace(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		t.Run(fmt.Sprint("sparse=", sparse), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new")
			s, err := mmapstore.Map(path, 0, 1<<20, mmapstore.Create, &mmapstore.MapOptions{Sparse: sparse})
			must(t, err)
			must(t, s.Grow(2<<20))
			var st unix.Stat_t
			must(t, unix.Stat(path, &st))
			if got, want := st.Blocks*512 >= 2<<20, !sparse; got != want || st.Size != 2<<20 {
				t.Errorf("%d bytes with %d of space", st.Size, st.Blocks*512)
			}
			must(t, s.Release())
		})
	}
}
