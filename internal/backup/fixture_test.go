package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// fillStore makes names of all kinds, and a snapshot that has something else.
func fillStore(t testing.TB, s *tstore.Store) {
	t.Helper()
	ctx := t.Context()
	sparse := storetest.Source(t, 0, 50_000)
	sparse.Reserve, sparse.Data = tstore.Sparse, nil
	err := errors.Join(
		s.Import(ctx, "sealed", storetest.Source(t, 0, storetest.BackupRows), nil),
		s.Create(ctx, "open", storetest.Source(t, 0, 20_000)),
		s.Create(ctx, "log", storetest.Source(t, 0, 10_000, 2)),
		s.Create(ctx, "sparse", sparse),
		s.Create(ctx, "empty", storetest.Source(t, 0, 0, 3)),
		s.Update(ctx, func(tx *tstore.Tx) error {
			return errors.Join(tx.Create("small/one", storetest.Source(t, 1, 10)), tx.Create("small/two", storetest.Source(t, 2, 20)))
		}),
		s.View(ctx, "view", "log[::2]"),
		s.PutBlob(ctx, "blob", catalog.StringValue("text")),
		s.Define(ctx, "lazy", "open[:10] + 1", nil),
		s.SetAttr(ctx, "open", "unit", catalog.StringValue("K")))
	storetest.Snapshot(t, s, "monday")
	err = errors.Join(err, s.Fill(ctx, "open", storetest.Scalar(t, 7)), s.Delete(ctx, "small/two"))
	if err != nil {
		t.Fatal(err)
	}
}

func catalogBytes(t testing.TB, dir string) int64 {
	t.Helper()
	fi, err := os.Stat(filepath.Join(dir, "catalog.db"))
	if err != nil {
		t.Fatal(err)
	}
	return fi.Size()
}
