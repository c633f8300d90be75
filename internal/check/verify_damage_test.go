package check_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// sealedKinds are stores with a sealed tensor x, of float64 elements that count up from 0, by how
// it lies in its file.
var sealedKinds = map[string]struct {
	elements int
	make     func(t *testing.T, s *tstore.Store, n int)
}{

	"packed": {8000, func(t *testing.T, s *tstore.Store, n int) {
		err := s.Update(t.Context(), func(tx *tstore.Tx) error {
			return errors.Join(tx.Import("before", storetest.Packed(storetest.Source(t, 5, 1000)), nil), tx.Import("x", storetest.Packed(storetest.Source(t, 0, n)), nil), tx.Import("after", storetest.Packed(storetest.Source(t, 5, 100)), nil))
		})
		if err != nil {
			t.Fatal(err)
		}
	}},
	"inline": {4*storetest.SumBlock/8 + 500, func(t *testing.T, s *tstore.Store, n int) { storetest.ImportAs(t, s, "x", n) }},
	"file":   {66 * storetest.SumBlock / 8, func(t *testing.T, s *tstore.Store, n int) { storetest.ImportAs(t, s, "x", n) }},
	"appended": {4*storetest.SumBlock/8 + 500, func(t *testing.T, s *tstore.Store, n int) {
		storetest.ImportAs(t, s, "x", n-9000)
		if err := s.Append(t.Context(), "x", storetest.Source(t, float64(n-9000), 9000)); err != nil {
			t.Fatal(err)
		}
	}},
}

// TestDamage damages each block of sealed tensors in every way. Verify must say where, and paranoid
// reading must be an error or give the right elements.
func TestDamage(t *testing.T) {
	t.Parallel()
	for kind, k := range sealedKinds {
		t.Run(kind, func(t *testing.T) {
			s := storetest.NewDamagedStore(t)
			k.make(t, s, k.elements)
			storetest.WantVerified(t, s, 1)
			path := storetest.DataPath(t, s, "x")
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all := damages(len(whole))
			for i := 0; i < len(all); i += storetest.Every(13) {
				d := all[i]
				b := bytes.Clone(whole)
				b = d.damage(b)
				if bytes.Equal(b, whole) {
					t.Fatalf("%s damages nothing", d.name)
				}
				if err := os.WriteFile(path, b, 0o644); err != nil {
					t.Fatal(err)
				}
				wantDamage(t, s, d)
				wantNoWrongElements(t, s.Dir(), d.name, k.elements)
			}
		})
	}
}

// A damageCase changes a data file, and says which blocks of its payload are bad then, and why.
type damageCase struct {
	name   string
	damage func(file []byte) []byte
	first  int
	blocks int
	err    error
}

func damages(size int) []damageCase {
	payload := size - storetest.FileHeader
	count := (payload + storetest.SumBlock - 1) / storetest.SumBlock
	block := func(b []byte, n int) []byte {
		return b[storetest.FileHeader+n*storetest.SumBlock : min(storetest.FileHeader+(n+1)*storetest.SumBlock, size)]
	}
	var all []damageCase
	add := func(name string, first, blocks int, err error, damage func(b []byte) []byte) {
		all = append(all, damageCase{name, damage, first, blocks, err})
	}
	for n := range count {
		if n%8 > 1 && n < count-2 {
			continue // many blocks are alike
		}
		length := len(block(make([]byte, size), n))
		at := storetest.FileHeader + n*storetest.SumBlock
		add(fmt.Sprintf("bit of block %d", n), n, 1, tstore.ErrChecksum, func(b []byte) []byte { block(b, n)[(n*7919)%length] ^= 1 << (n % 8); return b })
		add(fmt.Sprintf("zeroed block %d", n), n, 1, tstore.ErrChecksum, func(b []byte) []byte { clear(block(b, n)); return b })
		add(fmt.Sprintf("cut in block %d", n), n, count-n, tstore.ErrTruncated, func(b []byte) []byte { return b[:at+length-1] })
		add(fmt.Sprintf("cut in a page of block %d", n), n, count-n, tstore.ErrTruncated, func(b []byte) []byte { return b[:at+min(length-1, 5000)] })
		add(fmt.Sprintf("cut and extended from block %d", n), n, count-n, tstore.ErrChecksum, func(b []byte) []byte { clear(b[at+length/2:]); return b })
		if n > 0 {
			add(fmt.Sprintf("block %d of another place", n), n, 1, tstore.ErrChecksum, func(b []byte) []byte { copy(block(b, n), block(b, n-1)); return b })
		}
	}
	if count > 2 {
		add("swapped blocks", 0, 2, tstore.ErrChecksum, func(b []byte) []byte {
			kept := bytes.Clone(block(b, 0))
			copy(block(b, 0), block(b, 1))
			copy(block(b, 1), kept)
			return b
		})
	}
	return all
}

// wantDamage checks the report of Verify.
func wantDamage(t *testing.T, s *tstore.Store, d damageCase) {
	t.Helper()
	info := storetest.Stat(t, s, "x")
	r, err := s.Verify(t.Context(), nil)
	if err != nil {
		t.Errorf("%s: %v", d.name, err)
		return
	}
	at := int64(storetest.FileHeader + d.first*storetest.SumBlock)
	end := min(at+int64(d.blocks)*storetest.SumBlock, storetest.FileHeader+info.Storage.PayloadBytes)
	if len(r.Damage) != 1 {
		t.Errorf("%s: damage %+v, want one place", d.name, r.Damage)
		return
	}
	got := r.Damage[0]
	if got.File != info.Storage.File() || got.Offset != at || got.Bytes != end-at || !errors.Is(got.Err, d.err) {
		t.Errorf("%s: %+v, want %d bytes at %d of %s: %v", d.name, got, end-at, at, info.Storage.File(), d.err)
	}
	names := make([]string, 0, len(got.Parts))
	for _, p := range got.Parts {
		names = append(names, p.Name)
	}
	if !slices.Contains(names, "x") {
		t.Errorf("%s: it concerns %q, want x among them", d.name, names)
	}
}

// wantNoWrongElements reads x block by block, as a new process with paranoid reading would.
func wantNoWrongElements(t *testing.T, dir, name string, n int) {
	t.Helper()
	s, err := tstore.Open(t.Context(), dir, &tstore.Options{Paranoid: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	refused := 0
	for first := 0; first < n; first += storetest.SumBlock / 8 {
		end := min(first+storetest.SumBlock/8, n)
		x, err := s.Get(t.Context(), fmt.Sprintf("x[%d:%d]", first, end))
		if errors.Is(err, tstore.ErrChecksum) || errors.Is(err, tstore.ErrTruncated) {
			refused++
			continue
		}
		if err != nil {
			t.Errorf("%s: elements from %d on: %v", name, first, err)
			continue
		}
		for i, v := range storetest.Elements(t, x.Tensor) {
			if v != float64(first+i) {
				t.Errorf("%s: element %d is %v", name, first+i, v)
			}
		}
		x.Close()
	}
	if refused == 0 {
		t.Errorf("%s: nothing was refused", name)
	}
	if _, err := s.Get(t.Context(), "x"); !errors.Is(err, tstore.ErrChecksum) && !errors.Is(err, tstore.ErrTruncated) {
		t.Errorf("%s: all of it: %v", name, err)
	}
}

// TestDamageOfSums: without the sums nothing can be verified, and that is said.
func TestDamageOfSums(t *testing.T) {
	for name, tc := range map[string]struct {
		damage func(path string) error
		err    error
	}{
		"missing": {os.Remove, tstore.ErrMissing},
		"cut":     {func(path string) error { return os.Truncate(path, 100) }, tstore.ErrChecksum},
		"a bit":   {func(path string) error { return storetest.FlipByte(path, 200) }, tstore.ErrChecksum},
		"header":  {func(path string) error { return storetest.FlipByte(path, 20) }, tstore.ErrChecksum},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewDamagedStore(t)
			storetest.ImportAs(t, s, "x", 66*storetest.SumBlock/8)
			sums := storetest.Stat(t, s, "x").Storage.SumsFile()
			if err := tc.damage(filepath.Join(s.Dir(), sums)); err != nil {
				t.Fatal(err)
			}
			r, err := s.Verify(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Damage) != 1 || r.Damage[0].File != sums || !errors.Is(r.Damage[0].Err, tc.err) || len(r.Damage[0].Parts) != 1 {
				t.Errorf("damage %+v, want %v of %s", r.Damage, tc.err, sums)
			}
			found, err := s.Check(t.Context())
			if err != nil || len(found) != 1 || found[0].Kind != tstore.ProblemSums || !cmp.Equal(found[0].Names, []string{"x"}) {
				t.Errorf("check: %+v, %v", found, err)
			}
			if err := s.Append(t.Context(), "x", storetest.Source(t, 0, 1)); !errors.Is(err, tc.err) {
				t.Errorf("append: %v, want %v", err, tc.err)
			}
			if err := errors.Join(s.Unseal(t.Context(), "x"), s.Seal(t.Context(), "x", nil)); err != nil {
				t.Fatal(err)
			}
			storetest.WantVerified(t, s, 1)
			storetest.WantSound(t, s.Dir())
		})
	}
}

// TestAppendToDamage: the last block is not sealed anew with damage in it, nor is a copy of a
// damaged tensor.
func TestAppendToDamage(t *testing.T) {
	s := storetest.NewDamagedStore(t)
	storetest.ImportAs(t, s, "x", 10_000, 2)
	if err := s.View(t.Context(), "v", "x[:100]"); err != nil {
		t.Fatal(err)
	}
	path := storetest.DataPath(t, s, "x")
	if err := errors.Join(storetest.FlipByte(path, storetest.FileHeader+159_999), storetest.FlipByte(path, storetest.FileHeader+3)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "v"} {
		err := s.Append(t.Context(), name, storetest.Source(t, 0, 1, 2))
		var where *tstore.ChecksumError
		if !errors.As(err, &where) || where.Path != path {
			t.Errorf("append to %s: %v, want a *ChecksumError of %s", name, err, path)
		}
	}
}

// TestDamagedParts reports the parts of tensors that lie in a damaged place.
func TestDamagedParts(t *testing.T) {
	s := storetest.NewDamagedStore(t)
	storetest.ImportAs(t, s, "m", 1000, 64) // 512 bytes a row, 128 rows a block
	for name, sel := range map[string]string{"rows": "m[100:200]", "column": "m[:, 3]", "turned": "m[::-1]", "top": "m[:10]", "m8": "m.view(uint8)"} {
		if err := s.View(t.Context(), name, sel); err != nil {
			t.Fatal(err)
		}
	}
	if err := storetest.FlipByte(storetest.DataPath(t, s, "m"), storetest.FileHeader+storetest.SumBlock+7); err != nil {
		t.Fatal(err)
	}
	r, err := s.Verify(t.Context(), nil)
	if err != nil || len(r.Damage) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	var got []string
	for _, p := range r.Damage[0].Parts {
		got = append(got, p.Selector)
	}
	want := []string{"column[128:256]", "m[128:256]", "m8[128:256]", "rows[28:100]", "turned[744:872]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	p := r.Problems()
	if len(p) != 1 || p[0].Kind != tstore.ProblemChecksum || len(p[0].Names) != 5 || !strings.Contains(p[0].Detail, "m[128:256]") {
		t.Errorf("problems: %+v", p)
	}
}
