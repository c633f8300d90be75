package mmapstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/mmapstore"
)

func TestMapOffsets(t *testing.T) {
	const length = 300_000
	path := dataFile(t, length)
	content := pattern(length)
	for _, offset := range []int64{0, 1, 63, 4095, 4096, 4097, 16_384, 65_536, 65_537, length - 1, length} {
		for _, size := range []int64{0, 1, 4096, 10_000, -1} {
			if size > length-offset {
				continue
			}
			t.Run(fmt.Sprint(offset, "+", size), func(t *testing.T) {
				s := mapped(t, path, offset, size, mmapstore.ReadOnly)
				want := content[offset:]
				if size >= 0 {
					want = want[:size]
				}
				wantBytes(t, s, want)
				if s.FileOffset() != offset || s.Path() != path || !s.Mapped() || !s.Owned() {
					t.Errorf("%q at %d, mapped %v, owned %v", s.Path(), s.FileOffset(), s.Mapped(), s.Owned())
				}
				must(t, s.CheckLength())
			})
		}
	}
}

func TestMapErrors(t *testing.T) {
	dir := t.TempDir()
	path := dataFile(t, 100)
	tests := []struct {
		name         string
		path         string
		offset, size int64
		mode         mmapstore.Mode
		want         error // nil: any
	}{
		{"size past the end", path, 0, 101, mmapstore.ReadOnly, mmapstore.ErrTruncated},
		{"offset and size past the end", path, 60, 41, mmapstore.Shared, mmapstore.ErrTruncated},
		{"offset past the end", path, 101, -1, mmapstore.Private, mmapstore.ErrTruncated},
		{"offset past the end, no size", path, 101, 0, mmapstore.ReadOnly, mmapstore.ErrTruncated},
		{"huge", path, 1, math.MaxInt64 - 1<<21, mmapstore.ReadOnly, mmapstore.ErrTruncated},
		{"overflow", path, math.MaxInt64, math.MaxInt64, mmapstore.ReadOnly, nil},
		{"negative offset", path, -1, 10, mmapstore.ReadOnly, nil},
		{"negative size", path, 0, -2, mmapstore.ReadOnly, nil},
		{"unknown mode", path, 0, 10, mmapstore.Create + 1, nil},
		{"missing", filepath.Join(dir, "none"), 0, -1, mmapstore.ReadOnly, fs.ErrNotExist},
		{"existing", path, 0, 10, mmapstore.Create, fs.ErrExist},
		{"create to the end", filepath.Join(dir, "new"), 0, -1, mmapstore.Create, nil},
		{"create too large", filepath.Join(dir, "new"), 0, math.MaxInt64 - 1<<21, mmapstore.Create, nil},
		{"folder", dir, 0, 0, mmapstore.ReadOnly, nil},
		{"empty name", "", 0, 0, mmapstore.ReadOnly, fs.ErrNotExist},
	}
	for _, test := range tests {
		for _, heap := range []bool{false, true} {
			t.Run(fmt.Sprint(test.name, " copy=", heap), func(t *testing.T) {
				s, err := mmapstore.Map(test.path, test.offset, test.size, test.mode, &mmapstore.MapOptions{Copy: heap})
				if err == nil {
					releaseAll(s)
					t.Fatal("no error")
				}
				if test.want != nil && !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				if _, err := os.Stat(filepath.Join(dir, "new")); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("a file was left behind: %v", err)
				}
			})
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, pattern(100)) {
		t.Errorf("the file was changed: %v", err)
	}
}

func TestModesAndTheFile(t *testing.T) {
	tests := []struct {
		mode    mmapstore.Mode
		reaches bool
	}{
		{mmapstore.Shared, true},
		{mmapstore.Private, false},
	}
	for _, test := range tests {
		for _, heap := range []bool{false, true} {
			t.Run(fmt.Sprint(test.mode, " copy=", heap), func(t *testing.T) {
				path := dataFile(t, 20_000)
				s, err := mmapstore.Map(path, 5000, 10_000, test.mode, &mmapstore.MapOptions{Copy: heap})
				must(t, err)
				want := pattern(20_000)
				changed := bytes.Clone(want)
				copy(changed[9000:], "stored")
				fill(t, mustRange(t, s, 4000, 6), []byte("stored"))
				wantBytes(t, s, changed[5000:15_000])
				must(t, s.Advise(0, -1, mmapstore.DontNeed))
				wantBytes(t, s, changed[5000:15_000])
				must(t, s.Flush(4000, 6))
				must(t, s.Release())
				if test.reaches {
					want = changed
				}
				got, err := os.ReadFile(path)
				must(t, err)
				if !bytes.Equal(got, want) {
					t.Error("the file does not hold what it should")
				}
			})
		}
	}
}

// mustRange is a range that ends with the test.
func mustRange(t *testing.T, s *mmapstore.Storage, off, n int64) *mmapstore.Storage {
	t.Helper()
	part, err := s.Range(off, n)
	must(t, err)
	must(t, part.Release())
	part, err = s.Range(off, n)
	must(t, err)
	t.Cleanup(func() { releaseAll(part) })
	return part
}

func TestCreate(t *testing.T) {
	for _, o := range []mmapstore.MapOptions{{}, {Sparse: true}, {Copy: true}, {Copy: true, SoleWriter: true}, {Perm: 0o600}} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new")
			s, err := mmapstore.Map(path, 4096, 1<<20, mmapstore.Create, &o)
			must(t, err)
			fill(t, s, pattern(1<<20))
			must(t, s.Flush(0, -1))
			must(t, s.Release())
			got, err := os.ReadFile(path)
			must(t, err)
			if !bytes.Equal(got, append(make([]byte, 4096), pattern(1<<20)...)) {
				t.Error("the file does not hold the header space and what was stored")
			}
			info, err := os.Stat(path)
			must(t, err)
			if o.Perm != 0 && info.Mode().Perm() != o.Perm && runtime.GOOS != "windows" { // which has no such bits
				t.Errorf("permissions %o, want %o", info.Mode().Perm(), o.Perm)
			}
		})
	}
}

func TestMapFile(t *testing.T) {
	path := dataFile(t, 10_000)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	s, err := mmapstore.MapFile(f, 100, 500, mmapstore.Shared)
	must(t, err)
	must(t, f.Close())
	wantBytes(t, s, pattern(10_000)[100:600])
	fill(t, s, bytes.Repeat([]byte{7}, 500))
	must(t, s.Flush(0, -1))
	must(t, s.Grow(1000))
	must(t, s.Release())

	f, err = os.Open(path)
	must(t, err)
	defer f.Close()
	if s, err := mmapstore.MapFile(f, 9000, 1001, mmapstore.ReadOnly); !errors.Is(err, mmapstore.ErrTruncated) {
		t.Errorf("got %v, %v; want ErrTruncated", s, err)
	}
	if _, err := mmapstore.MapFile(f, -1, 1, mmapstore.ReadOnly); err == nil {
		t.Error("negative offset was taken")
	}
	s, err = mmapstore.MapFile(f, 99, 502, mmapstore.ReadOnly)
	must(t, err)
	want := append(append([]byte{pattern(100)[99]}, bytes.Repeat([]byte{7}, 500)...), pattern(601)[600])
	wantBytes(t, s, want)
	must(t, s.Release())

	fresh, err := os.Create(filepath.Join(t.TempDir(), "fresh"))
	must(t, err)
	s, err = mmapstore.MapFile(fresh, 64, 100, mmapstore.Create)
	must(t, err)
	must(t, s.Release())
	if info, err := fresh.Stat(); err != nil || info.Size() != 164 {
		t.Errorf("created file: %v, %v; want 164 bytes", info, err)
	}
	must(t, fresh.Close())
	if _, err := mmapstore.MapFile(fresh, 0, 0, mmapstore.ReadOnly); err == nil {
		t.Error("a closed file was mapped")
	}
}

// TestCopiesWriteChangedPagesOnly lets two copies over one file change different pages.
func TestCopiesWriteChangedPagesOnly(t *testing.T) {
	path := dataFile(t, 40_000)
	o := &mmapstore.MapOptions{Copy: true}
	a, err := mmapstore.Map(path, 0, -1, mmapstore.Shared, o)
	must(t, err)
	b, err := mmapstore.Map(path, 0, -1, mmapstore.Shared, o)
	must(t, err)
	want := pattern(40_000)
	for i, s := range []*mmapstore.Storage{a, b} {
		text := fmt.Sprint("written by ", i)
		if _, err := s.WriteAt([]byte(text), int64(i+1)*10_000); err != nil {
			t.Fatal(err)
		}
		copy(want[(i+1)*10_000:], text)
	}
	must(t, a.Flush(0, -1))
	must(t, b.Release())
	must(t, a.Release())
	got, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Error("one copy has undone the other's stores")
	}
}

// TestCopiesOfSoleWriters changes two bytes of a page of a copy, and a third between them in the
// file behind its back: that one is undone only when the copy was promised that nobody would change
// it.
func TestCopiesOfSoleWriters(t *testing.T) {
	for _, alone := range []bool{false, true} {
		t.Run(fmt.Sprint("alone=", alone), func(t *testing.T) {
			path := dataFile(t, 20_000)
			s, err := mmapstore.Map(path, 100, 15_000, mmapstore.Shared, &mmapstore.MapOptions{Copy: true, SoleWriter: alone})
			must(t, err)
			want := pattern(20_000)
			for _, off := range []int64{9_000, 10_000, 14_999} {
				want[100+off] ^= 0xff
				if _, err := s.WriteAt(want[100+off:][:1], off); err != nil {
					t.Fatal(err)
				}
			}
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			for off, undone := range map[int64]bool{9_600: alone, 5_000: false, 15_100: false} {
				b := []byte{^want[off]}
				if !undone {
					want[off] = b[0]
				}
				_, err := f.WriteAt(b, off)
				must(t, err)
			}
			must(t, f.Close())
			must(t, s.Flush(0, -1))
			must(t, s.Release())
			got, err := os.ReadFile(path)
			must(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	got := fmt.Sprint(mmapstore.ReadOnly, mmapstore.Create, mmapstore.Mode(9), mmapstore.Normal, mmapstore.PopulateWrite,
		mmapstore.Advice(99), mmapstore.KindHeap, mmapstore.KindOther, mmapstore.Kind(99))
	want := "read-only create Mode(9) normal populate-write Advice(99) heap other Kind(99)"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
