package storetest

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// BackupRows makes a sealed tensor whose checksums are in a file.
const BackupRows = 530_000

// Contents are the elements of all tensors, and of those of snapshots, and the values of blobs and
// lazy names.
func Contents(t testing.TB, s *tstore.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	snaps, err := s.Snapshots(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, snap := range append(snaps, catalog.Snapshot{}) {
		for item, err := range s.List(t.Context(), &tstore.ListOptions{Recursive: true, Snapshot: snap.Name}) {
			if err != nil {
				t.Fatal(err)
			}
			name := tstore.Selector{Name: item.Name, Snapshot: snap.Name}.String()
			switch item.Record.Kind {
			case catalog.KindTensor:
				all[name] = ElementSum(t, s, name)
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

// ElementSum is the shape of a tensor and a sum of its elements.
func ElementSum(t testing.TB, s *tstore.Store, name string) string {
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

// Backup makes a backup, which must find no damage.
func Backup(t testing.TB, s *tstore.Store, dest string, o *tstore.BackupOptions) *tstore.BackupReport {
	t.Helper()
	r, err := s.Backup(t.Context(), dest, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantWhole fails the test unless a store has these contents and no damage, no leftovers, and takes
// changes.
func WantContents(t testing.TB, dir string, want map[string]string) {
	t.Helper()
	s := OpenStore(t, dir)
	if diff := cmp.Diff(want, Contents(t, s)); diff != "" {
		t.Errorf("%s: -want +got:\n%.2000s", dir, diff)
	}
	if found := Problems(t, dir); len(found) > 0 {
		t.Errorf("%s: %+v", dir, found)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || len(r.Damage) > 0 {
		t.Errorf("verify: %+v, %v", r, err)
	}
}

// RestoreTo makes a store of backups in a new folder, and returns the folder.
func RestoreTo(t testing.TB, sources ...string) string {
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

// WantNoTrace expects that no backup holds anything in the store.
func WantNoTrace(t testing.TB, s *tstore.Store) {
	t.Helper()
	for _, p := range Problems(t, s.Dir()) {
		t.Errorf("left over: %+v", p)
	}
	snaps, err := AllSnapshots(t.Context(), s)
	if err != nil || slices.ContainsFunc(snaps, func(s catalog.Snapshot) bool { return s.Name[0] == '.' }) {
		t.Errorf("snapshots %+v, %v", snaps, err)
	}
}

// Tree are the files of a folder with their sizes.
func Tree(t testing.TB, dir string) map[string]int64 {
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

// BackUpAll makes backups of all kinds in a folder, the second into the first and as what that
// lacks, and expects that all have these contents. It leaves the backups alone there.
func BackUpAll(t testing.TB, s *tstore.Store, dir string, want map[string]string) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	folder, tar, later := filepath.Join(dir, "b"), filepath.Join(dir, "b.tar"), filepath.Join(dir, "later.tar")
	Backup(t, s, folder, nil)
	WantContents(t, folder, want)
	Backup(t, s, tar, nil)
	WantContents(t, RestoreTo(t, tar), want)
	if r := Backup(t, s, folder, nil); r.Copied != 1 { // the catalog
		t.Errorf("again: %+v", r)
	}
	WantContents(t, folder, want)
	Backup(t, s, later, &tstore.BackupOptions{Since: tar})
	WantContents(t, RestoreTo(t, tar, later), want)
	var stream bytes.Buffer
	if _, err := s.BackupTo(t.Context(), &stream, nil); err != nil {
		t.Fatal(err)
	}
	restored := filepath.Join(t.TempDir(), "r")
	if _, err := tstore.Restore(t.Context(), []string{"-"}, restored, &tstore.RestoreOptions{Stdin: &stream}); err != nil {
		t.Fatal(err)
	}
	WantContents(t, restored, want)
	for place, expected := range map[string]int{temp: 0, filepath.Join(folder, "tmp"): 0, dir: 3} {
		if left, err := os.ReadDir(place); err != nil || len(left) != expected {
			t.Errorf("%s: left %v, %v", place, left, err)
		}
	}
}
