package store_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// TestValueOfNewerStore: what a newer tstore has written in the catalog is no damage, and nothing
// repairs or salvages it.
func TestValueOfNewerStore(t *testing.T) {
	for _, bucket := range []string{"names", "storages"} {
		t.Run(bucket, func(t *testing.T) {
			ctx := t.Context()
			dir := filepath.Join(t.TempDir(), "s")
			s, err := tstore.Init(ctx, dir, nil)
			storetest.Must(t, err)
			storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
			storetest.Must(t, s.Close())
			writeAsFormat(t, dir, bucket, 9)
			file := filepath.Join(dir, "catalog.db")
			before, err := os.ReadFile(file)
			storetest.Must(t, err)

			storetest.WantFuture(t, storetest.Second(tstore.Salvage(ctx, dir, nil)), 9)
			s, err = tstore.Open(ctx, dir, nil)
			storetest.Must(t, err)
			defer s.Close()
			storetest.WantFuture(t, storetest.Second(s.Get(ctx, "x")), 9)
			storetest.WantFuture(t, storetest.Second(s.Check(ctx)), 9)
			storetest.WantFuture(t, storetest.Second(s.Repair(ctx, nil)), 9)
			storetest.WantFuture(t, storetest.Second(s.Repair(ctx, &tstore.RepairOptions{AcceptDirty: []string{"x"}})), 9)
			if bucket == "names" {
				for _, err := range s.List(ctx, nil) {
					storetest.WantFuture(t, err, 9)
				}
			}
			after, err := os.ReadFile(file)
			storetest.Must(t, err)
			if !bytes.Equal(before, after) {
				t.Error("the catalog was changed")
			}
		})
	}
}

// writeAsFormat makes the first value of a bucket of a closed store one of a format to come.
func writeAsFormat(t *testing.T, dir, bucket string, format byte) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "catalog.db"), 0o600, nil)
	storetest.Must(t, err)
	storetest.Must(t, db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bucket))
		key, value := b.Cursor().First()
		value = bytes.Clone(value[:len(value)-4])
		value[0] = format
		sum := crc32.Checksum(append(append([]byte(bucket), key...), value...), crc32.MakeTable(crc32.Castagnoli))
		return b.Put(key, binary.LittleEndian.AppendUint32(value, sum))
	}))
	storetest.Must(t, db.Close())
}
