package backup_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

func TestBackupAndRestore(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	want := storetest.Contents(t, s)
	for _, name := range []string{"b", "b.tar"} {
		t.Run(name, func(t *testing.T) {
			dest := filepath.Join(t.TempDir(), name)
			var done, total int64
			r := storetest.Backup(t, s, dest, &tstore.BackupOptions{Progress: func(d, n int64) { done, total = d, n }})
			if r.Copied != r.Files || r.CopiedBytes != r.Bytes || !slices.Equal(r.Snapshots, []string{"monday"}) || done != total || total == 0 {
				t.Errorf("%+v, progress %d of %d", r, done, total)
			}
			storetest.WantNoTrace(t, s)
			if found, err := tstore.VerifyBackup(t.Context(), dest, nil); err != nil || len(found.Damage) > 0 || found.Bytes != r.Bytes {
				t.Errorf("verify: %+v, %v", found, err)
			}
			restored := storetest.RestoreTo(t, dest)
			storetest.WantContents(t, restored, want)
			change := storetest.OpenStore(t, restored)
			err := errors.Join(
				change.Append(t.Context(), "log", storetest.Source(t, 0, 5, 2)), change.Fill(t.Context(), "open", storetest.Scalar(t, 1)),
				change.Append(t.Context(), "sealed", storetest.Source(t, 0, 70_000)), change.Delete(t.Context(), "small/one"))
			if err != nil {
				t.Error(err)
			}
			if r, err := change.Verify(t.Context(), nil); err != nil || len(r.Damage) > 0 {
				t.Errorf("after changes: %+v, %v", r, err)
			}
			storetest.WantSound(t, restored)
		})
	}
}

// TestBackupIsAStore reads a backup, and can't change it.
func TestBackupIsAStore(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dest, nil)
	storetest.WantContents(t, dest, storetest.Contents(t, s))
	b := storetest.OpenStore(t, dest)
	ctx := t.Context()
	for name, change := range map[string]func() error{
		"create":   func() error { return b.Create(ctx, "new", storetest.Source(t, 0, 3)) },
		"fill":     func() error { return b.Fill(ctx, "open", storetest.Scalar(t, 1)) },
		"delete":   func() error { return b.Delete(ctx, "open") },
		"gc":       func() error { _, err := b.GC(ctx, nil); return err },
		"compact":  func() error { _, _, err := b.Compact(ctx); return err },
		"snapshot": func() error { _, err := b.CreateSnapshot(ctx, "x", ""); return err },
		"backup":   func() error { _, err := b.Backup(ctx, filepath.Join(t.TempDir(), "bb"), nil); return err },
		"writable": func() error { _, err := b.OpenWritable(ctx, "open"); return err },
	} {
		if err := change(); !errors.Is(err, tstore.ErrReadOnly) || !strings.Contains(err.Error(), "tstore restore") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBackupPlaces refuses folders that are not for backups of the store.
func TestBackupPlaces(t *testing.T) {
	s, other := storetest.NewStore(t), storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	dir := t.TempDir()
	someones, theirs := filepath.Join(dir, "someones"), filepath.Join(dir, "theirs")
	if err := os.Mkdir(someones, 0o755); err != nil {
		t.Fatal(err)
	}
	storetest.WriteFile(t, filepath.Join(someones, "letter"), "dear")
	storetest.Backup(t, other, theirs, nil)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(s.Dir(), link); err != nil {
		t.Fatal(err)
	}
	tar := filepath.Join(dir, "there.tar")
	storetest.WriteFile(t, tar, "x")
	for name, want := range map[string]error{
		s.Dir(): tstore.ErrNotBackup, filepath.Join(s.Dir(), "b"): tstore.ErrNotBackup, filepath.Join(link, "b"): tstore.ErrNotBackup,
		filepath.Join(s.Dir(), "b.tar"): tstore.ErrNotBackup, someones: tstore.ErrNotBackup, theirs: tstore.ErrNotBackup,
		other.Dir(): tstore.ErrNotBackup, filepath.Dir(s.Dir()): tstore.ErrNotBackup, tar: tstore.ErrExists,
		filepath.Join(dir, "no", "folder"): os.ErrNotExist,
	} {
		before := storetest.Tree(t, dir)
		if _, err := s.Backup(t.Context(), name, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if diff := cmp.Diff(before, storetest.Tree(t, dir)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	storetest.WantNoTrace(t, s)
	// A store that was restored goes another way than the one it is of.
	mine := filepath.Join(dir, "mine")
	storetest.Backup(t, s, mine, nil)
	restored := storetest.OpenStore(t, storetest.RestoreTo(t, mine))
	if _, err := restored.Backup(t.Context(), mine, nil); !errors.Is(err, tstore.ErrNotBackup) {
		t.Errorf("backup of a restored store over that of the former one: %v", err)
	}
	storetest.Backup(t, restored, filepath.Join(dir, "new"), nil)
	storetest.Backup(t, s, mine, nil)
	for _, dest := range []string{someones, mine} {
		if _, err := tstore.Restore(t.Context(), []string{mine}, dest, nil); !errors.Is(err, tstore.ErrExists) {
			t.Errorf("restore over %s: %v", dest, err)
		}
	}
}

// TestBackupOfWhatIsWritten names the tensors that are being written in place.
func TestBackupOfWhatIsWritten(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	w, err := s.OpenWritable(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	dest := filepath.Join(t.TempDir(), "b")
	if _, err := s.Backup(t.Context(), dest, nil); !errors.Is(err, tstore.ErrBusy) || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dest); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was made: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	storetest.Backup(t, s, dest, nil)
}

// TestBackupWhileSnapshotsGo removes a snapshot while it is copied.
func TestBackupWhileSnapshotsGo(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	want := storetest.Contents(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	gone := false
	o := &tstore.BackupOptions{Progress: func(int64, int64) {
		if gone {
			return
		}
		gone = true
		other, err := tstore.Open(t.Context(), s.Dir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = other.RemoveSnapshot(t.Context(), "monday")
		_, gc := other.GC(t.Context(), nil)
		err = errors.Join(err, gc, other.Fill(t.Context(), "open", storetest.Scalar(t, 99)), other.Delete(t.Context(), "log"), other.Append(t.Context(), "sealed", storetest.Source(t, 0, 9)),
			other.Replace(t.Context(), "blob2", storetest.Source(t, 0, 3)), storetest.FillInPlace("sparse")(t.Context(), other), other.Close())
		if err != nil && !errors.Is(err, tstore.ErrNotFound) {
			t.Error(err)
		}
	}}
	storetest.Backup(t, s, dest, o)
	storetest.WantContents(t, dest, want)
	if _, err := s.GC(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantNoTrace(t, s)
}

// TestBackupWithoutSnapshots leaves out what only they need.
func TestBackupWithoutSnapshots(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	all := storetest.Backup(t, s, filepath.Join(t.TempDir(), "all"), nil)
	r := storetest.Backup(t, s, dest, &tstore.BackupOptions{NoSnapshots: true})
	if len(r.Snapshots) != 0 || r.Bytes >= all.Bytes-100_000 {
		t.Errorf("%+v of %+v", r, all)
	}
	want := storetest.Contents(t, s)
	maps.DeleteFunc(want, func(name string, _ string) bool { return strings.Contains(name, "@") })
	storetest.WantContents(t, dest, want)
	storetest.WantContents(t, storetest.RestoreTo(t, dest), want)
}
