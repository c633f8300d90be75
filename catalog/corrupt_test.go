package catalog_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/tstore/tstore/catalog"
)

var damageRounds = flag.Int("damage-rounds", 40, "how many times TestRandomDamage changes a catalog at random")

func TestDamage(t *testing.T) {
	v := newVictim(t)
	pages := len(v.file) / v.pageSize
	for name, damage := range map[string]func([]byte) []byte{
		"empty":         func(b []byte) []byte { return nil },
		"one byte":      func(b []byte) []byte { return b[:1] },
		"one page":      func(b []byte) []byte { return b[:v.pageSize] },
		"two pages":     func(b []byte) []byte { return b[:2*v.pageSize] },
		"half":          func(b []byte) []byte { return b[:len(b)/2] },
		"text":          func(b []byte) []byte { return bytes.Repeat([]byte("hello "), 5000) },
		"zeroed":        func(b []byte) []byte { clear(b); return b },
		"no first meta": func(b []byte) []byte { clear(b[:v.pageSize]); return b },
		"no metas":      func(b []byte) []byte { clear(b[:2*v.pageSize]); return b },
		"page size 0":   func(b []byte) []byte { return v.metaField(b, 8, 0, 4) },
		"huge page":     func(b []byte) []byte { return v.metaField(b, 8, 1<<31, 4) },
		"root at end":   func(b []byte) []byte { return v.metaField(b, 16, uint64(pages), 8) },
		"root is meta":  func(b []byte) []byte { return v.metaField(b, 16, 0, 8) },
		"root far":      func(b []byte) []byte { return v.metaField(b, 16, 1<<60, 8) },
		"free list":     func(b []byte) []byte { return v.metaField(b, 32, 1<<50, 8) },
		"no free list":  func(b []byte) []byte { return v.metaField(b, 32, 1<<64-1, 8) },
		"high water":    func(b []byte) []byte { return v.metaField(b, 40, 1<<62, 8) },
		"low water":     func(b []byte) []byte { return v.metaField(b, 40, 3, 8) },
		"low water 0":   func(b []byte) []byte { return v.metaField(b, 40, 0, 8) },
	} {
		t.Run(name, func(t *testing.T) { v.attack(t, damage) })
	}
}

// TestCircles lets every branch page point back at itself, and at other pages: bbolt would recurse
// until the process dies.
func TestCircles(t *testing.T) {
	v := newVictim(t)
	var branches, all []int
	for p := 2; p < len(v.file)/v.pageSize; p++ {
		switch v.file[p*v.pageSize+8] {
		case 1:
			branches = append(branches, p)
			all = append(all, p)
		case 2:
			all = append(all, p)
		}
	}
	if len(branches) == 0 {
		t.Fatal("no branch page to damage")
	}
	for _, p := range branches {
		count := int(binary.NativeEndian.Uint16(v.file[p*v.pageSize+10:]))
		for _, i := range []int{0, count / 2, count - 1} {
			for _, target := range []int{p, all[len(all)/2]} {
				t.Run(fmt.Sprintf("page %d child %d is %d", p, i, target), func(t *testing.T) {
					v.attack(t, func(b []byte) []byte {
						binary.NativeEndian.PutUint64(b[p*v.pageSize+16+i*16+8:], uint64(target))
						return b
					})
				})
			}
		}
	}
}

// TestRandomDamage mutates random pages: bytes, whole pages, copies of other pages under a right
// page id, cuts.
func TestRandomDamage(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	v := newVictim(t)
	for i := range *damageRounds {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			v.attack(t, func(b []byte) []byte { return v.mutate(r, b) })
		})
	}
}

// TestBadValue names the bucket and the key of a value that was changed.
func TestBadValue(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	addTensors(t, c, "g/a", "g/b")
	restore := editBolt(t, dir, "names", catalog.NameKey("g/a"), func(v []byte) []byte {
		v[len(v)/2] ^= 1
		return v
	})
	_, err := c.Lookup(t.Context(), "g/a")
	if !errors.Is(err, catalog.ErrCorrupt) || !strings.Contains(err.Error(), `bucket "names", key "g\x00a"`) || !strings.Contains(err.Error(), "tstore fsck") {
		t.Errorf("lookup: %v", err)
	}
	if _, err := c.Lookup(t.Context(), "g/b"); err != nil {
		t.Errorf("another record: %v", err)
	}
	problems, err := c.Check(t.Context())
	if err != nil || len(problems) != 1 || problems[0].Kind != catalog.ProblemValue || problems[0].Key != "g/a" {
		t.Errorf("check: %v, %v", problems, err)
	}
	bad, good := 0, 0
	view(t, c, func(tx *catalog.Tx) error {
		for _, err := range tx.Records() {
			if err != nil {
				bad++
			} else {
				good++
			}
		}
		return nil
	})
	if bad != 1 || good != 1 {
		t.Errorf("records: %d bad, %d good, expected one of each", bad, good)
	}
	restore()
}

// editBolt changes a value behind the catalog's back, and returns what puts it back.
func editBolt(t *testing.T, dir, bucket string, key []byte, edit func([]byte) []byte) (restore func()) {
	t.Helper()
	var old []byte
	set := func(change func([]byte) []byte) {
		db, err := bbolt.Open(filepath.Join(dir, "catalog.db"), 0o644, &bbolt.Options{Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.Update(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(bucket))
			v := change(bytes.Clone(b.Get(key)))
			if v == nil {
				return b.Delete(key)
			}
			return b.Put(key, v)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	set(func(v []byte) []byte { old = bytes.Clone(v); return edit(v) })
	return func() { set(func([]byte) []byte { return old }) }
}

func TestFuture(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	restore := editBolt(t, dir, "meta", []byte("format"), func([]byte) []byte { return []byte("7") })
	err := c.View(t.Context(), func(*catalog.Tx) error { return nil })
	if !errors.Is(err, catalog.ErrFuture) || !strings.Contains(err.Error(), "format 7") || !strings.Contains(err.Error(), "formats up to 1") {
		t.Errorf("view: %v", err)
	}
	if _, err := catalog.Open(t.Context(), dir, nil); !errors.Is(err, catalog.ErrFuture) {
		t.Errorf("open: %v", err)
	}
	restore()
}

func TestMissingBucket(t *testing.T) {
	dir := t.TempDir()
	db, err := bbolt.Open(filepath.Join(dir, "catalog.db"), 0o644, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Open(t.Context(), dir, nil); !errors.Is(err, catalog.ErrCorrupt) || !strings.Contains(err.Error(), `"meta"`) {
		t.Errorf("open of a foreign bbolt file: %v", err)
	}
}

// TestCheckFindsRefs breaks the references behind the catalog's back; Recount mends them.
func TestCheckFindsRefs(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	s := addTensors(t, c, "a", "b")
	key := append(s.ID[:], "b"...)
	editBolt(t, dir, "refs", key, func([]byte) []byte { return nil })
	stale := append(s.ID[:], "stale"...)
	editBolt(t, dir, "refs", stale, func([]byte) []byte { return catalog.Reseal("refs", stale, nil) })
	problems, err := c.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, p := range problems {
		if p.Kind != catalog.ProblemRefs {
			t.Errorf("kind of %v", p)
		}
		texts = append(texts, p.String())
	}
	mustEqual(t, "problems", texts, []string{`refs: names "b": the index of storage ` + s.ID.String() + " does not know it"})
	update(t, c, func(tx *catalog.Tx) error { return tx.Recount() })
}

// TestTruncatedWhileReading cuts the file off below a running transaction.
func TestTruncatedWhileReading(t *testing.T) {
	v := newVictim(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "catalog.db")
	for name, b := range map[string][]byte{path: v.file, filepath.Join(dir, "lock"): nil} {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := open(t, dir, nil)
	if _, err := c.Lookup(t.Context(), "g0/h0/name0"); err != nil {
		t.Fatal(err)
	}
	err := c.View(t.Context(), func(tx *catalog.Tx) error {
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		for _, err := range tx.Records() {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, catalog.ErrCorrupt) {
		t.Errorf("view: %v", err)
	}
	if _, err := c.Lookup(t.Context(), "g0/h0/name0"); !errors.Is(err, catalog.ErrCorrupt) {
		t.Errorf("lookup: %v", err)
	}
}
