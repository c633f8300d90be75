package catalog

import (
	"encoding/binary"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
)

func resum(meta []byte) {
	h := fnv.New64a()
	h.Write(meta[:metaSummed])
	binary.NativeEndian.PutUint64(meta[metaSummed:], h.Sum64())
}

// smallFile returns the bytes of a catalog whose names fill several leaves.
func smallFile(tb testing.TB, records int) []byte {
	tb.Helper()
	dir := tb.TempDir()
	c, err := Create(tb.Context(), dir, nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	err = c.Update(tb.Context(), func(tx *Tx) error {
		for i := range records {
			name := "group/" + string([]byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676)})
			if err := tx.Put(Record{Name: name, Kind: KindBlob, Blob: IntValue(int64(i))}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, dbFile))
	if err != nil {
		tb.Fatal(err)
	}
	return file
}

// FuzzPages reads damaged files: everything ends, and nothing panics.
func FuzzPages(f *testing.F) {
	file := smallFile(f, 200)
	f.Add(uint32(0), []byte{1})
	f.Add(uint32(5*4096+8), []byte{1, 0, 255})
	f.Add(uint32(24), []byte{0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, at uint32, patch []byte) {
		damaged := append([]byte(nil), file...)
		copy(damaged[int(at)%len(damaged):], patch)
		for _, page := range []int{0, 4096} {
			resum(damaged[page+pageHeader:][:metaBytes])
		}
		s, err := newSnapshot("file", damaged)
		if err != nil {
			return
		}
		w := &walker{s: s, seen: make([]bool, s.meta.highWater), add: func(string) {}}
		if s.meta.highWater >= 2 {
			w.run()
		}
		for _, name := range allBuckets {
			tree, ok, err := s.bucket(name)
			if err != nil || !ok {
				continue
			}
			cur := boltCursor{t: tree}
			key, err := cur.seek(nil)
			for key != nil && err == nil {
				if _, _, err = cur.value(); err == nil {
					key, err = cur.next()
				}
			}
			_ = tree.guard([]byte("group\x00zz"), true)
		}
	})
}

// TestCursorOrder compares the cursor with what was put, from every key on.
func TestCursorOrder(t *testing.T) {
	s, err := newSnapshot("file", smallFile(t, 700))
	if err != nil {
		t.Fatal(err)
	}
	tree, ok, err := s.bucket(namesBucket)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	var keys []string
	cur := boltCursor{t: tree}
	for key, err := cur.seek(nil); key != nil || err != nil; key, err = cur.next() {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(key))
	}
	if len(keys) != 700 {
		t.Fatalf("%d keys", len(keys))
	}
	for i, k := range keys {
		if got, err := cur.seek([]byte(k)); string(got) != k || err != nil {
			t.Fatalf("seek(%q) = %q, %v", k, got, err)
		}
		got, err := cur.seek([]byte(k + "\x00"))
		if want := append(keys, "")[i+1]; string(got) != want || err != nil {
			t.Fatalf("seek after %q = %q, %v; want %q", k, got, err, want)
		}
		if again, err := cur.next(); got == nil && again != nil || err != nil {
			t.Fatalf("next at the end = %q, %v", again, err)
		}
	}
}
