package boltfile_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/tstore/tstore/catalog/internal/boltfile"
)

const pageSize = 4096

// names is the bucket that smallFile fills.
const names = "names"

var errBad = errors.New("bad file")

func bad(detail string) error { return fmt.Errorf("%w: %s", errBad, detail) }

// smallFile returns the bytes of a database whose bucket fills several leaves.
func smallFile(tb testing.TB, records int) []byte {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "file.db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: pageSize, FreelistType: bbolt.FreelistArrayType, NoSync: true})
	if err != nil {
		tb.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		if _, err := tx.CreateBucket([]byte("empty")); err != nil {
			return err
		}
		b, err := tx.CreateBucket([]byte(names))
		for i := range records {
			if err == nil {
				err = b.Put([]byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676)}, []byte("a value of some bytes"))
			}
		}
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		tb.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return file
}

// resum makes the checksum of the meta page at an offset right.
func resum(file []byte, page int) {
	const header, summed = 16, 56
	meta := file[page+header:]
	h := fnv.New64a()
	h.Write(meta[:summed])
	binary.NativeEndian.PutUint64(meta[summed:], h.Sum64())
}

// check returns what Check reports of a commit.
func check(c *boltfile.Commit) (found []string) {
	required := func(bucket string) bool { return bucket == names }
	c.Check([]string{"empty", names, "optional"}, required, func(detail string) { found = append(found, detail) })
	return found
}

// FuzzPages reads damaged files: everything ends, and nothing panics.
func FuzzPages(f *testing.F) {
	file := smallFile(f, 200)
	f.Add(uint32(0), []byte{1})
	f.Add(uint32(5*pageSize+8), []byte{1, 0, 255})
	f.Add(uint32(24), []byte{0, 0, 0, 0})
	f.Add(uint32(56), []byte{1, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, at uint32, patch []byte) {
		damaged := append([]byte(nil), file...)
		copy(damaged[int(at)%len(damaged):], patch)
		resum(damaged, 0)
		resum(damaged, pageSize)
		c, err := boltfile.Open(damaged, bad)
		if err != nil {
			return
		}
		check(c)
		for _, name := range []string{"empty", names} {
			tree, ok, err := c.Bucket(name)
			if err != nil || !ok {
				continue
			}
			cur := tree.Cursor()
			key, err := cur.Seek(nil)
			for key != nil && err == nil {
				if _, _, err = cur.Value(); err == nil {
					key, err = cur.Next()
				}
			}
			_ = tree.Guard([]byte("gzz"), true)
		}
	})
}

// TestCursorOrder compares the cursor with what was put, from every key on.
func TestCursorOrder(t *testing.T) {
	c, err := boltfile.Open(smallFile(t, 700), bad)
	if err != nil {
		t.Fatal(err)
	}
	tree, ok, err := c.Bucket(names)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	var keys []string
	cur := tree.Cursor()
	for key, err := cur.Seek(nil); key != nil || err != nil; key, err = cur.Next() {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(key))
	}
	if len(keys) != 700 {
		t.Fatalf("%d keys", len(keys))
	}
	for i, k := range keys {
		if got, err := cur.Seek([]byte(k)); string(got) != k || err != nil {
			t.Fatalf("Seek(%q) = %q, %v", k, got, err)
		}
		got, err := cur.Seek([]byte(k + "\x00"))
		if want := append(keys, "")[i+1]; string(got) != want || err != nil {
			t.Fatalf("Seek after %q = %q, %v; want %q", k, got, err, want)
		}
		if again, err := cur.Next(); got == nil && again != nil || err != nil {
			t.Fatalf("Next at the end = %q, %v", again, err)
		}
	}
}

// TestZeroTree reads a tree that is not there.
func TestZeroTree(t *testing.T) {
	var tree boltfile.Tree
	cur := tree.Cursor()
	if key, err := cur.Seek(nil); key != nil || err != nil {
		t.Errorf("Seek = %q, %v", key, err)
	}
	if value, err := tree.Get(&cur, []byte("a")); value != nil || err != nil {
		t.Errorf("Get = %q, %v", value, err)
	}
	if err := tree.Guard([]byte("a"), true); err != nil {
		t.Errorf("Guard: %v", err)
	}
}

// TestCheck damages pages one way at a time.
func TestCheck(t *testing.T) {
	file := smallFile(t, 700)
	c, err := boltfile.Open(file, bad)
	if err != nil || check(c) != nil {
		t.Fatalf("a whole file: %v, %v", err, check(c))
	}
	if _, err := boltfile.Open(c.Used()[1:], bad); !errors.Is(err, errBad) {
		t.Errorf("a file without its start: %v", err)
	}
	if _, err := boltfile.Open(c.Used()[:len(c.Used())-1], bad); !errors.Is(err, errBad) {
		t.Errorf("a file that is cut off: %v", err)
	}
	for page := 2 * pageSize; page < len(file); page += pageSize {
		if binary.NativeEndian.Uint64(file[page:]) == 0 {
			continue // it was never written
		}
		damaged := append([]byte(nil), file...)
		damaged[page]++
		c, err := boltfile.Open(damaged, bad)
		if err != nil {
			t.Fatal(err)
		}
		if m := c.Meta(); uint64(page/pageSize) < m.HighWater && !isFree(file, page/pageSize) && check(c) == nil {
			t.Errorf("page %d has another number: not found", page/pageSize)
		}
	}
}

// isFree reports whether a page is on bbolt's own list of free pages.
func isFree(file []byte, page int) bool {
	m, _ := boltfile.FindMeta(file)
	for at := 2 * pageSize; at < int(m.HighWater)*pageSize; at += pageSize {
		const freelist = 0x10
		if binary.NativeEndian.Uint16(file[at+8:]) != freelist {
			continue
		}
		for i := range int(binary.NativeEndian.Uint16(file[at+10:])) {
			if binary.NativeEndian.Uint64(file[at+16+8*i:]) == uint64(page) {
				return true
			}
		}
	}
	return false
}

// TestMetas changes a file and looks at its meta pages.
func TestMetas(t *testing.T) {
	file := smallFile(t, 3)
	c, err := boltfile.Open(file, bad)
	if err != nil {
		t.Fatal(err)
	}
	metas := c.Metas()
	path := filepath.Join(t.TempDir(), "file.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	read, err := boltfile.ReadMetas(f, pageSize)
	if err != nil || read != metas || !metas.In(file, pageSize) {
		t.Errorf("the meta pages of the file are others, or %v", err)
	}
	if m, ok, err := boltfile.ReadMeta(f); err != nil || !ok || m != c.Meta() {
		t.Errorf("ReadMeta = %v, %t, %v; want %v", m, ok, err, c.Meta())
	}

	if err := boltfile.WipeMetas(f, pageSize); err != nil {
		t.Fatal(err)
	}
	if read, err := boltfile.ReadMetas(f, pageSize); err != nil || read == metas {
		t.Errorf("the meta pages are still there, or %v", err)
	}
	if m, ok, err := boltfile.ReadMeta(f); err != nil || ok {
		t.Errorf("ReadMeta of none = %v, %t, %v", m, ok, err)
	}
}
