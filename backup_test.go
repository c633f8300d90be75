package tstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// backupRows makes a sealed tensor whose checksums are in a file.
const backupRows = 530_000

// fillStore makes names of all kinds, and a snapshot that has something else.
func fillStore(t testing.TB, s *tstore.Store) {
	t.Helper()
	ctx := t.Context()
	sparse := source(t, 0, 50_000)
	sparse.Reserve, sparse.Data = tstore.Sparse, nil
	err := errors.Join(
		s.Import(ctx, "sealed", source(t, 0, backupRows), nil),
		s.Create(ctx, "open", source(t, 0, 20_000)),
		s.Create(ctx, "log", source(t, 0, 10_000, 2)),
		s.Create(ctx, "sparse", sparse),
		s.Create(ctx, "empty", source(t, 0, 0, 3)),
		s.Update(ctx, func(tx *tstore.Tx) error {
			return errors.Join(tx.Create("small/one", source(t, 1, 10)), tx.Create("small/two", source(t, 2, 20)))
		}),
		s.View(ctx, "view", "log[::2]"),
		s.PutBlob(ctx, "blob", catalog.StringValue("text")),
		s.Define(ctx, "lazy", "open[:10] + 1", nil),
		s.SetAttr(ctx, "open", "unit", catalog.StringValue("K")))
	snapshot(t, s, "monday")
	err = errors.Join(err, s.Fill(ctx, "open", scalar(t, 7)), s.Delete(ctx, "small/two"))
	if err != nil {
		t.Fatal(err)
	}
}

// contents are the elements of all tensors, and of those of snapshots, and the
// values of blobs and lazy names.
func contents(t testing.TB, s *tstore.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	snaps, err := s.Snapshots(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, snap := range append(snaps, catalog.Snapshot{}) {
		if strings.HasPrefix(snap.Name, ".") {
			continue
		}
		for item, err := range s.List(t.Context(), &tstore.ListOptions{Recursive: true, Snapshot: snap.Name}) {
			if err != nil {
				t.Fatal(err)
			}
			name := tstore.Selector{Name: item.Name, Snapshot: snap.Name}.String()
			switch item.Record.Kind {
			case catalog.KindTensor:
				all[name] = elementSum(t, s, name)
			case catalog.KindBlob:
				all[name] = item.Record.Blob.String()
			default:
				all[name] = item.Record.Formula.Text
			}
			for attr, v := range item.Record.Attrs {
				all[name+"."+attr] = v.String()
			}
		}
	}
	return all
}

// elementSum is the shape of a tensor and a sum of its elements.
func elementSum(t testing.TB, s *tstore.Store, name string) string {
	t.Helper()
	x, err := s.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	h := crc32.NewIEEE()
	if _, err := io.Copy(h, x.Reader()); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%v %v %08x", x.DType(), x.Shape(), h.Sum32())
}

func backup(t testing.TB, s *tstore.Store, dest string, o *tstore.BackupOptions) *tstore.BackupReport {
	t.Helper()
	r, err := s.Backup(t.Context(), dest, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// openStore opens a store that is closed when the test ends.
func openStore(t testing.TB, dir string) *tstore.Store {
	t.Helper()
	s, err := tstore.Open(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// wantWhole fails the test unless a store has these contents and no damage, no
// leftovers, and takes changes.
func wantContents(t testing.TB, dir string, want map[string]string) {
	t.Helper()
	s := openStore(t, dir)
	if diff := cmp.Diff(want, contents(t, s)); diff != "" {
		t.Errorf("%s: -want +got:\n%.2000s", dir, diff)
	}
	if found := problems(t, dir); len(found) > 0 {
		t.Errorf("%s: %+v", dir, found)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || len(r.Damage) > 0 {
		t.Errorf("verify: %+v, %v", r, err)
	}
}

func restoreTo(t testing.TB, sources ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	r, err := tstore.Restore(t.Context(), sources, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems) > 0 {
		t.Errorf("restored with %+v", r.Problems)
	}
	return dir
}

func wantNoTrace(t testing.TB, s *tstore.Store) {
	t.Helper()
	for _, p := range problems(t, s.Dir()) {
		t.Errorf("left over: %+v", p)
	}
	snaps, err := s.Snapshots(t.Context())
	if err != nil || slices.ContainsFunc(snaps, func(s catalog.Snapshot) bool { return s.Name[0] == '.' }) {
		t.Errorf("snapshots %+v, %v", snaps, err)
	}
}

func TestBackupAndRestore(t *testing.T) {
	s := newStore(t)
	fillStore(t, s)
	want := contents(t, s)
	for _, name := range []string{"b", "b.tar"} {
		t.Run(name, func(t *testing.T) {
			dest := filepath.Join(t.TempDir(), name)
			var done, total int64
			r := backup(t, s, dest, &tstore.BackupOptions{Progress: func(d, n int64) { done, total = d, n }})
			if r.Copied != r.Files || r.CopiedBytes != r.Bytes || !slices.Equal(r.Snapshots, []string{"monday"}) || done != total || total == 0 {
				t.Errorf("%+v, progress %d of %d", r, done, total)
			}
			wantNoTrace(t, s)
			if found, err := tstore.VerifyBackup(t.Context(), dest, nil); err != nil || len(found.Damage) > 0 || found.Bytes != r.Bytes {
				t.Errorf("verify: %+v, %v", found, err)
			}
			restored := restoreTo(t, dest)
			wantContents(t, restored, want)
			change := openStore(t, restored)
			err := errors.Join(
				change.Append(t.Context(), "log", source(t, 0, 5, 2)), change.Fill(t.Context(), "open", scalar(t, 1)),
				change.Append(t.Context(), "sealed", source(t, 0, 70_000)), change.Delete(t.Context(), "small/one"))
			if err != nil {
				t.Error(err)
			}
			if r, err := change.Verify(t.Context(), nil); err != nil || len(r.Damage) > 0 {
				t.Errorf("after changes: %+v, %v", r, err)
			}
			wantSound(t, restored)
		})
	}
}

// TestBackupIsAStore reads a backup, and can't change it.
func TestBackupIsAStore(t *testing.T) {
	s := newStore(t)
	fillStore(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	backup(t, s, dest, nil)
	wantContents(t, dest, contents(t, s))
	b := openStore(t, dest)
	ctx := t.Context()
	for name, change := range map[string]func() error{
		"create":   func() error { return b.Create(ctx, "new", source(t, 0, 3)) },
		"fill":     func() error { return b.Fill(ctx, "open", scalar(t, 1)) },
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

// TestBackupAgain makes all kinds of changes between backups, and counts what is
// copied.
func TestBackupAgain(t *testing.T) {
	s := newStore(t)
	fillStore(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	backup(t, s, dest, nil)
	ctx := t.Context()
	const header = 4096
	for _, step := range []struct {
		name   string
		change func() error
		copied int64 // bytes beside catalogs
	}{
		{"nothing", func() error { return nil }, 0},
		{"append", func() error { return s.Append(ctx, "log", source(t, 0, 100, 2)) }, 1600},
		{"append again", func() error { return s.Append(ctx, "log", source(t, 0, 1, 2)) }, 16},
		{"append to a sealed one", func() error { return s.Append(ctx, "sealed", source(t, 0, 10)) }, 80 + 64 + 8*65},
		{"patch", func() error { return s.Fill(ctx, "open[3]", scalar(t, 1)) }, header + 160_000},
		{"patch again", func() error { return s.Fill(ctx, "open[4]", scalar(t, 1)) }, header + 160_000},
		{"in place", func() error { return fillInPlace("log")(ctx, s) }, header + 8*2*10_101},
		{"rewrite", func() error { return s.Fill(ctx, "sparse", scalar(t, 2)) }, header + 400_000},
		{"rename", func() error { return s.Rename(ctx, "small", "little") }, 0},
		{"delete", func() error { return s.Delete(ctx, "sparse") }, 0},
		{"create", func() error { return s.Create(ctx, "new", source(t, 0, 9000)) }, header + 72_000},
		{"unseal", func() error { return s.Unseal(ctx, "sealed") }, 0},
		{"compact", func() error { _, _, err := s.Compact(ctx); return err }, 0},
		{"drop the snapshot", func() error { _, err := s.RemoveSnapshot(ctx, "monday"); return err }, 0},
		{"patch, then a snapshot", func() error {
			return errors.Join(s.Fill(ctx, "new[0]", scalar(t, 5)), second(s.CreateSnapshot(ctx, "tuesday", "")))
		}, header + 72_000},
		{"nothing, with a moved file", func() error { return nil }, 0},
		{"append to a moved file", func() error { return s.Append(ctx, "new", source(t, 0, 5)) }, 40},
	} {
		if err := step.change(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		r := backup(t, s, dest, nil)
		if got := r.CopiedBytes - catalogBytes(t, dest); got != step.copied && !strings.Contains(step.name, "snapshot") && !strings.Contains(step.name, "moved") || got < step.copied || got > step.copied+64<<10 {
			t.Errorf("%s: copied %d bytes, want %d: %+v", step.name, got, step.copied, r)
		}
		if found, err := tstore.VerifyBackup(ctx, dest, nil); err != nil || len(found.Damage) > 0 || found.Bytes != r.Bytes {
			t.Errorf("%s: %+v, %v", step.name, found, err)
		}
		wantContents(t, dest, contents(t, s))
	}
	if _, err := s.GC(ctx, nil); err != nil {
		t.Fatal(err)
	}
	wantNoTrace(t, s)
	wantContents(t, restoreTo(t, dest), contents(t, s))
}

func second[T any](_ T, err error) error { return err }

func catalogBytes(t testing.TB, dir string) int64 {
	t.Helper()
	fi, err := os.Stat(filepath.Join(dir, "catalog.db"))
	if err != nil {
		t.Fatal(err)
	}
	return fi.Size()
}

// TestTarsSince makes backups that have only what others lack, and restores them
// in any order.
func TestTarsSince(t *testing.T) {
	s := newStore(t)
	fillStore(t, s)
	dir := t.TempDir()
	full, one, two := filepath.Join(dir, "full.tar"), filepath.Join(dir, "one.tar"), filepath.Join(dir, "two.tar")
	ctx := t.Context()
	all := backup(t, s, full, nil)
	err := errors.Join(s.Append(ctx, "log", source(t, 0, 100, 2)), s.Append(ctx, "sealed", source(t, 0, 10)), s.Fill(ctx, "open[3]", scalar(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	r := backup(t, s, one, &tstore.BackupOptions{Since: full})
	if r.CopiedBytes > all.CopiedBytes/4 {
		t.Errorf("copied %d of %d bytes", r.CopiedBytes, all.CopiedBytes)
	}
	folder := filepath.Join(dir, "folder")
	backup(t, s, folder, nil)
	first := contents(t, s)
	err = errors.Join(s.Append(ctx, "log", source(t, 5, 7, 2)), s.Create(ctx, "new", source(t, 0, 9000)), s.Delete(ctx, "small/one"), s.Fill(ctx, "open[7]", scalar(t, 2)))
	if err != nil {
		t.Fatal(err)
	}
	backup(t, s, two, &tstore.BackupOptions{Since: one})
	three := filepath.Join(dir, "three.tar")
	backup(t, s, three, &tstore.BackupOptions{Since: folder})
	last := contents(t, s)
	wantContents(t, restoreTo(t, one, full), first)
	wantContents(t, restoreTo(t, two, full, one), last)
	wantContents(t, restoreTo(t, full, two, one), last)
	wantContents(t, restoreTo(t, folder, three), last)
	for _, sources := range [][]string{{one}, {two, full}, {two, one}, {three}} {
		_, err := tstore.Restore(ctx, sources, filepath.Join(t.TempDir(), "r"), nil)
		if !errors.Is(err, tstore.ErrNotBackup) || !strings.Contains(err.Error(), "add ") {
			t.Errorf("%v: %v", sources, err)
		}
	}
	other := newStore(t)
	if _, err := other.Backup(ctx, filepath.Join(dir, "other.tar"), &tstore.BackupOptions{Since: full}); !errors.Is(err, tstore.ErrNotBackup) {
		t.Errorf("since a backup of another store: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 5 {
		t.Errorf("found %v, %v", entries, err)
	}
}

// TestBackupToStream pipes a backup into a restore.
func TestBackupToStream(t *testing.T) {
	s := newStore(t)
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
	wantContents(t, dir, contents(t, s))
}

// TestBackupPlaces refuses folders that are not for backups of the store.
func TestBackupPlaces(t *testing.T) {
	s, other := newStore(t), newStore(t)
	create(t, s, "x", source(t, 0, 3))
	dir := t.TempDir()
	someones, theirs := filepath.Join(dir, "someones"), filepath.Join(dir, "theirs")
	if err := os.Mkdir(someones, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(someones, "letter"), "dear")
	backup(t, other, theirs, nil)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(s.Dir(), link); err != nil {
		t.Fatal(err)
	}
	tar := filepath.Join(dir, "there.tar")
	writeFile(t, tar, "x")
	for name, want := range map[string]error{
		s.Dir(): tstore.ErrNotBackup, filepath.Join(s.Dir(), "b"): tstore.ErrNotBackup, filepath.Join(link, "b"): tstore.ErrNotBackup,
		filepath.Join(s.Dir(), "b.tar"): tstore.ErrNotBackup, someones: tstore.ErrNotBackup, theirs: tstore.ErrNotBackup,
		other.Dir(): tstore.ErrNotBackup, filepath.Dir(s.Dir()): tstore.ErrNotBackup, tar: tstore.ErrExists,
		filepath.Join(dir, "no", "folder"): os.ErrNotExist,
	} {
		before := tree(t, dir)
		if _, err := s.Backup(t.Context(), name, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	wantNoTrace(t, s)
	// A store that was restored goes another way than the one it is of.
	mine := filepath.Join(dir, "mine")
	backup(t, s, mine, nil)
	restored := openStore(t, restoreTo(t, mine))
	if _, err := restored.Backup(t.Context(), mine, nil); !errors.Is(err, tstore.ErrNotBackup) {
		t.Errorf("backup of a restored store over that of the former one: %v", err)
	}
	backup(t, restored, filepath.Join(dir, "new"), nil)
	backup(t, s, mine, nil)
	for _, dest := range []string{someones, mine} {
		if _, err := tstore.Restore(t.Context(), []string{mine}, dest, nil); !errors.Is(err, tstore.ErrExists) {
			t.Errorf("restore over %s: %v", dest, err)
		}
	}
}

// tree are the files of a folder with their sizes.
func tree(t testing.TB, dir string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	err := filepath.Walk(dir, func(path string, fi os.FileInfo, err error) error {
		if err == nil && !fi.IsDir() {
			all[path] = fi.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBackupOfWhatIsWritten names the tensors that are being written in place.
func TestBackupOfWhatIsWritten(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 9000))
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
	backup(t, s, dest, nil)
}

// TestBackupOfDamage finds damaged blocks on the way.
func TestBackupOfDamage(t *testing.T) {
	s := newStore(t)
	fillStore(t, s)
	whole := contents(t, s)
	damage(t, dataPath(t, s, "sealed"), 4096+3*65536+5)
	dir := t.TempDir()
	for _, name := range []string{"b", "b.tar"} {
		dest := filepath.Join(dir, name)
		_, err := s.Backup(t.Context(), dest, nil)
		if !errors.Is(err, tstore.ErrChecksum) || !strings.Contains(err.Error(), "sealed[24576:32768]") || !strings.Contains(err.Error(), "bytes 200704 to 266240") {
			t.Errorf("%s: %v", name, err)
		}
		if found := tree(t, dir); len(found) > 0 && name == "b" {
			t.Errorf("%s left %v", name, found)
		}
		r := backup(t, s, dest, &tstore.BackupOptions{SkipDamaged: true})
		if len(r.Damage) != 1 || !errors.Is(r.Damage[0].Err, tstore.ErrChecksum) {
			t.Errorf("%s: %+v", name, r.Damage)
		}
		restored := openStore(t, restoreTo(t, dest))
		if v, err := restored.Verify(t.Context(), nil); err != nil || len(v.Damage) != 1 {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if err := os.Remove(dataPath(t, s, "log")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c", "c.tar"} {
		dest := filepath.Join(dir, name)
		if _, err := s.Backup(t.Context(), dest, nil); !errors.Is(err, tstore.ErrMissing) || !strings.Contains(err.Error(), "log") {
			t.Errorf("%s: %v", name, err)
		}
		backup(t, s, dest, &tstore.BackupOptions{SkipDamaged: true})
		back := filepath.Join(t.TempDir(), "r")
		r, err := tstore.Restore(t.Context(), []string{dest}, back, nil)
		if err != nil || len(r.Problems) != 1 || r.Problems[0].Kind != tstore.ProblemMissing {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		restored := openStore(t, back)
		if got := elementSum(t, restored, "open"); got != whole["open"] {
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
	s := newStore(t)
	fillStore(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	backup(t, s, dest, nil)
	files := tree(t, dest)
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
	for i := range 60 {
		b := bytes.Clone(whole.Bytes())
		at := n / 60 * i
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

// isTarSlack reports whether nothing is said by a byte of a tar: those between
// entries.
func isTarSlack(at int, b []byte) bool {
	return b[at] == 1 && (at == 0 || b[at-1] == 0) && (at+1 >= len(b) || b[at+1] == 0)
}

// TestBackupWhileSnapshotsGo removes a snapshot while it is copied.
func TestBackupWhileSnapshotsGo(t *testing.T) {
	s := newStore(t)
	fillStore(t, s)
	want := contents(t, s)
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
		err = errors.Join(err, gc, other.Fill(t.Context(), "open", scalar(t, 99)), other.Delete(t.Context(), "log"), other.Append(t.Context(), "sealed", source(t, 0, 9)),
			other.Replace(t.Context(), "blob2", source(t, 0, 3)), fillInPlace("sparse")(t.Context(), other), other.Close())
		if err != nil && !errors.Is(err, tstore.ErrNotFound) {
			t.Error(err)
		}
	}}
	backup(t, s, dest, o)
	wantContents(t, dest, want)
	if _, err := s.GC(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wantNoTrace(t, s)
}

// TestBackupWithoutSnapshots leaves out what only they need.
func TestBackupWithoutSnapshots(t *testing.T) {
	s := newStore(t)
	fillStore(t, s)
	dest := filepath.Join(t.TempDir(), "b")
	all := backup(t, s, filepath.Join(t.TempDir(), "all"), nil)
	r := backup(t, s, dest, &tstore.BackupOptions{NoSnapshots: true})
	if len(r.Snapshots) != 0 || r.Bytes >= all.Bytes-100_000 {
		t.Errorf("%+v of %+v", r, all)
	}
	want := contents(t, s)
	maps.DeleteFunc(want, func(name string, _ string) bool { return strings.Contains(name, "@") })
	wantContents(t, dest, want)
	wantContents(t, restoreTo(t, dest), want)
}
