package tstore_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
)

// openWithoutRoom opens a store that has no room for snapshots.
func openWithoutRoom(t testing.TB, dir string) *tstore.Store {
	t.Helper()
	faulty := fsx.NewFaulty(fsx.OS)
	faulty.FailIf(func(o fsx.Op) error {
		if o.Kind == fsx.OpCreate && filepath.Dir(o.Path) == filepath.Join(dir, "snapshots") {
			return syscall.ENOSPC
		}
		return nil
	})
	s, err := tstore.OpenOn(t.Context(), dir, faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestBackupWithoutRoom makes all kinds of backups of a store that can't make a snapshot.
func TestBackupWithoutRoom(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	s := newStore(t)
	fillStore(t, s)
	want := contents(t, s)
	full := openWithoutRoom(t, s.Dir())
	files := tree(t, s.Dir())
	dir := t.TempDir()
	folder, tar := filepath.Join(dir, "b"), filepath.Join(dir, "b.tar")
	for range 2 {
		backup(t, full, folder, nil)
		wantContents(t, folder, want)
	}
	backup(t, full, tar, nil)
	wantContents(t, restoreTo(t, tar), want)
	var stream bytes.Buffer
	if _, err := full.BackupTo(t.Context(), &stream, nil); err != nil {
		t.Fatal(err)
	}
	restored := filepath.Join(t.TempDir(), "r")
	if _, err := tstore.Restore(t.Context(), []string{"-"}, restored, &tstore.RestoreOptions{Stdin: &stream}); err != nil {
		t.Fatal(err)
	}
	wantContents(t, restored, want)
	after := tree(t, s.Dir())
	for name := range after {
		if _, before := files[name]; !before {
			t.Errorf("%s was made in the store", name)
		}
	}
	wantNoTrace(t, s)
	for _, d := range []string{temp, filepath.Join(folder, "tmp")} {
		if left, err := os.ReadDir(d); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", d, left, err)
		}
	}
	if left, err := filepath.Glob(tar + "?*"); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestChangesWhileKept changes a store while it is copied without a snapshot: the backup is the state of its beginning, or
// an error, and the backup before stays.
func TestChangesWhileKept(t *testing.T) {
	for name, test := range map[string]struct {
		change    func(ctx context.Context, s *tstore.Store) error
		conflicts bool
	}{
		"create":   {func(ctx context.Context, s *tstore.Store) error { return s.Create(ctx, "new", source(t, 0, 9000)) }, false},
		"rename":   {func(ctx context.Context, s *tstore.Store) error { return s.Rename(ctx, "x", "z") }, false},
		"append":   {func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", source(t, 0, 10)) }, false},
		"blob":     {func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "blob") }, false},
		"small":    {func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[3]", scalar(t, 1)) }, true},
		"in place": {fillInPlace("x"), true},
		"at work": {func(ctx context.Context, s *tstore.Store) error {
			w, err := s.OpenWritable(ctx, "x")
			if err == nil {
				t.Cleanup(func() { w.Close() })
			}
			return err
		}, true},
		"rewrite":     {func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "large", scalar(t, 1)) }, true},
		"delete":      {func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "x") }, true},
		"replace":     {func(ctx context.Context, s *tstore.Store) error { return s.Replace(ctx, "x", source(t, 0, 10)) }, true},
		"seal":        {func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "x", nil) }, false},
		"snapshot rm": {func(ctx context.Context, s *tstore.Store) error { return second(s.RemoveSnapshot(ctx, "monday")) }, true},
	} {
		for _, end := range []string{"", ".tar"} {
			t.Run(name+end, func(t *testing.T) {
				t.Parallel()
				s := newStore(t)
				create(t, s, "large", source(t, 0, 200_000))
				create(t, s, "y", source(t, 0, 9000))
				snapshot(t, s, "monday")
				create(t, s, "x", source(t, 0, 9000))
				err := errors.Join(s.PutBlob(t.Context(), "blob", catalog.StringValue("text")), s.Fill(t.Context(), "y", scalar(t, 1)))
				if err != nil {
					t.Fatal(err)
				}
				want := contents(t, s)
				dest := filepath.Join(t.TempDir(), "b"+end)
				changed := false
				o := &tstore.BackupOptions{SkipDamaged: true, Progress: func(int64, int64) {
					if !changed {
						changed = true
						if err := test.change(context.Background(), s); err != nil {
							t.Error(err)
						}
					}
				}}
				_, err = openWithoutRoom(t, s.Dir()).Backup(t.Context(), dest, o)
				if !changed {
					t.Error("nothing was changed")
				}
				if test.conflicts {
					if !errors.Is(err, tstore.ErrConflict) || !strings.Contains(err.Error(), "full disk") {
						t.Errorf("got %v, expected ErrConflict", err)
					}
					if left, err := os.ReadDir(filepath.Dir(dest)); err != nil || len(left) > 0 {
						t.Errorf("left %v, %v", left, err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				wantContents(t, restoreTo(t, dest), want)
			})
		}
	}
}

// TestDirtyWithoutRoom has what can't be copied without a snapshot.
func TestDirtyWithoutRoom(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 9000))
	w, err := s.OpenWritable(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	full := openWithoutRoom(t, s.Dir())
	dest := filepath.Join(t.TempDir(), "b")
	if _, err := full.Backup(t.Context(), dest, nil); !errors.Is(err, tstore.ErrBusy) {
		t.Errorf("while it is written in place: %v, expected ErrBusy", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	backup(t, full, dest, nil)
	wantContents(t, dest, contents(t, s))
}
