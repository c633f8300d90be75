package backup_test

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
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// TestTarFailsAtEveryOperation fails each file operation of a tar in turn, once and then for good
// as if the process had died: there is a whole tar or none, a failure leaves nothing, and what the
// dead leave goes with the next backup to the same place and with gc.
func TestTarFailsAtEveryOperation(t *testing.T) {
	for mode, fail := range map[string]func(*fsx.Faulty, int){
		"EIO":  func(f *fsx.Faulty, k int) { f.FailAt(k, syscall.EIO) },
		"stop": func(f *fsx.Faulty, k int) { f.StopAt(k) },
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s, _, want := smallStore(t, "")
			root := t.TempDir()
			for k := 1; ; k += storetest.Every(18) {
				dir := filepath.Join(root, fmt.Sprint(k))
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				dest := filepath.Join(dir, "b.tar")
				faulty := fsx.NewFaulty(fsx.OS)
				fail(faulty, k)
				failing, err := storetest.OpenOn(t.Context(), s.Dir(), faulty, nil)
				if err != nil {
					t.Fatal(err)
				}
				_, err = failing.Backup(t.Context(), dest, nil)
				failing.Close()
				if err == nil { // what fails behind the tar need not be an error
					storetest.WantContents(t, storetest.RestoreTo(t, dest), want)
				}
				if faulty.Ops() < k {
					return
				}
				if _, err := os.Stat(dest); err == nil { // whole, also when its folder could not be synced
					if err := os.Rename(dest, dest+".old"); err != nil {
						t.Fatal(err)
					}
					if found, err := tstore.VerifyBackup(t.Context(), dest+".old", nil); err != nil || len(found.Damage) > 0 {
						t.Errorf("operation %d: %+v, %v", k, found, err)
					}
				}
				if left, err := os.ReadDir(dir); mode == "EIO" && (err != nil || len(left) > 0 && !strings.HasSuffix(left[0].Name(), ".old")) {
					t.Errorf("operation %d: left %v, %v", k, left, err)
				}
				storetest.Backup(t, s, dest, nil)
				if left, err := filepath.Glob(dest + ".partial"); err != nil || len(left) > 0 {
					t.Errorf("operation %d: left %v, %v", k, left, err)
				}
				if found, err := tstore.VerifyBackup(t.Context(), dest, nil); err != nil || len(found.Damage) > 0 {
					t.Errorf("operation %d: %+v, %v", k, found, err)
				}
				if _, err := s.GC(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				storetest.WantNoTrace(t, s)
			}
		})
	}
}

// tarChild begins a tar, and stops in the middle.
func tarChild(ctx context.Context, s *tstore.Store, args []string) error {
	never, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer end.Close()
	_, err = s.Backup(ctx, args[0], &tstore.BackupOptions{Progress: func(int64, int64) {
		fmt.Println("begun")
		_, _ = never.Read(make([]byte, 1))
	}})
	return err
}

// TestKillTar kills a process that writes tars, in the middle of one: nobody sees what it held, the
// next backup takes over its file, and gc removes the rest.
func TestKillTar(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3_000_000))
	dest := filepath.Join(t.TempDir(), "b.tar")
	for range 3 {
		kill := startChild(t, "tar", s.Dir(), dest)
		kill()
		if snaps, err := s.Snapshots(t.Context()); err != nil || len(snaps) > 0 {
			t.Errorf("snapshots %+v, %v", snaps, err)
		}
		if sum, err := s.Summary(t.Context()); err != nil || sum.Snapshots != 0 {
			t.Errorf("%+v, %v", sum, err)
		}
	}
	storetest.Backup(t, s, dest, nil)
	storetest.WantContents(t, storetest.RestoreTo(t, dest), storetest.Contents(t, s))
	if left, err := os.ReadDir(filepath.Dir(dest)); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	if _, err := s.GC(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantNoTrace(t, s)
}

// TestTarCatalogLeft has gc remove the catalog that a dead backup has made in tmp/, and leave that
// of one at work.
func TestTarCatalogLeft(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 100))
	left := filepath.Join(s.Dir(), "tmp", strings.Repeat("ab", 16)+".catalog")
	storetest.WriteFile(t, left, "left")
	if found := storetest.Problems(t, s.Dir()); len(found) != 1 || found[0].Kind != tstore.ProblemOrphan {
		t.Errorf("%+v", found)
	}
	if removed, err := s.GC(t.Context(), nil); err != nil || len(removed) != 1 {
		t.Errorf("%+v, %v", removed, err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestPartialOfOthers has files of somebody's where a tar would be written.
func TestPartialOfOthers(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 100))
	for name, text := range map[string]string{"text": "precious", "zeros": strings.Repeat("\x00", 2000)} {
		t.Run(name, func(t *testing.T) {
			dest := filepath.Join(t.TempDir(), "b.tar")
			storetest.WriteFile(t, dest+".partial", text)
			if _, err := s.Backup(t.Context(), dest, nil); !errors.Is(err, tstore.ErrExists) {
				t.Errorf("got %v, expected ErrExists", err)
			}
			if got, err := os.ReadFile(dest + ".partial"); err != nil || string(got) != text {
				t.Errorf("found %q, %v", got, err)
			}
		})
	}
}

// TestTarsToOnePlace makes backups to the same file at once: one does it, and the others say so.
func TestTarsToOnePlace(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	dest := filepath.Join(t.TempDir(), "b.tar")
	began, goOn := make(chan bool), make(chan bool)
	done := make(chan error)
	go func() {
		first := true
		_, err := s.Backup(t.Context(), dest, &tstore.BackupOptions{Progress: func(int64, int64) {
			if first {
				first = false
				began <- true
				<-goOn
			}
		}})
		done <- err
	}()
	<-began
	if _, err := s.Backup(t.Context(), dest, nil); !errors.Is(err, tstore.ErrBusy) {
		t.Errorf("a second one: %v, expected ErrBusy", err)
	}
	held, err := storetest.AllSnapshots(t.Context(), s)
	if err != nil || len(held) != 1 {
		t.Fatalf("held %+v, %v", held, err)
	}
	if _, err := s.RemoveSnapshot(t.Context(), held[0].Name); !errors.Is(err, tstore.ErrBusy) {
		t.Errorf("what a backup holds was removed: %v", err)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := s.Backup(t.Context(), dest, nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("a third one: %v, expected ErrExists", err)
	}
	storetest.WantContents(t, storetest.RestoreTo(t, dest), storetest.Contents(t, s))
	storetest.WantNoTrace(t, s)
}

// TestUnpackedLeft brings names back from a tar where another such restore has died, and where
// somebody has a folder of the name.
func TestUnpackedLeft(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	tar := filepath.Join(t.TempDir(), "b.tar")
	storetest.Backup(t, s, tar, nil)
	dir := s.Dir() + ".unpacked"
	for _, file := range []string{"lock", "RESTORING", "storages/aa/x.npy", "STORE", "catalog.db"} {
		file = filepath.Join(dir, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("left"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	if err := s.Delete(ctx, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RestoreNames(ctx, []string{tar}, []string{"x"}, nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x[-2:]", 8998, 8999)
	if left, err := filepath.Glob(s.Dir() + "?*"); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	storetest.WriteFile(t, filepath.Join(dir, "precious"), "text")
	if _, err := s.RestoreNames(ctx, []string{tar}, []string{"x"}, nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("got %v, expected ErrExists", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "precious")); err != nil || string(got) != "text" {
		t.Errorf("found %q, %v", got, err)
	}
}

// damagedHold damages what a backup to dest that was killed has held.
func damagedHold(t *testing.T, s *tstore.Store, dest string) catalog.Snapshot {
	t.Helper()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3_000_000))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 9000))
	startChild(t, "tar", s.Dir(), dest)()
	held, err := storetest.AllSnapshots(t.Context(), s)
	if err != nil || len(held) != 1 {
		t.Fatalf("held %+v, %v", held, err)
	}
	if err := os.Truncate(filepath.Join(s.Dir(), filepath.FromSlash(held[0].File())), 5000); err != nil {
		t.Fatal(err)
	}
	return held[0]
}

// TestDamagedHoldCollected has gc remove what a backup that was killed has held, though it is
// damaged, and tell it; that of a backup at work, and all else, stays.
func TestDamagedHoldCollected(t *testing.T) {
	s := storetest.NewStore(t)
	hold := damagedHold(t, s, filepath.Join(t.TempDir(), "b.tar"))
	if err := s.Delete(t.Context(), "y"); err != nil {
		t.Fatal(err)
	}
	lock, err := filelock.TryLock(filepath.Join(s.Dir(), "lock"), storetest.StorageKey(hold.ID), filelock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	if removed, err := s.GC(t.Context(), nil); !errors.Is(err, tstore.ErrCorrupt) || len(removed) > 0 {
		t.Errorf("while it is held: %+v, %v", removed, err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	removed, err := s.GC(t.Context(), nil)
	if err != nil || len(removed) != 2 || removed[0].File != hold.File() { // and the elements of y
		t.Errorf("removed %+v, %v", removed, err)
	}
	storetest.WantNoTrace(t, s)
}

// TestDamagedHold damages what a backup that was killed has held: names can be deleted, nothing
// that it may need goes, and the next backup removes it.
func TestDamagedHold(t *testing.T) {
	s := storetest.NewStore(t)
	dest := filepath.Join(t.TempDir(), "b.tar")
	damagedHold(t, s, dest)
	info, err := s.Stat(t.Context(), "y")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Delete(t.Context(), "y"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(s.Dir(), filepath.FromSlash(info.Storage.File()))); err != nil {
			t.Error(err)
		}
		storetest.Create(t, s, "y", storetest.Source(t, 0, 9000))
	}
	storetest.Backup(t, s, dest, nil)
	if _, err := s.GC(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantNoTrace(t, s)
}
