package tstore_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tstore/tstore/internal/storetest"

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

// contents are the elements of all tensors, and of those of snapshots, and the values of blobs and
// lazy names.
func contents(t testing.TB, s *tstore.Store) map[string]string {
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

// wantWhole fails the test unless a store has these contents and no damage, no leftovers, and takes
// changes.
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
	snaps, err := storetest.AllSnapshots(t.Context(), s)
	if err != nil || slices.ContainsFunc(snaps, func(s catalog.Snapshot) bool { return s.Name[0] == '.' }) {
		t.Errorf("snapshots %+v, %v", snaps, err)
	}
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
