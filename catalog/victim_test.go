package catalog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/catalog"
)

// damageLimit is how long everything that is done to a damaged catalog may take, at best of
// damageTries.
const (
	damageLimit = 5 * time.Second
	damageTries = 3
)

// victim is a sound catalog file, to be damaged again and again.
type victim struct {
	file     []byte
	pageSize int
	records  map[string]catalog.Record
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	c, dir := createIn(t, t.TempDir(), &catalog.Options{NoSync: true})
	v := &victim{pageSize: os.Getpagesize(), records: map[string]catalog.Record{}}
	for i := range 3 {
		var names []string
		for j := range 300 {
			names = append(names, fmt.Sprintf("g%d/h%d/name%d", i, j%7, j))
		}
		addTensors(t, c, names...)
	}
	view(t, c, func(tx *catalog.Tx) error {
		for r, err := range tx.Records() {
			if err != nil {
				return err
			}
			v.records[r.Name] = r
		}
		return nil
	})
	update(t, c, func(tx *catalog.Tx) error { return tx.Delete("g1/h1/name1") })
	var err error
	if v.file, err = os.ReadFile(filepath.Join(dir, "catalog.db")); err != nil {
		t.Fatal(err)
	}
	v.file = bytes.TrimRight(v.file, "\x00")
	v.file = append(v.file, make([]byte, v.pageSize-len(v.file)%v.pageSize)...)
	return v
}

// attack damages a copy of the file, and then does everything with it that a user could. Each call
// returns, in time, with a right answer or an error: a wrong record, a panic or a hang fails the
// test.
func (v *victim) attack(t *testing.T, damage func(file []byte) []byte) {
	t.Helper()
	file := damage(bytes.Clone(v.file))
	took := time.Hour
	for tries := 0; tries < damageTries && took > damageLimit; tries++ {
		took = min(took, v.try(t, file))
	}
	if took > damageLimit {
		t.Errorf("it took %v at best", took)
	}
}

// try does with a damaged file what a user could, and returns how long that took.
func (v *victim) try(t *testing.T, file []byte) time.Duration {
	t.Helper()
	dir := t.TempDir()
	for name, b := range map[string][]byte{"catalog.db": file, "lock": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	v.use(t.Context(), t, dir)
	return time.Since(began)
}

func (v *victim) use(ctx context.Context, t *testing.T, dir string) {
	t.Helper()
	c, err := catalog.Open(ctx, dir, &catalog.Options{LockTimeout: time.Second, NoSync: true})
	if err != nil {
		expectDamage(t, "open", err)
		return
	}
	defer c.Close()
	for _, name := range []string{"g0/h0/name0", "g2/h3/name290", "g1/h1/name1", "a", "zz"} {
		e, err := c.Lookup(ctx, name)
		if err == nil {
			v.mustBeRight(t, e.Record)
		} else if !errors.Is(err, catalog.ErrNotFound) {
			expectDamage(t, "lookup", err)
		}
	}
	err = c.View(ctx, func(tx *catalog.Tx) error {
		for r, err := range tx.Records() {
			if err == nil {
				v.mustBeRight(t, r)
			} else {
				expectDamage(t, "records", err)
			}
		}
		items, err := tx.List("g1", "", true, 0)
		for _, i := range items {
			v.mustBeRight(t, i.Record)
		}
		return err
	})
	expectDamage(t, "view", err)
	_, err = c.Check(ctx)
	expectDamage(t, "check", err)
	for _, name := range []string{"g0/h0/name0", "g2/h3/name290"} {
		err := c.Update(ctx, func(tx *catalog.Tx) error { return tx.Delete(name) })
		if !errors.Is(err, catalog.ErrNotFound) {
			expectDamage(t, "delete", err)
		}
		expectDamage(t, "put", c.Update(ctx, func(tx *catalog.Tx) error {
			return tx.Put(blob(strings.ReplaceAll(name, "/", "-"), "x"))
		}))
	}
	_, err = c.Check(ctx)
	expectDamage(t, "check after writing", err)
}

// mustBeRight fails the test for a record that never was. A file whose newer meta page is damaged
// shows the transaction before the last.
func (v *victim) mustBeRight(t *testing.T, r catalog.Record) {
	t.Helper()
	if want := v.records[r.Name]; !reflect.DeepEqual(r, want) {
		t.Errorf("wrong record %q: %s", r.Name, cmp.Diff(want, r))
	}
}

// expectDamage fails the test for an error that a damaged file does not explain. None is fine:
// damage may not matter.
func expectDamage(t *testing.T, what string, err error) {
	t.Helper()
	for _, ok := range []error{catalog.ErrCorrupt, catalog.ErrInDoubt, catalog.ErrPoisoned, catalog.ErrFuture} {
		if errors.Is(err, ok) {
			return
		}
	}
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// metaField overwrites a field of both meta pages, with right checksums.
func (v *victim) metaField(b []byte, off int, value uint64, size int) []byte {
	for _, page := range []int{0, v.pageSize} {
		var raw [8]byte
		binary.NativeEndian.PutUint64(raw[:], value)
		copy(b[page+16+off:], raw[:size])
	}
	catalog.ResumMetas(b, v.pageSize)
	return b
}

func (v *victim) mutate(r *rand.Rand, b []byte) []byte {
	page := func() []byte {
		p := r.IntN(len(b) / v.pageSize)
		return b[p*v.pageSize:][:v.pageSize]
	}
	for range 1 + r.IntN(3) {
		p := page()
		switch r.IntN(6) {
		case 0: // bytes of the header and the elements
			for range 1 + r.IntN(8) {
				p[r.IntN(256)] = byte(r.Uint32())
			}
		case 1: // bytes anywhere
			for range 1 + r.IntN(8) {
				p[r.IntN(len(p))] ^= 1 << r.IntN(8)
			}
		case 2:
			clear(p[r.IntN(len(p)):])
		case 3: // another page in its place
			id := binary.NativeEndian.Uint64(p)
			copy(p, page())
			binary.NativeEndian.PutUint64(p, id)
		case 4: // a number in the elements
			binary.NativeEndian.PutUint32(p[16+4*r.IntN(100):], r.Uint32()>>r.IntN(32))
		case 5:
			if r.IntN(4) == 0 {
				b = b[:r.IntN(len(b))]
				b = b[:max(len(b)/v.pageSize, 1)*v.pageSize]
			}
		}
	}
	catalog.ResumMetas(b, v.pageSize)
	return b
}
