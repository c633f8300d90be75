package tstore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tstore/tstore/internal/storetest"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
)

var (
	backupEvery = flag.Int("backup-every", 15, "TestBackupFailsAtEveryOperation fails one of so many operations, another one in each way of failing")
	backupKills = flag.Int("backup-kills", 4, "how many times TestKillBackup kills")
)

// smallStore makes a store of which a second backup copies, extends, moves, keeps and removes
// files.
func smallStore(t testing.TB, dest string) (s *tstore.Store, first, second map[string]string) {
	t.Helper()
	s = newStore(t)
	ctx := t.Context()
	create(t, s, "kept", source(t, 0, 9000))
	create(t, s, "log", source(t, 0, 9000))
	create(t, s, "patched", source(t, 0, 9000))
	create(t, s, "gone", source(t, 0, 9000))
	snapshot(t, s, "monday")
	if dest != "" {
		backup(t, s, dest, nil)
	}
	first = contents(t, s)
	_, err := s.RemoveSnapshot(ctx, "monday")
	err = errors.Join(err, s.Fill(ctx, "patched[3]", scalar(t, 1)))
	snapshot(t, s, "tuesday")
	err = errors.Join(err,
		s.Append(ctx, "log", source(t, 0, 1000)),
		s.Delete(ctx, "gone"),
		s.Import(ctx, "new", source(t, 0, 9000), nil))
	if err != nil {
		t.Fatal(err)
	}
	return s, first, contents(t, s)
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
						wantContents(t, dest, second)
						return
					}
					backup(t, s, dest, nil)
					wantContents(t, dest, second)
					if _, err := s.GC(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					wantNoTrace(t, s)
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
	return contents(t, s)
}

// TestBackupCancelled breaks a backup off: what was there stays, and nothing else.
func TestBackupCancelled(t *testing.T) {
	s := newStore(t)
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
	backup(t, s, dest, nil)
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
	wantNoTrace(t, s)
}
