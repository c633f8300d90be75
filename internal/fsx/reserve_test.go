package fsx_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tstore/tstore/internal/fsx"
)

func TestReserve(t *testing.T) {
	const size = 9<<20 + 5 // several pieces of zeros
	for name, fault := range map[string]func(fsx.Op) error{
		"fallocate": nil,
		"zeros": func(o fsx.Op) error {
			if o.Kind == fsx.OpFallocate {
				return fsx.ErrFallocateUnsupported
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := fsx.NewFaulty(fsx.OS)
			f := create(t, fsys, filepath.Join(t.TempDir(), "a"))
			if _, err := f.WriteAt([]byte("head"), 0); err != nil {
				t.Fatal(err)
			}
			fsys.FailIf(fault)
			if err := fsx.Reserve(f, 4, size); err != nil {
				t.Fatal(err)
			}
			checkContent(t, f, 0, append([]byte("head"), make([]byte, size)...))
			fi, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			if n := fsx.Allocated(fi); n >= 0 && n < size {
				t.Errorf("%d bytes are allocated, want %d", n, size)
			}
		})
	}
}

func TestReserveKeepsBytes(t *testing.T) {
	f := create(t, fsx.OS, filepath.Join(t.TempDir(), "a"))
	content := bytes.Repeat([]byte("x"), 10000)
	if _, err := f.WriteAt(content, 0); err != nil {
		t.Fatal(err)
	}
	switch err := f.Fallocate(100, 5000); {
	case errors.Is(err, fsx.ErrFallocateUnsupported):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	checkContent(t, f, 0, content)
}

func TestReserveErrors(t *testing.T) {
	fsys := fsx.NewFaulty(fsx.OS)
	f := create(t, fsys, filepath.Join(t.TempDir(), "a"))
	fsys.FailIf(func(o fsx.Op) error {
		switch {
		case o.Kind == fsx.OpFallocate:
			return fsx.ErrFallocateUnsupported
		case o.Kind == fsx.OpWrite && o.Off > 0:
			return syscall.ENOSPC
		}
		return nil
	})
	if err := fsx.Reserve(f, 0, 10<<20); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("zeros on a full disk: %v, want ENOSPC", err)
	}
	fsys.FailIf(nil)
	if err := f.Truncate(0); err != nil {
		t.Errorf("trim: %v", err)
	}
	for _, c := range [][2]int64{{-1, 1}, {1, -1}, {1 << 62, 1 << 62}} {
		if err := f.Fallocate(c[0], c[1]); err == nil {
			t.Errorf("offset %d, length %d was accepted", c[0], c[1])
		}
	}
	if err := f.Fallocate(0, 0); err != nil {
		t.Errorf("length 0: %v", err)
	}
}

func TestIdentity(t *testing.T) {
	dir := t.TempDir()
	identity := func(name string) fsx.Identity {
		fi, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return fsx.IdentityOf(fi)
	}
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "one")
	first := identity("a")
	if first != identity("a") {
		t.Error("a file differs from itself")
	}
	write("b", "two")
	if first == identity("b") {
		t.Error("two files are the same")
	}
	write("a", "three")
	if first == identity("a") {
		t.Error("a longer file is the same")
	}
}
