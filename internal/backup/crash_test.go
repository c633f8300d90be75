package backup_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

var (
	backupEvery = flag.Int("backup-every", 25, "TestBackupFailsAtEveryOperation fails one of so many operations, another one in each way of failing")
	backupKills = flag.Int("backup-kills", 4, "how many times TestKillBackup kills")
)

// smallStore makes a store of which a second backup copies, extends, moves, keeps and removes
// files.
func smallStore(t testing.TB, dest string) (s *tstore.Store, first, second map[string]string) {
	t.Helper()
	s = storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "kept", storetest.Source(t, 0, 9000))
	storetest.Create(t, s, "log", storetest.Source(t, 0, 9000))
	storetest.Create(t, s, "patched", storetest.Source(t, 0, 9000))
	storetest.Create(t, s, "gone", storetest.Source(t, 0, 9000))
	storetest.Snapshot(t, s, "monday")
	if dest != "" {
		storetest.Backup(t, s, dest, nil)
	}
	first = storetest.Contents(t, s)
	_, err := s.RemoveSnapshot(ctx, "monday")
	err = errors.Join(err, s.Fill(ctx, "patched[3]", storetest.Scalar(t, 1)))
	storetest.Snapshot(t, s, "tuesday")
	err = errors.Join(err,
		s.Append(ctx, "log", storetest.Source(t, 0, 1000)),
		s.Delete(ctx, "gone"),
		s.Import(ctx, "new", storetest.Source(t, 0, 9000), nil))
	if err != nil {
		t.Fatal(err)
	}
	return s, first, storetest.Contents(t, s)
}

// TestBackupFailsAtEveryOperation fails each file operation of a first and of a second backup in
// turn, once and then for good as if the process had died: the folder has the old backup or the new
// one, and the next backup works.
func TestBackupFailsAtEveryOperation(t *testing.T) {
	for _, again := range []bool{false, true} {
		for i, mode := range []string{"EIO", "ENOSPC", "stop"} {
			t.Run(fmt.Sprintf("again=%t/%s", again, mode), func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				model := ""
				if again {
					model = filepath.Join(root, "model")
				}
				s, first, second := smallStore(t, model)
				if !again {
					first = nil
				}
				for k := 1 + i%*backupEvery; ; k += *backupEvery {
					dest := filepath.Join(root, fmt.Sprint(k))
					if again {
						if err := os.CopyFS(dest, os.DirFS(model)); err != nil {
							t.Fatal(err)
						}
					}
					done := backupFailing(t, s.Dir(), dest, mode, k)
					found := contentsOf(t, dest)
					if diff := fmt.Sprint(found); diff != fmt.Sprint(first) && diff != fmt.Sprint(second) {
						t.Fatalf("operation %d: the backup has\n%v, want\n%v or\n%v", k, found, first, second)
					}
					if done {
						storetest.WantContents(t, dest, second)
						return
					}
					storetest.Backup(t, s, dest, nil)
					storetest.WantContents(t, dest, second)
					if _, err := s.GC(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					storetest.WantNoTrace(t, s)
					if err := os.RemoveAll(dest); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// backupFailing makes a backup with a failure at operation k, and reports whether it ended before
// k.
func backupFailing(t *testing.T, dir, dest, mode string, k int) (done bool) {
	t.Helper()
	faulty := fsx.NewFaulty(fsx.OS)
	switch mode {
	case "EIO":
		faulty.FailAt(k, syscall.EIO)
	case "ENOSPC":
		faulty.FailAt(k, syscall.ENOSPC)
	case "stop":
		faulty.StopAt(k)
	}
	s, err := storetest.OpenOn(t.Context(), dir, faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// What fails when the backup has taken its place need not be an error.
	_, _ = s.Backup(t.Context(), dest, nil)
	return faulty.Ops() < k
}

// contentsOf are those of a backup, verified; nil where there is none.
func contentsOf(t testing.TB, dest string) map[string]string {
	t.Helper()
	s, err := tstore.Open(t.Context(), dest, nil)
	if errors.Is(err, tstore.ErrNotStore) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := tstore.VerifyBackup(t.Context(), dest, nil); err != nil || len(r.Damage) > 0 {
		t.Errorf("verify %s: %+v, %v", dest, r, err)
	}
	return storetest.Contents(t, s)
}

// TestBackupCancelled breaks a backup off: what was there stays, and nothing else.
func TestBackupCancelled(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	dir := t.TempDir()
	for _, name := range []string{"b", "b.tar"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := &tstore.BackupOptions{Progress: func(int64, int64) { cancel() }}
		if _, err := s.Backup(ctx, filepath.Join(dir, name), o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dest := filepath.Join(dir, "full")
	storetest.Backup(t, s, dest, nil)
	for _, what := range [][]string{{dest}} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := tstore.Restore(ctx, what, filepath.Join(dir, "r"), &tstore.RestoreOptions{Progress: func(int64, int64) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("restore: %v", err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("found %v, %v", entries, err)
	}
	storetest.WantNoTrace(t, s)
}
