package backup_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// TestBackupOfDamage finds damaged blocks on the way.
func TestBackupOfDamage(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	fillStore(t, s)
	whole := storetest.Contents(t, s)
	damage(t, storetest.DataPath(t, s, "sealed"), 4096+3*65536+5)
	dir := t.TempDir()
	for _, name := range []string{"b", "b.tar"} {
		dest := filepath.Join(dir, name)
		_, err := s.Backup(t.Context(), dest, nil)
		if !errors.Is(err, tstore.ErrChecksum) || !strings.Contains(err.Error(), "sealed[24576:32768]") || !strings.Contains(err.Error(), "bytes 200704 to 266240") {
			t.Errorf("%s: %v", name, err)
		}
		if found := storetest.Tree(t, dir); len(found) > 0 && name == "b" {
			t.Errorf("%s left %v", name, found)
		}
		r := storetest.Backup(t, s, dest, &tstore.BackupOptions{SkipDamaged: true})
		if len(r.Damage) != 1 || !errors.Is(r.Damage[0].Err, tstore.ErrChecksum) {
			t.Errorf("%s: %+v", name, r.Damage)
		}
		restored := storetest.OpenStore(t, storetest.RestoreTo(t, dest))
		if v, err := restored.Verify(t.Context(), nil); err != nil || len(v.Damage) != 1 {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if err := os.Remove(storetest.DataPath(t, s, "log")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c", "c.tar"} {
		dest := filepath.Join(dir, name)
		if _, err := s.Backup(t.Context(), dest, nil); !errors.Is(err, tstore.ErrMissing) || !strings.Contains(err.Error(), "log") {
			t.Errorf("%s: %v", name, err)
		}
		storetest.Backup(t, s, dest, &tstore.BackupOptions{SkipDamaged: true})
		back := filepath.Join(t.TempDir(), "r")
		r, err := tstore.Restore(t.Context(), []string{dest}, back, nil)
		if err != nil || len(r.Problems) != 1 || r.Problems[0].Kind != tstore.ProblemMissing {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		restored := storetest.OpenStore(t, back)
		if got := storetest.ElementSum(t, restored, "open"); got != whole["open"] {
			t.Errorf("%s: open is %s, want %s", name, got, whole["open"])
		}
		if _, err := restored.Get(t.Context(), "log"); !errors.Is(err, tstore.ErrMissing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Delete(t.Context(), "log", "view", "sealed"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveSnapshot(t.Context(), "monday"); err != nil {
		t.Fatal(err)
	}
}

// damage turns a bit of a file.
func damage(t testing.TB, path string, at int64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 4
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedBackup damages each file of a backup, and a tar all over.
func TestDamagedBackup(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	fillStore(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dest, nil)
	files := storetest.Tree(t, dest)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		switch filepath.Base(path) {
		case "lock", "STORE", "BACKUP":
			continue
		}
		if files[path] == 0 {
			continue
		}
		for _, at := range []int64{100, files[path] / 2, files[path] - 1} {
			damage(t, path, at)
			r, err := tstore.VerifyBackup(t.Context(), dest, nil)
			if err == nil && len(r.Damage) != 1 {
				t.Errorf("%s at %d: %+v", path, at, r)
			}
			if _, err := tstore.Restore(t.Context(), []string{dest}, filepath.Join(t.TempDir(), "r"), nil); err == nil {
				t.Errorf("%s at %d: restored", path, at)
			}
			damage(t, path, at)
		}
	}
	var whole bytes.Buffer
	if _, err := s.BackupTo(t.Context(), &whole, nil); err != nil {
		t.Fatal(err)
	}
	n := whole.Len()
	dir := filepath.Join(t.TempDir(), "r")
	places := storetest.Few(60, 10)
	for i := range places {
		b := bytes.Clone(whole.Bytes())
		at := n / places * i
		if i%2 == 0 {
			b = b[:at]
		} else if b[at] ^= 1; isTarSlack(at, b) {
			continue
		}
		_, err := tstore.Restore(t.Context(), []string{"-"}, dir, &tstore.RestoreOptions{Stdin: bytes.NewReader(b)})
		if err == nil {
			t.Errorf("a tar that differs at %d of %d was restored", at, n)
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) > 0 {
			t.Fatalf("left over: %v, %v", entries, err)
		}
	}
}

// isTarSlack reports whether nothing is said by a byte of a tar: those between entries.
func isTarSlack(at int, b []byte) bool {
	return b[at] == 1 && (at == 0 || b[at-1] == 0) && (at+1 >= len(b) || b[at+1] == 0)
}

// TestDamagedBackupShrinks damages a file of a backup of which the next one needs only the
// beginning: what is not what was backed up is not taken over.
func TestDamagedBackupShrinks(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "log", storetest.Source(t, 0, 9000))
	storetest.Snapshot(t, s, "monday")
	if err := s.Append(t.Context(), "log", storetest.Source(t, 9000, 9000)); err != nil {
		t.Fatal(err)
	}
	dest := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dest, nil)
	info, err := s.Stat(t.Context(), "log")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "log"); err != nil {
		t.Fatal(err)
	}
	storetest.Flip(t, filepath.Join(dest, filepath.FromSlash(info.Storage.File())), 4096+100)
	storetest.Backup(t, s, dest, nil)
	storetest.WantContents(t, dest, storetest.Contents(t, s))
	if r, err := tstore.VerifyBackup(t.Context(), dest, nil); err != nil || len(r.Damage) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
