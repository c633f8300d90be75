package backup_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/internal/testdir"
)

// storeOfHoles has 64 GiB of zeros with some elements between them, and smaller tensors of which
// the space is taken, or which are sealed.
func storeOfHoles(t testing.TB) (s *tstore.Store, faulty *fsx.Faulty) {
	t.Helper()
	dir := filepath.Join(testdir.OnDisk(t), "s")
	mustTellHoles(t, filepath.Dir(dir))
	faulty = fsx.NewFaulty(fsx.OS)
	faulty.CountReads()
	err := storetest.InitOn(t.Context(), dir, fsx.OS)
	if err == nil {
		s, err = storetest.OpenOn(t.Context(), dir, faulty, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	ctx := t.Context()
	zeros := func(how tstore.Reserve, shape ...int) tstore.Source {
		return tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: shape, Reserve: how}}
	}
	err = errors.Join(
		s.Create(ctx, "x", zeros(tstore.Sparse, 1<<16, 1<<17)),
		s.Fill(ctx, "x[0, :9]", storetest.Scalar(t, 1)), s.Fill(ctx, "x[32768, 5]", storetest.Scalar(t, 2)), s.Fill(ctx, "x[-1, -1]", storetest.Scalar(t, 3)),
		s.Create(ctx, "taken", zeros(tstore.Preallocate, 1<<23)),
		s.Create(ctx, "sealed", zeros(tstore.Sparse, 1<<23+1)), s.Fill(ctx, "sealed[5000000]", storetest.Scalar(t, 4)), s.Seal(ctx, "sealed", nil))
	if err != nil {
		t.Fatal(err)
	}
	return s, faulty
}

// mustTellHoles skips the test where the file system does not say where holes are.
func mustTellHoles(t testing.TB, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "probe"))
	if err == nil {
		err = errors.Join(f.Truncate(1<<36), os.Remove(f.Name()))
	}
	if err != nil {
		t.Skip("no file of 64 GiB here:", err)
	}
	defer f.Close()
	if _, hole := fsx.HolesOf(f, 1<<36).At(0, 1); !hole {
		t.Skip("the file system does not tell where holes are")
	}
}

// readBytes are those that were read of the files of storages.
func readBytes(faulty *fsx.Faulty) (n int64) {
	for _, op := range faulty.Log() {
		if op.Kind == fsx.OpRead && strings.Contains(op.Path, "storages") {
			n += op.Len
		}
	}
	return n
}

func diskBytes(t testing.TB, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		fi, err := e.Info()
		n += fsx.Allocated(fi)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func wantHoles(t testing.TB, dir string) {
	t.Helper()
	s := storetest.OpenStore(t, dir)
	for sel, want := range map[string]float64{
		"x[0, 8]": 1, "x[0, 9]": 0, "x[32768, 5]": 2, "x[32768, 6]": 0, "x[77, 77]": 0, "x[-1, -1]": 3, "taken[1048576]": 0, "sealed[5000000]": 4, "sealed[-1]": 0,
	} {
		storetest.WantValues(t, s, sel, want)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || len(r.Damage) > 0 {
		t.Errorf("verify: %+v, %v", r, err)
	}
}

// TestBackupSkipsHoles backs up 64 GiB of zeros, verifies it, and restores it, without reading
// them.
func TestBackupSkipsHoles(t *testing.T) {
	t.Parallel()
	s, faulty := storeOfHoles(t)
	ctx := t.Context()
	for _, name := range []string{"b", "b.tar"} {
		t.Run(name, func(t *testing.T) {
			dest := filepath.Join(testdir.OnDisk(t), name)
			before := readBytes(faulty)
			r := storetest.Backup(t, s, dest, nil)
			if n := readBytes(faulty) - before; n > 1<<20 {
				t.Errorf("read %d bytes", n)
			}
			if n := diskBytes(t, filepath.Dir(dest)); n > 80<<20 {
				t.Errorf("the backup takes %d bytes", n)
			}
			if found, err := tstore.VerifyBackup(ctx, dest, nil); err != nil || len(found.Damage) > 0 || found.Bytes != r.Bytes {
				t.Errorf("verify: %+v, %v", found, err)
			}
			restored := storetest.RestoreTo(t, dest)
			wantHoles(t, restored)
			if n := diskBytes(t, restored); n > 80<<20 {
				t.Errorf("the restored store takes %d bytes", n)
			}
			flipInHole(t, dest, name == "b")
			if found, err := tstore.VerifyBackup(ctx, dest, nil); err != nil || len(found.Damage) != 1 || !errors.Is(found.Damage[0].Err, tstore.ErrChecksum) {
				t.Errorf("a bit in a hole: %+v, %v", found, err)
			}
			if _, err := tstore.Restore(ctx, []string{dest}, filepath.Join(testdir.OnDisk(t), "r"), nil); !errors.Is(err, tstore.ErrChecksum) {
				t.Errorf("restore of damage: %v", err)
			}
		})
	}
}

// flipInHole sets a bit in the middle of the largest file of a backup.
func flipInHole(t testing.TB, dest string, folder bool) {
	t.Helper()
	at := int64(1)<<35 + 12345
	if folder {
		files, err := filepath.Glob(filepath.Join(dest, "storages", "*", "*.npy"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if fi, err := os.Stat(file); err == nil && fi.Size() > at {
				dest = file
			}
		}
	}
	f, err := os.OpenFile(dest, os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt([]byte{1}, at)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestBackupOfCutHole backs up a file that ends in the middle of a hole: that is no hole.
func TestBackupOfCutHole(t *testing.T) {
	t.Parallel()
	s, _ := storeOfHoles(t)
	file := filepath.Join(s.Dir(), filepath.FromSlash(storetest.Stat(t, s, "x").Storage.File()))
	if err := os.Truncate(file, 1<<30); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "b.tar"} {
		if _, err := s.Backup(t.Context(), filepath.Join(testdir.OnDisk(t), name), nil); !errors.Is(err, tstore.ErrTruncated) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRepackedTar restores from an archive that GNU tar has made of a backup's files, with its own
// way of leaving zeros out.
func TestRepackedTar(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	src := tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{1 << 22}, Reserve: tstore.Sparse}}
	storetest.Create(t, s, "x", src)
	if err := s.Fill(t.Context(), "x[1000000]", storetest.Scalar(t, 5)); err != nil {
		t.Fatal(err)
	}
	dir := testdir.OnDisk(t)
	plain, repacked := filepath.Join(dir, "plain.tar"), filepath.Join(dir, "repacked.tar")
	storetest.Backup(t, s, plain, nil)
	list, err := exec.Command("tar", "-tf", plain).Output()
	if err != nil {
		t.Skip("no tar:", err)
	}
	args := append([]string{"--format=posix", "--sparse", "--sparse-version=1.0", "-cf", repacked, "-C", dir}, strings.Fields(string(list))...)
	for _, command := range [][]string{{"tar", "-xf", plain, "-C", dir}, {"cp", "-a", "--sparse=always", dir + "/tstore-backup", dir + "/holes"}, {"rm", "-r", dir + "/tstore-backup"}, {"mv", dir + "/holes", dir + "/tstore-backup"}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%v: %v: %s", command, err, out)
		}
	}
	if out, err := exec.Command("tar", args...).CombinedOutput(); err != nil {
		t.Skipf("no GNU tar: %v: %s", err, out)
	}
	if fi, err := os.Stat(repacked); err != nil || fi.Size() > 8<<20 {
		t.Fatalf("the zeros were not left out: %v, %v", fi, err)
	}
	storetest.WantContents(t, storetest.RestoreTo(t, repacked), storetest.Contents(t, s))
}
