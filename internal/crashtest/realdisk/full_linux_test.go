package realdisk_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/internal/testdir"
	"github.com/tstore/tstore/mmapstore"
)

// fillDisk takes the space of a disk, down to its last blocks.
func fillDisk(t *testing.T, disk string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(disk, "stuffing"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size >= 4096; size /= 2 {
		piece := bytes.Repeat([]byte{1}, size)
		for err = nil; err == nil; {
			if _, err = f.Write(piece); err == nil {
				err = f.Sync()
			}
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
}

// TestRealDiskFull fills real file systems: what needs room is ENOSPC and never a signal, all else
// is there, and deletes make room.
func TestRealDiskFull(t *testing.T) {
	onRealFileSystems(t, func(t *testing.T, fsys realFS) {
		ctx := t.Context()
		disk, _ := mount(t, fsys.image(t, fsys.bytes))
		dir := filepath.Join(disk, "s")
		s, err := tstore.Init(ctx, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		const n = 1 << 20
		big := func() tstore.Source { src, _ := ramp(0, n); return src }
		_, whole := ramp(0, n)
		storetest.Create(t, s, "keep", big())
		storetest.Create(t, s, "change", big())
		storetest.Create(t, s, "gone", big())
		if err := s.Copy(ctx, "copy", "keep", nil); err != nil {
			t.Fatal(err)
		}
		fillDisk(t, disk)
		needsRoom := map[string]func() error{
			"create":  func() error { return s.Create(ctx, "new", big()) },
			"import":  func() error { return s.Import(ctx, "new", big(), nil) },
			"append":  func() error { return s.Append(ctx, "change", big()) },
			"rewrite": func() error { return s.Fill(ctx, "change", storetest.Scalar(t, 7)) },
			"eval":    func() error { return storetest.Evaluates("new = keep + 1")(ctx, s) },
			"catalog": func() error {
				return s.Update(ctx, func(tx *tstore.Tx) error {
					return tx.PutBlob("blob", catalog.StringValue(string(bytes.Repeat([]byte("x"), 2<<20))))
				})
			},
		}
		for name, do := range needsRoom {
			if err := do(); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, tstore.ErrInDoubt) {
				t.Errorf("%s on a full disk: %v", name, err)
			}
			storetest.WantValues(t, s, "keep[:4]", whole[:4]...)
			storetest.WantValues(t, s, "change[-4:]", whole[n-4:]...)
		}
		// The copy may share its bytes with the tensor: stores must not need room that is not
		// there.
		var fault *mmapstore.FaultError
		if err := storetest.FillInPlace("copy")(ctx, s); errors.As(err, &fault) {
			t.Errorf("writing in place on a full disk: %v", err)
		} else {
			t.Logf("writing in place on a full disk: %v", err)
		}
		storetest.WantValues(t, s, "keep", whole...)
		storetest.WantSound(t, dir)
		if err := s.Delete(ctx, "gone"); err != nil {
			t.Fatalf("delete on a full disk: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := tstore.Open(ctx, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		storetest.Create(t, again, "into the room of the deleted", storetest.Source(t, 0, n/2))
		if err := os.Remove(filepath.Join(disk, "stuffing")); err != nil {
			t.Fatal(err)
		}
		storetest.Create(t, again, "new", big())
		if _, err := again.GC(ctx, nil); err != nil {
			t.Error(err)
		}
		if found := storetest.Problems(t, dir); len(found) > 0 {
			t.Errorf("%+v", found)
		}
	})
}

// TestRealClone clones a file with holes inside each file system, and to another one.
func TestRealClone(t *testing.T) {
	ways := map[string]string{"ext4": "copy_file_range", "xfs": "reflink", "btrfs": "reflink"}
	onRealFileSystems(t, func(t *testing.T, fsys realFS) {
		here, _ := mount(t, fsys.image(t, fsys.bytes))
		const size = 8 << 20
		src, err := fsx.OS.OpenFile(filepath.Join(here, "src"), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		for _, off := range []int64{0, 3 << 20, size - 1} {
			if _, err := src.WriteAt([]byte("a"), off); err != nil {
				t.Fatal(err)
			}
		}
		if err := src.Sync(); err != nil {
			t.Fatal(err)
		}
		for _, to := range []string{here, testdir.OnDisk(t), t.TempDir()} {
			dst, err := fsx.OS.OpenFile(filepath.Join(to, "dst"), os.O_RDWR|os.O_CREATE, 0o644)
			if err != nil {
				t.Fatal(err)
			}
			defer dst.Close()
			how, err := fsx.Clone(context.Background(), dst, src, size)
			if err != nil || to == here && how != ways[fsys.name] || to != here && how == "reflink" {
				t.Errorf("%s to %s: %s, %v", fsys.name, to, how, err)
			}
			if err := dst.Sync(); err != nil {
				t.Fatal(err)
			}
			want, err1 := os.ReadFile(src.Name())
			got, err2 := os.ReadFile(dst.Name())
			fi, err3 := dst.Stat()
			if err := errors.Join(err1, err2, err3); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: other bytes, %v", how, err)
			}
			if took := fsx.Allocated(fi); took > 1<<20 {
				t.Errorf("%s: the clone takes %d bytes of disk, and the holes were not kept", how, took)
			}
		}
	})
}
