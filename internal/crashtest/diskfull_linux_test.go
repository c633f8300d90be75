package crashtest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/internal/testdir"
)

// smallDisk mounts a file system in memory of so many KiB. It takes root.
func smallDisk(t *testing.T, kib int) string {
	t.Helper()
	return testdir.Mount(t, "tstore-test", "tmpfs", 0, fmt.Sprintf("size=%dk", kib))
}

// stuff takes all the space that is left on a disk.
func stuff(t *testing.T, disk string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(disk, "stuffing"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("stuffing the disk: %v", err)
	}
	if free := freeBytes(t, disk); free != 0 {
		t.Fatalf("stuffed, and %d bytes are free", free)
	}
}

func freeBytes(t *testing.T, disk string) int64 {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(disk, &st); err != nil {
		t.Fatal(err)
	}
	return int64(st.Bavail) * st.Bsize
}

// TestDeleteOnFullDisk takes away the last block that a commit could use, and deletes.
func TestDeleteOnFullDisk(t *testing.T) {
	ctx := t.Context()
	for _, n := range []int{1, 7, 40, 90} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			disk := smallDisk(t, 8<<10)
			s, err := tstore.Init(ctx, filepath.Join(disk, "s"), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for i := range n {
				storetest.Create(t, s, fmt.Sprintf("g%d/x%d", i%3, i), storetest.Source(t, 0, 10_000))
			}
			stuff(t, disk)
			for i := 0; err == nil; i++ {
				err = s.PutBlob(ctx, fmt.Sprintf("g0/b%d", i), catalog.StringValue("text"))
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err)
			}
			for i := range n {
				if err := s.Delete(ctx, fmt.Sprintf("g%d/x%d", i%3, i)); err != nil {
					t.Fatalf("delete: %v", err)
				}
				if free := freeBytes(t, disk); free == 0 {
					t.Fatal("deleted 80000 bytes, and none is free")
				}
				stuff(t, disk)
			}
			if err := os.Remove(filepath.Join(disk, "stuffing")); err != nil {
				t.Fatal(err)
			}
			storetest.Create(t, s, "again", storetest.Source(t, 0, 80_000))
			if err := s.Delete(ctx, "again"); err != nil {
				t.Fatal(err)
			}
			if fi, err := os.Stat(filepath.Join(s.Dir(), "reserve")); err != nil || fi.Size() != 256<<10 {
				t.Errorf("the reserve was not put back: %v, %v", fi, err)
			}
			storetest.WantSound(t, s.Dir())
		})
	}
}

// TestDiskFull fills a real disk to the last block: nothing that needs room works any more,
// everything is still there, and deleting helps.
func TestDiskFull(t *testing.T) {
	ctx := t.Context()
	disk := smallDisk(t, 4<<10+300)
	s, err := tstore.Init(ctx, filepath.Join(disk, "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Create(t, s, "keep", storetest.Source(t, 0, 40_000))
	storetest.Create(t, s, "log", storetest.Source(t, 0, 3, 2))
	storetest.Create(t, s, "big", storetest.Source(t, 0, 120_000))
	storetest.Create(t, s, "huge", storetest.Source(t, 0, 200_000))
	storetest.Create(t, s, "small", storetest.Source(t, 0, 5))
	grown := 0
	grow := func(n int) error {
		err := s.Update(ctx, func(tx *tstore.Tx) error {
			for i := range n {
				name := fmt.Sprintf("many/%d/%d", grown, i)
				if err := tx.PutBlob(name, catalog.StringValue(name)); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			grown++
		}
		return err
	}
	if err := grow(20); err != nil {
		t.Fatal(err)
	}
	needsRoom := map[string]func() error{
		"create":      func() error { return s.Create(ctx, "new", storetest.Source(t, 0, 600_000)) },
		"import":      func() error { return s.Import(ctx, "new", storetest.Source(t, 0, 600_000), nil) },
		"append":      func() error { return s.Append(ctx, "log", storetest.Source(t, 6, 400_000, 2)) },
		"rewrite":     func() error { return s.Fill(ctx, "huge", storetest.Scalar(t, 7)) },
		"replace":     func() error { return s.Replace(ctx, "small", storetest.Source(t, 0, 600_000)) },
		"materialize": func() error { return storetest.Evaluates("new = big * 2; other = big * 3; third = big * 4")(ctx, s) },
		"catalog":     func() error { return grow(20_000) },
	}
	whole := func(when string) {
		t.Helper()
		storetest.WantValues(t, s, "keep", storetest.UpTo(40_000)...)
		storetest.WantValues(t, s, "log", storetest.UpTo(6)...)
		storetest.WantValues(t, s, "small", storetest.UpTo(5)...)
		storetest.WantSound(t, s.Dir())
		if _, err := s.GC(ctx, nil); err != nil {
			t.Errorf("%s: gc: %v", when, err)
		}
		if found := storetest.Problems(t, s.Dir()); len(found) > 0 {
			t.Errorf("%s: %+v", when, found)
		}
	}
	for name, do := range needsRoom {
		free := freeBytes(t, disk)
		if err := do(); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, tstore.ErrInDoubt) {
			t.Errorf("%s on a disk without room: %v", name, err)
		}
		if left := freeBytes(t, disk); left < free-64<<10 {
			t.Errorf("%s on a disk without room took %d of %d bytes", name, free-left, free)
		}
		whole(name)
	}
	for err == nil {
		err = grow(20)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	stuff(t, disk)
	for n := 8; n > 0; n /= 2 { // free pages of the catalog, which are room too
		for err = nil; err == nil; {
			err = grow(n)
		}
	}
	for name, do := range needsRoom {
		if err := do(); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, tstore.ErrInDoubt) {
			t.Errorf("%s on a full disk: %v", name, err)
		}
		storetest.WantValues(t, s, "small", storetest.UpTo(5)...)
	}
	var all []string
	for item, err := range s.List(ctx, &tstore.ListOptions{Group: "many", Recursive: true}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item.Name)
	}
	if err := s.Delete(ctx, all[:len(all)/2]...); err != nil {
		t.Errorf("delete %d of many on a full disk: %v", len(all)/2, err)
	}
	if err := s.Delete(ctx, "big"); err != nil {
		t.Fatalf("delete on a full disk: %v", err)
	}
	if free := freeBytes(t, disk); free < 900_000 {
		t.Errorf("deleted 960000 bytes, and %d are free", free)
	}
	whole("deleted")
	storetest.Create(t, s, "again", storetest.Source(t, 0, 80_000))
	storetest.WantValues(t, s, "again", storetest.UpTo(80_000)...)
}
