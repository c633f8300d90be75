package fsx_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tstore/tstore/internal/fsx"
)

const mib = 1 << 20

// holey makes a file with data at its start, in its middle, and a hole at its end.
func holey(t *testing.T, fsys fsx.FS, name string) (f fsx.File, content []byte) {
	t.Helper()
	f = create(t, fsys, name)
	content = make([]byte, 16*mib+321)
	copy(content, randomBytes(mib+5))
	copy(content[3*mib:], randomBytes(10*mib))
	if _, err := f.WriteAt(content[:mib+5], 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(content[3*mib:13*mib], 3*mib); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(int64(len(content))); err != nil {
		t.Fatal(err)
	}
	return f, content
}

// testClone clones in dir, whatever way that takes there, and with the better ways failing.
func testClone(t *testing.T, dir string) {
	for refused, allowed := range map[string][]string{
		"":           {"reflink", "copy_file_range", "copy"},
		"clone":      {"copy_file_range", "copy"},
		"clone copy": {"copy"},
	} {
		t.Run("without "+refused, func(t *testing.T) {
			fsys := fsx.NewFaulty(fsx.OS)
			fsys.FailIf(func(o fsx.Op) error {
				if slices.Contains(strings.Fields(refused), string(o.Kind)) {
					return fsx.ErrCloneUnsupported
				}
				return nil
			})
			src, content := holey(t, fsys, filepath.Join(dir, "src"))
			dst := create(t, fsys, filepath.Join(dir, "dst"))
			how, err := fsx.Clone(context.Background(), dst, src, int64(len(content)))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(allowed, how) {
				t.Errorf("cloned by %q, want one of %q", how, allowed)
			}
			t.Logf("cloned by %q", how)
			checkContent(t, dst, 0, content)
			if from, to := allocated(t, src), allocated(t, dst); to > from+mib {
				t.Errorf("the clone has %d bytes allocated, its source %d", to, from)
			}
			if _, err := dst.WriteAt([]byte("changed"), 4*mib); err != nil {
				t.Fatal(err)
			}
			checkContent(t, src, 0, content)
		})
	}
}

func allocated(t *testing.T, f fsx.File) int64 {
	t.Helper()
	if err := f.Sync(); err != nil { // until then it may count otherwise
		t.Fatal(err)
	}
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return fsx.Allocated(fi)
}

func TestClone(t *testing.T) { testClone(t, t.TempDir()) }

func TestCloneEmpty(t *testing.T) {
	dir := t.TempDir()
	src, dst := create(t, fsx.OS, filepath.Join(dir, "src")), create(t, fsx.OS, filepath.Join(dir, "dst"))
	if _, err := fsx.Clone(context.Background(), dst, src, 0); err != nil {
		t.Error(err)
	}
}

// TestCloneOfTheStart leaves out what lies behind the wanted bytes.
func TestCloneOfTheStart(t *testing.T) {
	dir := t.TempDir()
	src, content := holey(t, fsx.OS, filepath.Join(dir, "src"))
	dst := create(t, fsx.OS, filepath.Join(dir, "dst"))
	const n = 12*mib + 17
	if _, err := fsx.Clone(context.Background(), dst, src, n); err != nil {
		t.Fatal(err)
	}
	checkContent(t, dst, 0, content[:n])
}

func TestCloneRefuses(t *testing.T) {
	dir := t.TempDir()
	src, content := holey(t, fsx.OS, filepath.Join(dir, "src"))
	size := int64(len(content))
	for _, n := range []int64{size + 1, -1} {
		dst := create(t, fsx.OS, filepath.Join(dir, "dst"))
		if _, err := fsx.Clone(context.Background(), dst, src, n); err == nil {
			t.Errorf("%d bytes of %d were cloned", n, size)
		}
	}
	full := create(t, fsx.OS, filepath.Join(dir, "full"))
	if _, err := full.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := fsx.Clone(context.Background(), full, src, size); err == nil {
		t.Error("a file with bytes was cloned over")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := fsx.Clone(ctx, create(t, fsx.OS, filepath.Join(dir, "dst")), src, size); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v, want Canceled", err)
	}
}

// TestCloneFails fails each operation of a clone by copying.
func TestCloneFails(t *testing.T) {
	dir := t.TempDir()
	src, content := holey(t, fsx.OS, filepath.Join(dir, "src"))
	for k := 1; ; k++ {
		fsys := fsx.NewFaulty(fsx.OS)
		dst := create(t, fsys, filepath.Join(dir, "dst"))
		first := fsys.Ops()
		fsys.FailIf(func(o fsx.Op) error {
			switch {
			case o.N == first+k:
				return syscall.EIO
			case o.Kind == fsx.OpClone, o.Kind == fsx.OpCopy && k%2 == 0:
				return fsx.ErrCloneUnsupported
			}
			return nil
		})
		_, err := fsx.Clone(context.Background(), dst, src, int64(len(content)))
		if fsys.Ops() < first+k {
			if err != nil || k < 5 {
				t.Errorf("%d operations, %v", k, err)
			}
			break
		}
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("operation %d failed: %v, want EIO", k, err)
		}
	}
	if got, err := os.ReadFile(src.Name()); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the source has changed, or: %v", err)
	}
}
