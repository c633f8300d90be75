package fsx_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tstore/tstore/internal/fsx"
)

// script uses each operation once, in a fresh folder, and returns the first error.
func script(fsys fsx.FS, dir string) error {
	f, err := fsys.OpenFile(filepath.Join(dir, "a"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	err = scriptFile(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := fsys.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		return err
	}
	if err := fsys.SyncDir(dir); err != nil {
		return err
	}
	if err := fsys.Mkdir(filepath.Join(dir, "c"), 0o755); err != nil {
		return err
	}
	return fsys.Remove(filepath.Join(dir, "c"))
}

func scriptFile(f fsx.File) error {
	if _, err := f.Write([]byte("abcdef")); err != nil {
		return err
	}
	if _, err := f.WriteAt([]byte("ABCD"), 2); err != nil {
		return err
	}
	if err := f.StartWriteback(0, 6); err != nil {
		return err
	}
	if err := f.WaitWriteback(0, 6); err != nil {
		return err
	}
	if err := f.Truncate(5); err != nil {
		return err
	}
	if err := f.Chmod(0o444); err != nil {
		return err
	}
	return f.Sync()
}

func wantLog(dir string) []fsx.Op {
	a, b, c := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
	return []fsx.Op{
		{N: 1, Kind: fsx.OpCreate, Path: a},
		{N: 2, Kind: fsx.OpWrite, Path: a, Off: -1, Len: 6},
		{N: 3, Kind: fsx.OpWrite, Path: a, Off: 2, Len: 4},
		{N: 4, Kind: fsx.OpStartWriteback, Path: a, Len: 6},
		{N: 5, Kind: fsx.OpWaitWriteback, Path: a, Len: 6},
		{N: 6, Kind: fsx.OpTruncate, Path: a, Len: 5},
		{N: 7, Kind: fsx.OpChmod, Path: a},
		{N: 8, Kind: fsx.OpSync, Path: a},
		{N: 9, Kind: fsx.OpClose, Path: a},
		{N: 10, Kind: fsx.OpRename, Path: a, To: b},
		{N: 11, Kind: fsx.OpSyncDir, Path: dir},
		{N: 12, Kind: fsx.OpMkdir, Path: c},
		{N: 13, Kind: fsx.OpRemove, Path: c},
	}
}

func TestFaultyLog(t *testing.T) {
	dir := t.TempDir()
	fsys := fsx.NewFaulty(fsx.OS)
	if err := script(fsys, dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantLog(dir), fsys.Log()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	got, err := os.ReadFile(filepath.Join(dir, "b"))
	if err != nil || string(got) != "abABC" {
		t.Errorf("the file has %q, %v", got, err)
	}
}

// TestFailAt fails each operation in turn: the script must see the error of just that one.
func TestFailAt(t *testing.T) {
	for k := 1; k <= 13; k++ {
		dir := t.TempDir()
		fsys := fsx.NewFaulty(fsx.OS)
		fsys.FailAt(k, syscall.EIO)
		err := script(fsys, dir)
		want := wantLog(dir)[k-1]
		want.Err = syscall.EIO
		got := fsys.Log()[k-1]
		if diff := cmp.Diff(want, got, cmpopts.EquateErrors()); diff != "" {
			t.Errorf("operation %d (-want +got):\n%s", k, diff)
		}
		var pathErr *fs.PathError
		if !errors.Is(err, syscall.EIO) || !errors.As(err, &pathErr) || pathErr.Path != want.Path {
			t.Errorf("operation %d: error %v", k, err)
		}
	}
}

func TestFailFrom(t *testing.T) {
	fsys := fsx.NewFaulty(fsx.OS)
	f := create(t, fsys, filepath.Join(t.TempDir(), "a"))
	fsys.FailFrom(3, syscall.ENOSPC)
	for i, want := range []error{nil, syscall.ENOSPC, syscall.ENOSPC} {
		if err := f.Truncate(10); !errors.Is(err, want) {
			t.Errorf("operation %d: %v, want %v", i+2, err, want)
		}
	}
	if _, err := f.Stat(); err != nil {
		t.Errorf("a read fails, too: %v", err)
	}
}

// TestStopAt stops at each operation: nothing after it may change the folder, nor read it.
func TestStopAt(t *testing.T) {
	for k := 1; k <= 13; k++ {
		dir := t.TempDir()
		fsys := fsx.NewFaulty(fsx.OS)
		fsys.StopAt(k)
		if err := script(fsys, dir); !errors.Is(err, fsx.ErrStopped) {
			t.Errorf("stop at %d: %v, want ErrStopped", k, err)
		}
		before := listing(t, dir)
		if err := script(fsys, dir); !errors.Is(err, fsx.ErrStopped) {
			t.Errorf("after the stop at %d: %v, want ErrStopped", k, err)
		}
		if _, err := fsys.Stat(dir); !errors.Is(err, fsx.ErrStopped) {
			t.Errorf("after the stop at %d, Stat: %v, want ErrStopped", k, err)
		}
		if _, err := fsys.ReadDir(dir); !errors.Is(err, fsx.ErrStopped) {
			t.Errorf("after the stop at %d, ReadDir: %v, want ErrStopped", k, err)
		}
		if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
			t.Errorf("after the stop at %d the folder changed:\n%s", k, diff)
		}
		if fsys.Ops() != k {
			t.Errorf("%d operations counted, stopped at %d", fsys.Ops(), k)
		}
	}
}

// TestStoppedFile has an open file outlive the stop.
func TestStoppedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	fsys := fsx.NewFaulty(fsx.OS)
	f := create(t, fsys, name)
	fsys.StopAt(2)
	if n, err := f.WriteAt([]byte("12345678"), 0); n != 4 || !errors.Is(err, fsx.ErrStopped) {
		t.Errorf("the stopping write wrote %d, %v, want 4 and ErrStopped", n, err)
	}
	if n, err := f.WriteAt([]byte("abcdefgh"), 0); n != 0 || !errors.Is(err, fsx.ErrStopped) {
		t.Errorf("a later write wrote %d, %v, want 0 and ErrStopped", n, err)
	}
	if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, fsx.ErrStopped) {
		t.Errorf("a later read: %v, want ErrStopped", err)
	}
	if err := f.Close(); !errors.Is(err, fsx.ErrStopped) {
		t.Errorf("Close: %v, want ErrStopped", err)
	}
	if err := fsx.OSFile(f).Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the file below was not closed: %v", err)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, []byte("1234")) {
		t.Errorf("the file has %q, %v, want the first half of one write", got, err)
	}
}

func TestCountReads(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := os.WriteFile(name, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	fsys := fsx.NewFaulty(fsx.OS)
	read := func() error {
		f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, readErr := f.Read(make([]byte, 1))
		_, readAtErr := f.ReadAt(make([]byte, 2), 1)
		_, statErr := f.Stat()
		return errors.Join(readErr, readAtErr, statErr)
	}
	if err := read(); err != nil || fsys.Ops() != 0 {
		t.Fatalf("%v, %d operations counted, want 0", err, fsys.Ops())
	}
	fsys.CountReads()
	if err := read(); err != nil {
		t.Fatal(err)
	}
	want := []fsx.Op{
		{N: 1, Kind: fsx.OpOpen, Path: name},
		{N: 2, Kind: fsx.OpRead, Path: name, Off: -1, Len: 1},
		{N: 3, Kind: fsx.OpRead, Path: name, Off: 1, Len: 2},
		{N: 4, Kind: fsx.OpStat, Path: name},
		{N: 5, Kind: fsx.OpClose, Path: name},
	}
	if diff := cmp.Diff(want, fsys.Log()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	fsys.FailAt(8, syscall.EIO)
	if err := read(); !errors.Is(err, syscall.EIO) {
		t.Errorf("%v, want EIO", err)
	}
}

func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		content, _ := os.ReadFile(filepath.Join(dir, e.Name())) // empty for a folder
		files[e.Name()] = string(content)
	}
	return files
}
