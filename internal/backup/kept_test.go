package backup_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
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
	s, err := storetest.OpenOn(t.Context(), dir, faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// openReadOnly opens a store to read it alone.
func openReadOnly(t testing.TB, dir string) *tstore.Store {
	t.Helper()
	s, err := tstore.Open(t.Context(), dir, &tstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestBackupWithoutSnapshot makes all kinds of backups of a store that can't make a snapshot.
func TestBackupWithoutSnapshot(t *testing.T) {
	for name, open := range map[string]func(testing.TB, string) *tstore.Store{"no room": openWithoutRoom, "read only": openReadOnly} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			fillStore(t, s)
			other, dir := open(t, s.Dir()), t.TempDir()
			files := storetest.Tree(t, s.Dir())
			storetest.BackUpAll(t, other, dir, storetest.Contents(t, s))
			for name := range storetest.Tree(t, s.Dir()) {
				if _, before := files[name]; !before {
					t.Errorf("%s was made in the store", name)
				}
			}
			storetest.WantNoTrace(t, s)
			if err := errors.Join(s.Append(t.Context(), "open", storetest.Source(t, 0, 100)), s.Fill(t.Context(), "log[3]", storetest.Scalar(t, 1))); err != nil {
				t.Fatal(err)
			}
			want := storetest.Contents(t, s)
			storetest.Backup(t, other, filepath.Join(dir, "b"), nil)
			storetest.WantContents(t, filepath.Join(dir, "b"), want)
			storetest.Backup(t, other, filepath.Join(dir, "2.tar"), &tstore.BackupOptions{Since: filepath.Join(dir, "b.tar")})
			storetest.WantContents(t, storetest.RestoreTo(t, filepath.Join(dir, "b.tar"), filepath.Join(dir, "2.tar")), want)
		})
	}
}

// TestChangesWhileKept changes a store while it is copied without a snapshot: the backup is the
// state of its beginning, or an error, and the backup before stays.
func TestChangesWhileKept(t *testing.T) {
	for name, test := range map[string]struct {
		change    func(ctx context.Context, s *tstore.Store) error
		conflicts bool
	}{
		"create": {func(ctx context.Context, s *tstore.Store) error {
			return s.Create(ctx, "new", storetest.Source(t, 0, 9000))
		}, false},
		"rename": {func(ctx context.Context, s *tstore.Store) error { return s.Rename(ctx, "x", "z") }, false},
		"append": {func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "x", storetest.Source(t, 0, 10))
		}, false},
		"blob":     {func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "blob") }, false},
		"small":    {func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[3]", storetest.Scalar(t, 1)) }, true},
		"in place": {storetest.FillInPlace("x"), true},
		"at work": {func(ctx context.Context, s *tstore.Store) error {
			w, err := s.OpenWritable(ctx, "x")
			if err == nil {
				t.Cleanup(func() { w.Close() })
			}
			return err
		}, true},
		"rewrite": {func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "large", storetest.Scalar(t, 1)) }, true},
		"delete":  {func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "x") }, true},
		"replace": {func(ctx context.Context, s *tstore.Store) error {
			return s.Replace(ctx, "x", storetest.Source(t, 0, 10))
		}, true},
		"seal": {func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "x", nil) }, false},
		"snapshot rm": {func(ctx context.Context, s *tstore.Store) error {
			return storetest.Second(s.RemoveSnapshot(ctx, "monday"))
		}, true},
	} {
		for _, end := range []string{"", ".tar"} {
			t.Run(name+end, func(t *testing.T) {
				t.Parallel()
				s := storetest.NewStore(t)
				storetest.Create(t, s, "large", storetest.Source(t, 0, 200_000))
				storetest.Create(t, s, "y", storetest.Source(t, 0, 9000))
				storetest.Snapshot(t, s, "monday")
				storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
				err := errors.Join(s.PutBlob(t.Context(), "blob", catalog.StringValue("text")), s.Fill(t.Context(), "y", storetest.Scalar(t, 1)))
				if err != nil {
					t.Fatal(err)
				}
				want := storetest.Contents(t, s)
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
				storetest.WantContents(t, storetest.RestoreTo(t, dest), want)
			})
		}
	}
}

// TestDirtyWithoutRoom has what can't be copied without a snapshot.
func TestDirtyWithoutRoom(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
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
	storetest.Backup(t, full, dest, nil)
	storetest.WantContents(t, dest, storetest.Contents(t, s))
}

// TestInterruptedReadOnly has a small change that was interrupted, and can't be completed.
func TestInterruptedReadOnly(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "nobody" }))
	_, err := openReadOnly(t, s.Dir()).Backup(t.Context(), filepath.Join(t.TempDir(), "b"), nil)
	if !errors.Is(err, tstore.ErrDirty) || !strings.Contains(err.Error(), `"x" was interrupted`) {
		t.Errorf("got %v, expected ErrDirty", err)
	}
	storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Clean, "" }))
}

// TestStreamWithoutSnapshot has nothing in the temporary folder while files are copied, which is
// when a backup may be killed.
func TestStreamWithoutSnapshot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are mapped can't be removed there")
	}
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	told := false
	o := &tstore.BackupOptions{Progress: func(int64, int64) {
		told = true
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("there are %v, %v", left, err)
		}
	}}
	if _, err := openWithoutRoom(t, s.Dir()).BackupTo(t.Context(), io.Discard, o); err != nil || !told {
		t.Errorf("told %t, %v", told, err)
	}
}

// TestBackupOfBackup is refused: a backup is copied as files are.
func TestBackupOfBackup(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	dir := t.TempDir()
	storetest.Backup(t, s, filepath.Join(dir, "b"), nil)
	for name, copied := range map[string]*tstore.Store{"as it is": storetest.OpenStore(t, filepath.Join(dir, "b")), "read only": openReadOnly(t, filepath.Join(dir, "b"))} {
		if _, err := copied.Backup(t.Context(), filepath.Join(dir, "other"), nil); !errors.Is(err, tstore.ErrReadOnly) {
			t.Errorf("%s: got %v, expected ErrReadOnly", name, err)
		}
	}
}
