package tstore_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// newStore makes a store that is checked for damage when the test ends.
func newStore(t testing.TB) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		wantSound(t, s.Dir())
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// wantSound fails the test when Check finds damage; leftovers are allowed.
func wantSound(t testing.TB, dir string) {
	t.Helper()
	for _, p := range problems(t, dir) {
		if !p.Harmless {
			t.Errorf("%s: %v %s: %s", p.Kind, p.Names, p.File, p.Detail)
		}
	}
}

func problems(t testing.TB, dir string) []tstore.Problem {
	t.Helper()
	s, err := tstore.Open(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found, err := s.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// source is a float64 tensor that counts up from first.
func source(t testing.TB, first float64, shape ...int) tstore.Source {
	t.Helper()
	n := 1
	for _, d := range shape {
		n *= d
	}
	data := make([]float64, n)
	for i := range data {
		data[i] = first + float64(i)
	}
	if len(shape) == 0 {
		return tstore.FromBytes(tstore.Spec{DType: dtype.Float64}, binary.LittleEndian.AppendUint64(nil, math.Float64bits(first)))
	}
	src, err := tstore.FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func create(t testing.TB, s *tstore.Store, name string, src tstore.Source) {
	t.Helper()
	if err := s.Create(t.Context(), name, src); err != nil {
		t.Fatal(err)
	}
}

// values are the elements of a selector in C order.
func values(t testing.TB, s *tstore.Store, sel string) []float64 {
	t.Helper()
	x, err := s.Get(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	return elements(t, x.Tensor)
}

func elements(t testing.TB, x *view.Tensor) []float64 {
	t.Helper()
	out := []float64{}
	size := x.DType().Size()
	err := x.Blocks(1<<16, func(b []byte) error {
		for ; len(b) > 0; b = b[size:] {
			out = append(out, dtype.Load(x.DType(), b).Float64())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantValues(t testing.TB, s *tstore.Store, sel string, want ...float64) {
	t.Helper()
	if got := values(t, s, sel); !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", sel, got, want)
	}
}

func upTo(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

func TestCreateAndGet(t *testing.T) {
	s := newStore(t)
	create(t, s, "group/x", source(t, 0, 3, 4))
	wantValues(t, s, "group/x", upTo(12)...)
	wantValues(t, s, "group/x[1:, ::-2]", 7, 5, 11, 9)

	x, err := s.Get(t.Context(), "group/x[:, 1]")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if diff := cmp.Diff([]int{3}, x.Shape()); diff != "" {
		t.Error(diff)
	}
	if x.Info.Version() != 1 || x.Info.Record.DType != dtype.Float64 {
		t.Errorf("version %d, dtype %v", x.Info.Version(), x.Info.Record.DType)
	}
}

func TestCreateErrors(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 4))
	tests := []struct {
		name string
		src  tstore.Source
		want error
	}{
		{"x", source(t, 0, 4), tstore.ErrExists},
		{"../x", source(t, 0, 4), nil},
		{"", source(t, 0, 4), nil},
		{"a\x00b", source(t, 0, 4), nil},
		{"y", tstore.Source{Spec: tstore.Spec{Shape: []int{1}}}, nil},
		{"y", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{-1}}}, nil},
		{"y", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{1 << 62, 4}}}, nil},
		{"y", tstore.Source{Spec: tstore.Spec{DType: dtype.Complex128, Shape: []int{1 << 60}}}, nil},
		{"y", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{2}, Dims: []string{"a", "b"}}}, nil},
		{"y", tstore.FromBytes(tstore.Spec{DType: dtype.Int8, Shape: []int{3}}, []byte{1, 2}), nil},
		{"y", tstore.FromBytes(tstore.Spec{DType: dtype.Int8, Shape: []int{1}}, []byte{1, 2}), nil},
		{"y", tstore.FromBytes(tstore.Spec{DType: dtype.Int8, Shape: []int{1 << 17}}, make([]byte, 1<<17-1)), nil},
		{"y", tstore.FromBytes(tstore.Spec{DType: dtype.Int8, Shape: []int{1 << 17}}, make([]byte, 1<<17+1)), nil},
	}
	for i, tt := range tests {
		err := s.Create(t.Context(), tt.name, tt.src)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("case %d: got %v, want %v", i, err, tt.want)
		}
	}
	if _, err := s.Stat(t.Context(), "y"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("a failed create left something: %v", err)
	}
	if found := problems(t, s.Dir()); len(found) > 0 {
		t.Errorf("failed creates left %+v", found)
	}
}

func TestEveryDType(t *testing.T) {
	s := newStore(t)
	for _, dt := range dtype.All() {
		for _, order := range []tstore.Order{tstore.RowMajor, tstore.ColumnMajor} {
			name := fmt.Sprintf("%v/%d", dt, order)
			b := make([]byte, 6*dt.Size())
			for i := range 6 {
				one, err := dtype.ParseScalar(dt, fmt.Sprint(i%2))
				if err != nil {
					t.Fatal(err)
				}
				one.Store(b[i*dt.Size():])
			}
			create(t, s, name, tstore.FromBytes(tstore.Spec{DType: dt, Shape: []int{2, 3}, Order: order}, b))
			want := []float64{0, 1, 0, 1, 0, 1}
			if order == tstore.ColumnMajor {
				want = []float64{0, 0, 0, 1, 1, 1}
			}
			wantValues(t, s, name, want...)
		}
	}
}

func TestEmptyAndScalar(t *testing.T) {
	s := newStore(t)
	create(t, s, "empty", source(t, 0, 3, 0, 2))
	create(t, s, "scalar", source(t, 7))
	wantValues(t, s, "empty")
	wantValues(t, s, "scalar", 7)
	wantValues(t, s, "scalar[...]", 7)
}

func TestViewsShareTheirStorage(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 4, 4))
	if err := s.View(t.Context(), "v", "x[1:3, ::2]"); err != nil {
		t.Fatal(err)
	}
	if err := s.View(t.Context(), "w", "v[::-1]"); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "w", 8, 10, 4, 6)
	names, err := s.Sharers(t.Context(), "x", 10)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"v", "w", "x"}, names); diff != "" {
		t.Error(diff)
	}

	five, _ := dtype.ParseScalar(dtype.Float64, "5")
	if err := s.Fill(t.Context(), "w[0]", five); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "x[2]", 5, 9, 5, 11)

	if err := s.Delete(t.Context(), "x", "v"); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "w", 5, 5, 4, 6)
	if err := s.Delete(t.Context(), "w"); err != nil {
		t.Fatal(err)
	}
	if n := storageFiles(t, s.Dir()); n != 0 {
		t.Errorf("%d storage files are left after the last reference went", n)
	}
}

func storageFiles(t testing.TB, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "storages", "*", "*.npy"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func TestDimsFollowSlices(t *testing.T) {
	s := newStore(t)
	src := source(t, 0, 2, 3)
	src.Dims = []string{"lat", "lon"}
	create(t, s, "x", src)
	for sel, want := range map[string][]string{
		"x[0]": {"lon"}, "x[:, 1]": {"lat"}, "x[..., newaxis]": {"lat", "lon", ""}, "x[0, 0]": {},
	} {
		info, err := s.Stat(t.Context(), sel)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, info.Dims()); diff != "" {
			t.Errorf("%s: %s", sel, diff)
		}
	}
}

func TestReplaceKeepsWhatIsOpen(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 3))
	if err := s.SetAttr(t.Context(), "x", "unit", catalog.StringValue("m")); err != nil {
		t.Fatal(err)
	}
	if err := s.View(t.Context(), "v", "x[1:]"); err != nil {
		t.Fatal(err)
	}
	old, err := s.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := s.Replace(t.Context(), "x", source(t, 10, 2, 2)); err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "x", 10, 11, 12, 13)
	wantValues(t, s, "v", 1, 2)
	if got := elements(t, old.Tensor); !slices.Equal(got, upTo(3)) {
		t.Errorf("the open tensor changed to %v", got)
	}
	info, err := s.Stat(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if info.Version() <= old.Info.Version() || len(info.Record.Attrs) != 1 {
		t.Errorf("version %d after %d, attributes %v", info.Version(), old.Info.Version(), info.Record.Attrs)
	}
	if err := s.Replace(t.Context(), "nobody", source(t, 0, 1)); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("replace of a missing tensor: %v", err)
	}
}

func TestRenameGroupAndList(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"a/x", "a/b/y", "z"} {
		create(t, s, name, source(t, 0, 1))
	}
	if err := s.Rename(t.Context(), "a", "c"); err != nil {
		t.Fatal(err)
	}
	list := func(o *tstore.ListOptions) []string {
		var names []string
		for item, err := range s.List(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, item.Name)
		}
		return names
	}
	if diff := cmp.Diff([]string{"c/b/y", "c/x", "z"}, list(&tstore.ListOptions{Recursive: true})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c", "z"}, list(nil)); diff != "" {
		t.Error(diff)
	}
	if err := s.Create(t.Context(), "c", source(t, 0, 1)); err == nil {
		t.Error("a tensor took the name of a group")
	}
}

func TestManyNamesInOneTransaction(t *testing.T) {
	s := newStore(t)
	create(t, s, "old", source(t, 0, 2))
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		for i := range 100 {
			if err := tx.Create(fmt.Sprintf("small/%03d", i), source(t, float64(i), 3)); err != nil {
				return err
			}
		}
		return errors.Join(tx.Rename("old", "new"), tx.View("view", "small/050[1:]"))
	})
	if err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "small/099", 99, 100, 101)
	wantValues(t, s, "view", 51, 52)
	if n := storageFiles(t, s.Dir()); n != 2 {
		t.Errorf("100 small tensors and one other took %d files, want 2", n)
	}
	err = s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Create("more", source(t, 0, 1<<16)), tx.Delete("small/001"), tx.Delete("nobody"))
	})
	if !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	wantValues(t, s, "small/001", 1, 2, 3)
	if _, err := s.Stat(t.Context(), "more"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("half a transaction is visible: %v", err)
	}
}

func TestBlobsAndAttrs(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	if err := s.PutBlob(ctx, "conf", catalog.IntValue(3)); err != nil {
		t.Fatal(err)
	}
	if err := s.PutBlob(ctx, "conf", catalog.StringValue("four")); err != nil {
		t.Fatal(err)
	}
	v, err := s.Blob(ctx, "conf")
	if err != nil || v != catalog.StringValue("four") {
		t.Errorf("got %v, %v", v, err)
	}
	if _, err := s.Get(ctx, "conf"); !errors.Is(err, tstore.ErrWrongKind) {
		t.Errorf("a blob opened as a tensor: %v", err)
	}
	if err := s.SetAttr(ctx, "conf", "k", catalog.BoolValue(true)); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteAttr(ctx, "conf", "nope"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if err := s.DeleteAttr(ctx, "conf", "k"); err != nil {
		t.Fatal(err)
	}
	attrs, err := s.Attrs(ctx, "conf")
	if err != nil || len(attrs) != 0 {
		t.Errorf("got %v, %v", attrs, err)
	}
}

func TestOpenErrors(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	if _, err := tstore.Open(ctx, dir, nil); !errors.Is(err, tstore.ErrNotStore) {
		t.Errorf("empty folder: %v", err)
	}
	s := newStore(t)
	if _, err := tstore.Init(ctx, s.Dir(), nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("init twice: %v", err)
	}
	copyOf := func(edit func(dir string)) string {
		to := filepath.Join(t.TempDir(), "c")
		if err := os.CopyFS(to, os.DirFS(s.Dir())); err != nil {
			t.Fatal(err)
		}
		edit(to)
		return to
	}
	newer := copyOf(func(dir string) {
		writeFile(t, filepath.Join(dir, "STORE"), "tstore store\nformat 99\nid "+s.ID().String()+"\n")
	})
	if _, err := tstore.Open(ctx, newer, nil); !errors.Is(err, tstore.ErrFuture) {
		t.Errorf("newer format: %v", err)
	}
	other := copyOf(func(dir string) {
		writeFile(t, filepath.Join(dir, "STORE"), "tstore store\nformat 1\nid "+catalog.NewID().String()+"\n")
	})
	if _, err := tstore.Open(ctx, other, nil); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("another store's mark: %v", err)
	}
	for _, text := range []string{"", "x", "tstore store\n", "tstore store\nformat x\n", "tstore store\nformat 1\nid 12\n"} {
		bad := copyOf(func(dir string) { writeFile(t, filepath.Join(dir, "STORE"), text) })
		if _, err := tstore.Open(ctx, bad, nil); err == nil {
			t.Errorf("STORE file %q was accepted", text)
		}
	}
}

func TestInitGoesOnAfterInterruption(t *testing.T) {
	s := newStore(t)
	if err := os.Remove(filepath.Join(s.Dir(), "STORE")); err != nil {
		t.Fatal(err)
	}
	again, err := tstore.Init(t.Context(), s.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.ID() != s.ID() {
		t.Error("the interrupted store's catalog was not taken over")
	}
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnly(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 3))
	ro, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	wantValues(t, ro, "x", 0, 1, 2)
	if err := ro.Create(t.Context(), "y", source(t, 0, 1)); !errors.Is(err, tstore.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	if _, err := ro.OpenWritable(t.Context(), "x"); !errors.Is(err, tstore.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
}

func TestClosed(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 3))
	x, err := s.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := elements(t, x.Tensor); !slices.Equal(got, upTo(3)) {
		t.Errorf("closing the store took the elements away: %v", got)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Tensor.Get(0); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("closed tensor: %v", err)
	}
	if _, err := s.Get(t.Context(), "x"); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("closed store: %v", err)
	}
}

func TestTxAfterItsEnd(t *testing.T) {
	s := newStore(t)
	var late *tstore.Tx
	if err := s.Update(t.Context(), func(tx *tstore.Tx) error { late = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	uses := map[string]func() error{
		"create": func() error { return late.Create("x", source(t, 0, 20_000)) },
		"filled": func() error {
			return late.CreateFilled("x", tstore.Spec{DType: dtype.Int8, Shape: []int{3}}, func(*view.Tensor) error { return nil })
		},
		"small":  func() error { return late.Create("x", source(t, 0, 2)) },
		"delete": func() error { return late.Delete("x") },
		"blob":   func() error { return late.PutBlob("b", catalog.IntValue(1)) },
	}
	for name, use := range uses {
		if err := use(); err == nil {
			t.Errorf("%s: a transaction that has ended said that it did it", name)
		}
	}
	if files, err := os.ReadDir(filepath.Join(s.Dir(), "tmp")); err != nil || len(files) > 0 {
		t.Errorf("left behind %v, %v", files, err)
	}
}

// TestPackBeginsAnew takes back the only tensor of a shared file and goes on.
func TestPackBeginsAnew(t *testing.T) {
	s := newStore(t)
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(
			tx.Create("a", source(t, 1, 2)), tx.Delete("a"), tx.Create("b", source(t, 5, 2)),
			tx.Create("c", source(t, 7, 1)), tx.Replace("c", source(t, 8, 1)))
	})
	if err != nil {
		t.Fatal(err)
	}
	wantValues(t, s, "b", 5, 6)
	wantValues(t, s, "c", 8)
}

// TestSpecIsCopied reuses the slices of one Spec for several tensors.
func TestSpecIsCopied(t *testing.T) {
	s := newStore(t)
	sp := tstore.Spec{DType: dtype.Float64, Shape: []int{0}, Dims: []string{""}}
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		for i := range 3 {
			sp.Shape[0], sp.Dims[0] = i+1, fmt.Sprint("d", i)
			if err := tx.Create(fmt.Sprint("t", i), tstore.Source{Spec: sp}); err != nil {
				return err
			}
		}
		sp.Shape[0] = 20_000
		err := tx.Create("large", tstore.Source{Spec: sp})
		sp.Shape[0], sp.Dims[0] = 77, "other"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	look := func() {
		t.Helper()
		for i := range 3 {
			info := stat(t, s, fmt.Sprint("t", i))
			if info.Record.Shape[0] != int64(i+1) || info.Record.Dims[0] != fmt.Sprint("d", i) {
				t.Errorf("t%d has shape %v and axes %v", i, info.Record.Shape, info.Record.Dims)
			}
		}
		if info := stat(t, s, "large"); info.Record.Shape[0] != 20_000 {
			t.Errorf("large has shape %v", info.Record.Shape)
		}
	}
	look()
	if _, err := tstore.Salvage(t.Context(), s.Dir()); err != nil {
		t.Fatal(err)
	}
	look()
}

func TestInitKeepsOrphans(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 20_000))
	for _, file := range []string{"STORE", "catalog.db"} {
		if err := os.Remove(filepath.Join(s.Dir(), file)); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := tstore.Init(t.Context(), s.Dir(), nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("init over data files without a catalog: %v, %v", again, err)
	}
	if _, err := tstore.Salvage(t.Context(), s.Dir()); err != nil {
		t.Fatal(err)
	}
	again, err := tstore.Open(t.Context(), s.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	wantValues(t, again, "x[:2]", 0, 1)
}
