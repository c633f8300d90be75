package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func TestViewsShareTheirStorage(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 4, 4))
	if err := s.View(t.Context(), "v", "x[1:3, ::2]"); err != nil {
		t.Fatal(err)
	}
	if err := s.View(t.Context(), "w", "v[::-1]"); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "w", 8, 10, 4, 6)
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
	storetest.WantValues(t, s, "x[2]", 5, 9, 5, 11)

	if err := s.Delete(t.Context(), "x", "v"); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "w", 5, 5, 4, 6)
	if err := s.Delete(t.Context(), "w"); err != nil {
		t.Fatal(err)
	}
	if n := storetest.StorageFiles(t, s.Dir()); n != 0 {
		t.Errorf("%d storage files are left after the last reference went", n)
	}
}

func TestDimsFollowSlices(t *testing.T) {
	s := storetest.NewStore(t)
	src := storetest.Source(t, 0, 2, 3)
	src.Dims = []string{"lat", "lon"}
	storetest.Create(t, s, "x", src)
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
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
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
	if err := s.Replace(t.Context(), "x", storetest.Source(t, 10, 2, 2)); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x", 10, 11, 12, 13)
	storetest.WantValues(t, s, "v", 1, 2)
	if got := storetest.Elements(t, old.Tensor); !slices.Equal(got, storetest.UpTo(3)) {
		t.Errorf("the open tensor changed to %v", got)
	}
	info, err := s.Stat(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if info.Version() <= old.Info.Version() || len(info.Record.Attrs) != 1 {
		t.Errorf("version %d after %d, attributes %v", info.Version(), old.Info.Version(), info.Record.Attrs)
	}
	if err := s.Replace(t.Context(), "nobody", storetest.Source(t, 0, 1)); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("replace of a missing tensor: %v", err)
	}
}

func TestRenameGroupAndList(t *testing.T) {
	s := storetest.NewStore(t)
	for _, name := range []string{"a/x", "a/b/y", "z"} {
		storetest.Create(t, s, name, storetest.Source(t, 0, 1))
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
	if err := s.Create(t.Context(), "c", storetest.Source(t, 0, 1)); err == nil {
		t.Error("a tensor took the name of a group")
	}
}

func TestBlobsAndAttrs(t *testing.T) {
	s := storetest.NewStore(t)
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
