package backup_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// TestBackupAgain makes all kinds of changes between backups, and counts what is copied.
func TestBackupAgain(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	fillStore(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dest, nil)
	ctx := t.Context()
	const header = 4096
	for _, step := range []struct {
		name   string
		change func() error
		copied int64 // bytes beside catalogs
	}{
		{"nothing", func() error { return nil }, 0},
		{"append", func() error { return s.Append(ctx, "log", storetest.Source(t, 0, 100, 2)) }, 1600},
		{"append again", func() error { return s.Append(ctx, "log", storetest.Source(t, 0, 1, 2)) }, 16},
		{"append to a sealed one", func() error { return s.Append(ctx, "sealed", storetest.Source(t, 0, 10)) }, 80 + 64 + 8*65},
		{"patch", func() error { return s.Fill(ctx, "open[3]", storetest.Scalar(t, 1)) }, header + 160_000},
		{"patch again", func() error { return s.Fill(ctx, "open[4]", storetest.Scalar(t, 1)) }, header + 160_000},
		{"in place", func() error { return storetest.FillInPlace("log")(ctx, s) }, header + 8*2*10_101},
		{"rewrite", func() error { return s.Fill(ctx, "sparse", storetest.Scalar(t, 2)) }, header + 400_000},
		{"rename", func() error { return s.Rename(ctx, "small", "little") }, 0},
		{"delete", func() error { return s.Delete(ctx, "sparse") }, 0},
		{"create", func() error { return s.Create(ctx, "new", storetest.Source(t, 0, 9000)) }, header + 72_000},
		{"unseal", func() error { return s.Unseal(ctx, "sealed") }, 0},
		{"compact", func() error { _, _, err := s.Compact(ctx); return err }, 0},
		{"drop the snapshot", func() error { _, err := s.RemoveSnapshot(ctx, "monday"); return err }, 0},
		{"patch, then a snapshot", func() error {
			return errors.Join(s.Fill(ctx, "new[0]", storetest.Scalar(t, 5)), storetest.Second(s.CreateSnapshot(ctx, "tuesday", "")))
		}, header + 72_000},
		{"nothing, with a moved file", func() error { return nil }, 0},
		{"append to a moved file", func() error { return s.Append(ctx, "new", storetest.Source(t, 0, 5)) }, 40},
	} {
		if err := step.change(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		r := storetest.Backup(t, s, dest, nil)
		if got := r.CopiedBytes - catalogBytes(t, dest); got != step.copied && !strings.Contains(step.name, "snapshot") && !strings.Contains(step.name, "moved") || got < step.copied || got > step.copied+64<<10 {
			t.Errorf("%s: copied %d bytes, want %d: %+v", step.name, got, step.copied, r)
		}
		if found, err := tstore.VerifyBackup(ctx, dest, nil); err != nil || len(found.Damage) > 0 || found.Bytes != r.Bytes {
			t.Errorf("%s: %+v, %v", step.name, found, err)
		}
		storetest.WantContents(t, dest, storetest.Contents(t, s))
	}
	if _, err := s.GC(ctx, nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantNoTrace(t, s)
	storetest.WantContents(t, storetest.RestoreTo(t, dest), storetest.Contents(t, s))
}

// TestBackupOfCopiedStore copies a store, as to another disk: none of its files has the inode of
// before, and those that are not sealed are copied again, also two of one storage.
func TestBackupOfCopiedStore(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	fillStore(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dest, nil)
	for _, change := range []func(*tstore.Store) error{
		func(*tstore.Store) error { return nil },
		func(s *tstore.Store) error { return s.Fill(t.Context(), "open[3]", storetest.Scalar(t, 8)) },
		func(s *tstore.Store) error {
			return errors.Join(storetest.Second(s.CreateSnapshot(t.Context(), "tuesday", "")), s.Fill(t.Context(), "open", storetest.Scalar(t, 9)))
		},
		func(*tstore.Store) error { return nil },
	} {
		dir := filepath.Join(t.TempDir(), "copy")
		storetest.Must(t, os.CopyFS(dir, os.DirFS(s.Dir())))
		s = storetest.OpenStore(t, dir)
		storetest.Must(t, change(s))
		storetest.Backup(t, s, dest, nil)
		if found, err := tstore.VerifyBackup(t.Context(), dest, nil); err != nil || len(found.Damage) > 0 {
			t.Errorf("the backup: %+v, %v", found, err)
		}
		storetest.WantContents(t, dest, storetest.Contents(t, s))
		storetest.WantContents(t, storetest.RestoreTo(t, dest), storetest.Contents(t, s))
	}
}

// TestTarsSince makes backups that have only what others lack, and restores them in any order.
func TestTarsSince(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	fillStore(t, s)
	dir := t.TempDir()
	full, one, two := filepath.Join(dir, "full.tar"), filepath.Join(dir, "one.tar"), filepath.Join(dir, "two.tar")
	ctx := t.Context()
	all := storetest.Backup(t, s, full, nil)
	err := errors.Join(s.Append(ctx, "log", storetest.Source(t, 0, 100, 2)), s.Append(ctx, "sealed", storetest.Source(t, 0, 10)), s.Fill(ctx, "open[3]", storetest.Scalar(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	r := storetest.Backup(t, s, one, &tstore.BackupOptions{Since: full})
	if r.CopiedBytes > all.CopiedBytes/4 {
		t.Errorf("copied %d of %d bytes", r.CopiedBytes, all.CopiedBytes)
	}
	folder := filepath.Join(dir, "folder")
	storetest.Backup(t, s, folder, nil)
	first := storetest.Contents(t, s)
	err = errors.Join(s.Append(ctx, "log", storetest.Source(t, 5, 7, 2)), s.Create(ctx, "new", storetest.Source(t, 0, 9000)), s.Delete(ctx, "small/one"), s.Fill(ctx, "open[7]", storetest.Scalar(t, 2)))
	if err != nil {
		t.Fatal(err)
	}
	storetest.Backup(t, s, two, &tstore.BackupOptions{Since: one})
	three := filepath.Join(dir, "three.tar")
	storetest.Backup(t, s, three, &tstore.BackupOptions{Since: folder})
	last := storetest.Contents(t, s)
	storetest.WantContents(t, storetest.RestoreTo(t, one, full), first)
	storetest.WantContents(t, storetest.RestoreTo(t, two, full, one), last)
	storetest.WantContents(t, storetest.RestoreTo(t, full, two, one), last)
	storetest.WantContents(t, storetest.RestoreTo(t, folder, three), last)
	for _, sources := range [][]string{{one}, {two, full}, {two, one}, {three}} {
		_, err := tstore.Restore(ctx, sources, filepath.Join(t.TempDir(), "r"), nil)
		if !errors.Is(err, tstore.ErrNotBackup) || !strings.Contains(err.Error(), "add ") {
			t.Errorf("%v: %v", sources, err)
		}
	}
	other := storetest.NewStore(t)
	if _, err := other.Backup(ctx, filepath.Join(dir, "other.tar"), &tstore.BackupOptions{Since: full}); !errors.Is(err, tstore.ErrNotBackup) {
		t.Errorf("since a backup of another store: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 5 {
		t.Errorf("found %v, %v", entries, err)
	}
}

// TestBackupToStream pipes a backup into a restore.
func TestBackupToStream(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	r, w := io.Pipe()
	sent := make(chan error)
	go func() {
		_, err := s.BackupTo(t.Context(), w, nil)
		sent <- errors.Join(err, w.Close())
	}()
	dir := filepath.Join(t.TempDir(), "r")
	_, err := tstore.Restore(t.Context(), []string{"-"}, dir, &tstore.RestoreOptions{Stdin: r})
	r.CloseWithError(err)
	if err := errors.Join(err, <-sent); err != nil {
		t.Fatal(err)
	}
	storetest.WantContents(t, dir, storetest.Contents(t, s))
}
