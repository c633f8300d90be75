package store_test

import (
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func TestImportSeals(t *testing.T) {
	const block = 65536 / 8
	for name, tc := range map[string]struct {
		elements int
		edit     func(*tstore.Source)
		files    int // of sums
	}{
		"empty":        {elements: 0},
		"one":          {elements: 1},
		"small":        {elements: 100},
		"a block":      {elements: block},
		"a block more": {elements: block + 1},
		"some":         {elements: 10*block + 77},
		"64 blocks":    {elements: 64 * block},
		"65 blocks":    {elements: 64*block + 1, files: 1},
		"chunks":       {elements: 3<<20 + 5, files: 1},
		"a stream":     {elements: 3<<20 + 5, files: 1, edit: func(src *tstore.Source) { src.Data = io.MultiReader(src.Data) }},
		"sparse":       {elements: 100, edit: func(src *tstore.Source) { src.Reserve = tstore.Sparse }},
		"column-major": {elements: 10 * block, edit: func(src *tstore.Source) { src.Shape, src.Order = []int{10, block}, tstore.ColumnMajor }},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			src := storetest.Source(t, 0, tc.elements)
			if tc.edit != nil {
				tc.edit(&src)
			}
			if err := s.Import(t.Context(), "x", src, nil); err != nil {
				t.Fatal(err)
			}
			storetest.WantSealed(t, s, "x", true)
			r := storetest.WantVerified(t, s, 1)
			if want := int64(8 * tc.elements); r.Bytes != want {
				t.Errorf("verified %d bytes, want %d", r.Bytes, want)
			}
			if n := storetest.SumsFiles(t, s); n != tc.files {
				t.Errorf("%d files of sums, want %d", n, tc.files)
			}
		})
	}
}

func TestNotSealed(t *testing.T) {
	s := storetest.NewStore(t)
	if err := s.Import(t.Context(), "open", storetest.Source(t, 0, 20_000), &tstore.ImportOptions{NoSeal: true}); err != nil {
		t.Fatal(err)
	}
	zeros := storetest.Source(t, 0, 20_000)
	zeros.Data = nil
	if err := s.Import(t.Context(), "zeros", zeros, nil); err != nil {
		t.Fatal(err)
	}
	storetest.ImportAs(t, s, "x", 20_000)
	if err := s.Copy(t.Context(), "copy", "x", nil); err != nil {
		t.Fatal(err)
	}
	storetest.Create(t, s, "made", storetest.Source(t, 0, 20_000))
	for _, name := range []string{"open", "zeros", "copy", "made"} {
		storetest.WantSealed(t, s, name, false)
	}
	if r := storetest.WantVerified(t, s, 1); len(r.Unsealed) != 4 || r.Unsealed[0].Bytes != 160_000 || len(r.Unsealed[0].Names) != 1 {
		t.Errorf("unsealed: %+v, want 4 of 160000 bytes with their names", r.Unsealed)
	}
}

// TestPackedSeal imports small tensors together: those that are sealed share a file, and those that
// are not share another.
func TestPackedSeal(t *testing.T) {
	s := storetest.NewStore(t)
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Import("a", storetest.Packed(storetest.Source(t, 0, 10)), nil), tx.Import("b", storetest.Packed(storetest.Source(t, 1, 10)), nil),
			tx.Create("c", storetest.Packed(storetest.Source(t, 2, 10))), tx.Create("d", storetest.Packed(storetest.Source(t, 3, 10))))
	})
	if err != nil {
		t.Fatal(err)
	}
	for a, b := range map[string]string{"a": "b", "c": "d"} {
		if storetest.Stat(t, s, a).Storage.ID != storetest.Stat(t, s, b).Storage.ID {
			t.Errorf("%s and %s have files of their own", a, b)
		}
	}
	storetest.WantSealed(t, s, "a", true)
	storetest.WantSealed(t, s, "c", false)
	storetest.WantVerified(t, s, 1)
	if err := s.Fill(t.Context(), "b", storetest.Scalar(t, 9)); !errors.Is(err, tstore.ErrSealed) {
		t.Errorf("fill b: %v, want ErrSealed", err)
	}
	// Growing gives it a sealed file of its own.
	if err := s.Append(t.Context(), "b", storetest.Source(t, 11, 2)); err != nil {
		t.Fatal(err)
	}
	storetest.WantSealed(t, s, "b", true)
	storetest.WantVerified(t, s, 2)
	if err := s.Unseal(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.Fill(t.Context(), "a[0]", storetest.Scalar(t, 9)); err != nil {
		t.Error(err)
	}
	storetest.WantVerified(t, s, 1)
}

func TestSealedRefusesChanges(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.ImportAs(t, s, "x", 30_000, 8)
	if err := s.View(t.Context(), "v", "x[5:10]"); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(sel string) error{
		"fill":    func(sel string) error { return s.Fill(t.Context(), sel, storetest.Scalar(t, 9)) },
		"patch":   func(sel string) error { return s.Fill(t.Context(), sel+"[0, 0]", storetest.Scalar(t, 9)) },
		"narrow":  func(sel string) error { return s.Resize(t.Context(), sel, 2, 8) },
		"extend":  func(sel string) error { return s.Resize(t.Context(), sel, 40_000, 8) },
		"reshape": func(sel string) error { return s.Resize(t.Context(), sel, 3, 3) },
		"eval":    func(sel string) error { return storetest.Discard(s.Eval(t.Context(), sel+" += 1", nil)) },
		"mask":    func(sel string) error { return storetest.Discard(s.Eval(t.Context(), sel+"[[0, 1]] = 1", nil)) },
		"program": func(sel string) error {
			return storetest.Discard(s.Eval(t.Context(), "new = 1+v[0]*0; "+sel+"[0] = 1", nil))
		},
		"in place": func(sel string) error {
			return storetest.Discard(s.Eval(t.Context(), sel+"[0] = 1", &tstore.EvalOptions{InPlace: true}))
		},
		"writable": func(sel string) error {
			w, err := s.OpenWritable(t.Context(), sel)
			if err == nil {
				err = w.Close()
			}
			return err
		},
	} {
		for _, sel := range []string{"x", "v"} {
			err := change(sel)
			if !errors.Is(err, tstore.ErrSealed) || !errors.Is(err, tstore.ErrReadOnly) || !strings.Contains(err.Error(), "tstore unseal") {
				t.Errorf("%s of %s: %v, want ErrSealed that names tstore unseal", name, sel, err)
			}
		}
	}
	storetest.WantVerified(t, s, 1)
	if got := storetest.Values(t, s, "x[0, :3]"); got[2] != 2 {
		t.Errorf("x begins with %v", got)
	}
	if _, err := s.Stat(t.Context(), "new"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("a program that failed made a tensor: %v", err)
	}
	for _, change := range []func() error{
		func() error { return s.Rename(t.Context(), "v", "w") },
		func() error { return s.Replace(t.Context(), "x", storetest.Source(t, 0, 3)) },
		func() error { return s.Delete(t.Context(), "w") },
	} {
		if err := change(); err != nil {
			t.Error(err)
		}
	}
}

func TestSealAndUnseal(t *testing.T) {
	for name, elements := range map[string]int{"inline": 50_000, "file": 700_000} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, elements))
			var done, total int64
			if err := s.Seal(t.Context(), "x", &tstore.SealOptions{Progress: func(d, n int64) { done, total = d, n }}); err != nil {
				t.Fatal(err)
			}
			if want := int64(8 * elements); done != want || total != want {
				t.Errorf("progress ended at %d of %d, want %d", done, total, want)
			}
			storetest.WantVerified(t, s, 1)
			first := storetest.Stat(t, s, "x").Storage.Seal
			if err := s.Seal(t.Context(), "x", nil); err != nil {
				t.Fatal(err)
			}
			if storetest.Stat(t, s, "x").Storage.Seal.File != first.File {
				t.Error("sealing again made other sums")
			}
			if err := s.Unseal(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			storetest.WantSealed(t, s, "x", false)
			if n := storetest.SumsFiles(t, s); n != 0 {
				t.Errorf("%d files of sums are left", n)
			}
			if err := s.Fill(t.Context(), "x[:3]", storetest.Scalar(t, 9)); err != nil {
				t.Fatal(err)
			}
			if err := s.Fill(t.Context(), "x", storetest.Scalar(t, 9)); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.Unseal(t.Context(), "x"), s.Seal(t.Context(), "x", nil)); err != nil {
				t.Fatal(err)
			}
			storetest.WantVerified(t, s, 1)
			if storetest.Stat(t, s, "x").Storage.Seal.Root == first.Root {
				t.Error("other elements have the same sums")
			}
			if err := s.Delete(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			if n := storetest.SumsFiles(t, s) + storetest.StorageFiles(t, s.Dir()); n != 0 {
				t.Errorf("%d files are left", n)
			}
		})
	}
}

func TestSealErrors(t *testing.T) {
	s := storetest.NewStore(t)
	if err := s.PutBlob(t.Context(), "b", catalog.IntValue(1)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"nothing": tstore.ErrNotFound, "b": tstore.ErrWrongKind} {
		for _, do := range []func() error{
			func() error { return s.Seal(t.Context(), name, nil) },
			func() error { return s.Unseal(t.Context(), name) },
			func() error {
				return discardReport(s.Verify(t.Context(), &tstore.VerifyOptions{Selectors: []string{name}}))
			},
		} {
			if err := do(); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
	}
}

func discardReport(_ *tstore.VerifyReport, err error) error { return err }

// TestAppendExtendsSeals appends pieces of all sizes to a sealed tensor.
func TestAppendExtendsSeals(t *testing.T) {
	s := storetest.NewStore(t)
	const block = 65536 / 8
	storetest.ImportAs(t, s, "x", 100)
	n := 100
	for _, more := range []int{0, 1, block - 101, 1, block, 2*block + 7, 60 * block, block / 2, 3 * block} {
		src := storetest.Source(t, float64(n), more)
		if more%2 == 1 {
			src.Data = io.MultiReader(src.Data)
		}
		if err := s.Append(t.Context(), "x", src); err != nil {
			t.Fatal(err)
		}
		n += more
		r := storetest.WantVerified(t, s, 1)
		if r.Bytes != int64(8*n) {
			t.Errorf("verified %d bytes, want %d", r.Bytes, 8*n)
		}
	}
	storetest.WantValues(t, s, "x", storetest.UpTo(n)...)
	if n := storetest.SumsFiles(t, s); n != 1 {
		t.Errorf("%d files of sums, want 1", n)
	}
	zeros := storetest.Source(t, 0, 10)
	zeros.Data = nil
	if err := s.Append(t.Context(), "x", zeros); err != nil {
		t.Fatal(err)
	}
	storetest.WantVerified(t, s, 1)
}

// TestAdoptedSeal seals a file that is not the store's.
func TestAdoptedSeal(t *testing.T) {
	s := storetest.NewStore(t)
	path := filepath.Join(t.TempDir(), "foreign")
	b := make([]byte, 70*65536+8)
	for i := range b {
		b[i] = byte(i * i >> 7)
	}
	storetest.WriteFile(t, path, string(b))
	sp := tstore.Spec{DType: dtype.Uint8, Shape: []int{len(b) - 5}}
	if err := s.Adopt(t.Context(), "x", tstore.Foreign{Path: path, Offset: 5, Spec: sp}); err != nil {
		t.Fatal(err)
	}
	if err := s.Seal(t.Context(), "x", nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantVerified(t, s, 1)
	if err := s.Fill(t.Context(), "x", storetest.Scalar(t, 9)); !errors.Is(err, tstore.ErrReadOnly) || errors.Is(err, tstore.ErrSealed) {
		t.Errorf("fill: %v, want ErrReadOnly", err)
	}
	if err := s.Delete(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if n := storetest.SumsFiles(t, s); n != 0 {
		t.Errorf("%d files of sums are left", n)
	}
}

// TestSalvageDropsSeals rebuilds the catalog: the data is there, the seals are not, and gc removes
// what is left of them.
func TestSalvageDropsSeals(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.ImportAs(t, s, "x", 700_000)
	report, err := tstore.Salvage(t.Context(), s.Dir(), nil)
	if err != nil || len(report.Skipped) > 0 {
		t.Fatalf("salvage: %+v, %v", report, err)
	}
	storetest.WantSealed(t, s, "x", false)
	found, err := s.GC(t.Context(), nil)
	if err != nil || len(found) != 1 || !strings.HasSuffix(found[0].File, ".sums") {
		t.Errorf("gc: %+v, %v, want the file of sums", found, err)
	}
	if got := storetest.Values(t, s, "x[-1:]"); got[0] != 699_999 || math.IsNaN(got[0]) {
		t.Errorf("x ends with %v", got)
	}
}
