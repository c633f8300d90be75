package crashtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// fillStoreDisk takes all the room that there is on the disk of a store, that in its catalog, too.
func fillStoreDisk(t *testing.T, s *tstore.Store, disk string) {
	t.Helper()
	stuff(t, disk)
	var err error
	for i := 0; err == nil; i++ {
		err = s.PutBlob(t.Context(), fmt.Sprintf("blobs/%d", i), catalog.StringValue("text"))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// TestBackupOfFullDisk backs a store up whose disk has no block to give.
func TestBackupOfFullDisk(t *testing.T) {
	disk := smallDisk(t, 4<<10)
	s, err := tstore.Init(t.Context(), filepath.Join(disk, "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	storetest.Snapshot(t, s, "monday")
	if err := errors.Join(s.Fill(t.Context(), "x", storetest.Scalar(t, 1)), s.Import(t.Context(), "sealed", storetest.Source(t, 0, 9000), nil)); err != nil {
		t.Fatal(err)
	}
	fillStoreDisk(t, s, disk)
	want, files := storetest.Contents(t, s), storetest.Tree(t, disk)
	storetest.BackUpAll(t, s, t.TempDir(), want)
	if after := storetest.Tree(t, disk); fmt.Sprint(after) != fmt.Sprint(files) {
		t.Errorf("the store was changed: %v, before: %v", after, files)
	}
	storetest.WantNoTrace(t, s)
}

// TestGiveBackOnFullDisk removes a snapshot, a job and what a dead backup has held from a full
// disk.
func TestGiveBackOnFullDisk(t *testing.T) {
	ctx := t.Context()
	for name, test := range map[string]struct {
		begin, remove func(s *tstore.Store) error
	}{
		"snapshot": {
			func(s *tstore.Store) error {
				var err error
				for i := range 60 { // to take one away touches more pages than a blob
					err = errors.Join(err, storetest.Second(s.CreateSnapshot(ctx, fmt.Sprint(i), strings.Repeat("note ", 100))))
				}
				storetest.Create(t, s, "old", storetest.Source(t, 0, 400_000))
				return errors.Join(err, storetest.Second(s.CreateSnapshot(ctx, "monday", "")), s.Delete(ctx, "old"))
			},
			func(s *tstore.Store) error { return storetest.Second(s.RemoveSnapshot(ctx, "monday")) },
		},
		"job": {
			func(s *tstore.Store) error {
				// To take one of them away writes the other anew, which takes more than a blob.
				err := s.SetAttr(ctx, "x", "note", catalog.StringValue(strings.Repeat("note ", 8000)))
				for _, name := range []string{"one", "other"} {
					cancelled, cancel := context.WithCancel(ctx)
					defer cancel()
					o := storetest.Told(func(done int64) {
						if done > storetest.JobBytes/2 {
							cancel()
						}
					})
					failed := s.Copy(cancelled, name, "x", &tstore.ImportOptions{Journal: storetest.MustResume, Eval: &tstore.EvalOptions{Compute: o}})
					if !errors.Is(failed, context.Canceled) {
						return fmt.Errorf("the copy was not interrupted: %v", failed)
					}
				}
				return errors.Join(err, s.DeleteAttr(ctx, "x", "note"))
			},
			func(s *tstore.Store) error {
				jobs, err := s.Jobs(ctx)
				if err != nil || len(jobs) != 2 {
					return fmt.Errorf("%d jobs, %v", len(jobs), err)
				}
				return storetest.Second(s.RemoveJob(ctx, jobs[0].ID()))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			disk := smallDisk(t, 16<<10)
			s, err := tstore.Init(ctx, filepath.Join(disk, "s"), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			storetest.Create(t, s, "x", storetest.Source(t, 0, 400_000))
			if err := test.begin(s); err != nil {
				t.Fatal(err)
			}
			fillStoreDisk(t, s, disk)
			if err := test.remove(s); err != nil {
				t.Fatal(err)
			}
			if free := freeBytes(t, disk); free < 2_900_000 {
				t.Errorf("%d bytes are free", free)
			}
			if _, err := os.Stat(filepath.Join(s.Dir(), "reserve")); err != nil {
				t.Error(err)
			}
			storetest.WantSound(t, s.Dir())
		})
	}
}
