package catalog_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

func fullRecord(id catalog.ID) catalog.Record {
	at := time.Date(2024, 2, 29, 12, 0, 0, 123456789, time.UTC)
	return catalog.Record{
		Name: "weather/t2m", Storage: id, DType: dtype.Float64, Shape: []int64{2, 0, 5}, Strides: []int64{-5, 0, 1}, Offset: 7,
		Dims: []string{"time", "", "x"}, Parent: "weather/all", Version: 9, Created: at, Modified: at.Add(time.Hour),
		Formula: catalog.Formula{Text: "a + `b/c`", Inputs: []catalog.Input{{Name: "a", Version: 7, Storage: id, Created: 1_700_000_000_000_000_001}, {Name: "b/c"}}},
		Attrs: map[string]catalog.Value{
			"units": catalog.StringValue("K"), "n": catalog.IntValue(-3), "scale": catalog.FloatValue(0.5),
			"ok": catalog.BoolValue(true), "raw": catalog.BytesValue([]byte{0, 1}), "off": catalog.BoolValue(false),
			"zero": catalog.IntValue(0), "empty": catalog.StringValue(""),
		},
	}
}

func TestRoundTrip(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	s := catalog.Storage{
		ID: catalog.NewID(), Gen: 3, Adopted: true, Path: "/data/file.bin", HeaderBytes: 128, PayloadBytes: 1 << 40, Written: 1 << 41, HeaderSum: 77, HeaderWas: 78,
		Sparse: true, State: catalog.Dirty, Writer: "pid 7", Changes: 12, Created: time.Unix(1, 2).UTC(),
		Identity: catalog.Identity{Size: 1 << 41, MTimeNs: -5, Inode: 1 << 63, Dev: 3},
	}
	want := fullRecord(s.ID)
	b := blob("note", "text")
	b.Blob = jsonValue(t, `{"a":[1]}`)
	at := time.Unix(5, 6).UTC()
	l := catalog.Record{
		Name: "sum", Kind: catalog.KindLazy, DType: dtype.Int8, Shape: []int64{3, 4}, Dims: []string{"", "x"}, Formula: want.Formula,
		Version: 2, Created: at, Modified: at, Attrs: want.Attrs,
	}
	update(t, c, func(tx *catalog.Tx) error {
		return errors.Join(tx.PutStorage(s), tx.Put(want), tx.Put(b), tx.Put(l))
	})
	s.Refs = 1
	for _, c := range []*catalog.Catalog{c, open(t, dir, nil)} {
		e, err := c.Lookup(context.Background(), want.Name)
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, "record", e.Record, want)
		mustEqual(t, "storage", e.Storage, s)
		e, err = c.Lookup(context.Background(), "note")
		if err != nil || e.Record.Blob != b.Blob || e.Record.Kind != catalog.KindBlob {
			t.Errorf("blob: %+v, %v", e, err)
		}
		e, err = c.Lookup(context.Background(), "sum")
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, "lazy name", e.Record, l)
		mustEqual(t, "its storage", e.Storage, catalog.Storage{})
	}
}

func TestPutErrors(t *testing.T) {
	c := create(t, nil)
	s := addTensors(t, c, "a/b", "v")
	for name, tc := range map[string]struct {
		change func(*catalog.Record)
		want   error
		text   string
	}{
		"bad name":        {func(r *catalog.Record) { r.Name = "../x" }, catalog.ErrBadName, "reserved"},
		"is a group":      {func(r *catalog.Record) { r.Name = "a" }, catalog.ErrConflict, `"a" is a group`},
		"inside a value":  {func(r *catalog.Record) { r.Name = "v/w/x" }, catalog.ErrConflict, `lies in "v"`},
		"no storage":      {func(r *catalog.Record) { r.Storage = catalog.ID{7} }, catalog.ErrNotFound, "storage 0700"},
		"zero storage":    {func(r *catalog.Record) { r.Storage = catalog.ID{} }, catalog.ErrInvalid, "needs a storage"},
		"dtype":           {func(r *catalog.Record) { r.DType = 0 }, catalog.ErrInvalid, "dtype"},
		"strides":         {func(r *catalog.Record) { r.Strides = nil }, catalog.ErrInvalid, "0 strides for 2 axes"},
		"dims":            {func(r *catalog.Record) { r.Dims = []string{"x"} }, catalog.ErrInvalid, "1 dimension names for 2 axes"},
		"negative length": {func(r *catalog.Record) { r.Shape = []int64{-1, 2} }, catalog.ErrInvalid, "axis 0 has length -1"},
		"rank":            {func(r *catalog.Record) { r.Shape, r.Strides = make([]int64, 65), make([]int64, 65) }, catalog.ErrInvalid, "65 axes"},
		"offset":          {func(r *catalog.Record) { r.Offset = -1 }, catalog.ErrInvalid, "offset -1"},
		"kind":            {func(r *catalog.Record) { r.Kind = 9 }, catalog.ErrInvalid, "kind 9"},
		"tensor blob":     {func(r *catalog.Record) { r.Blob = catalog.IntValue(1) }, catalog.ErrInvalid, "no blob"},
		"lazy storage":    {func(r *catalog.Record) { r.Kind, r.Formula.Text = catalog.KindLazy, "a" }, catalog.ErrInvalid, "a lazy name has no"},
		"lazy no formula": {func(r *catalog.Record) { *r = catalog.Record{Name: r.Name, Kind: catalog.KindLazy} }, catalog.ErrInvalid, "needs a formula"},
		"lazy no dtype":   {func(r *catalog.Record) { *r = lazy(r.Name, "a"); r.DType = 0; r.Shape = []int64{1} }, catalog.ErrInvalid, "no dtype"},
		"formula text":    {func(r *catalog.Record) { r.Formula.Text = "\xff" }, catalog.ErrInvalid, "valid UTF-8"},
		"formula length":  {func(r *catalog.Record) { r.Formula.Text = strings.Repeat("a", catalog.MaxFormulaBytes+1) }, catalog.ErrInvalid, "at most 65536 bytes"},
		"formula inputs":  {func(r *catalog.Record) { r.Formula = catalog.Formula{Text: "a", Inputs: make([]catalog.Input, 5000)} }, catalog.ErrInvalid, "5000 inputs"},
		"formula input": {func(r *catalog.Record) {
			r.Formula = catalog.Formula{Text: "a", Inputs: []catalog.Input{{Name: "../a"}}}
		}, catalog.ErrBadName, "../a"},
		"formula no text": {func(r *catalog.Record) { r.Formula.Inputs = []catalog.Input{{Name: "a"}} }, catalog.ErrInvalid, "no text"},
		"blob formula":    {func(r *catalog.Record) { *r = blob(r.Name, "a"); r.Formula.Text = "a" }, catalog.ErrInvalid, "or formula"},
		"blob geometry":   {func(r *catalog.Record) { r.Kind = catalog.KindBlob }, catalog.ErrInvalid, "a blob has no"},
		"empty blob":      {func(r *catalog.Record) { *r = catalog.Record{Name: "x", Kind: catalog.KindBlob} }, catalog.ErrInvalid, "holds nothing"},
		"attribute":       {func(r *catalog.Record) { r.Attrs = map[string]catalog.Value{"": catalog.IntValue(1)} }, catalog.ErrInvalid, "empty name"},
		"attribute value": {func(r *catalog.Record) { r.Attrs = map[string]catalog.Value{"a": {}} }, catalog.ErrInvalid, `attribute "a"`},
		"parent":          {func(r *catalog.Record) { r.Parent = "a\xff" }, catalog.ErrInvalid, "parent"},
		"time":            {func(r *catalog.Record) { r.Created = time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC) }, catalog.ErrInvalid, "2262"},
	} {
		t.Run(name, func(t *testing.T) {
			r := tensor("new", s.ID)
			tc.change(&r)
			err := c.Update(context.Background(), func(tx *catalog.Tx) error { return tx.Put(r) })
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
				t.Fatalf("Put: %v, want %v with %q", err, tc.want, tc.text)
			}
		})
	}
}

func TestStamps(t *testing.T) {
	c := create(t, nil)
	get := func() (r catalog.Record) {
		view(t, c, func(tx *catalog.Tx) (err error) { r, err = tx.Get("x"); return err })
		return r
	}
	put := func(r catalog.Record) { update(t, c, func(tx *catalog.Tx) error { return tx.Put(r) }) }
	put(blob("x", "1"))
	first := get()
	put(blob("x", "2"))
	second := get()
	if first.Version != 1 || second.Version != 2 || !second.Created.Equal(first.Created) || !second.Modified.After(first.Modified) {
		t.Errorf("first %+v, second %+v", first, second)
	}
	second.Version = 10
	put(second)
	if third := get(); third.Version != 10 || !third.Modified.After(second.Modified) {
		t.Errorf("third %+v", third)
	}
}

func TestDeleteSuggests(t *testing.T) {
	c := create(t, nil)
	addTensors(t, c, "weather/t2m", "weather/wind", "ocean/t2m")
	err := c.Update(context.Background(), func(tx *catalog.Tx) error { return tx.Delete("weather/t2n") })
	var missing *catalog.NotFoundError
	if !errors.As(err, &missing) || !errors.Is(err, catalog.ErrNotFound) {
		t.Fatal(err)
	}
	mustEqual(t, "near", missing.Near, []string{"weather/t2m"})
	mustEqual(t, "text", err.Error(), `"weather/t2n" not found; did you mean "weather/t2m"?`)
	err = c.Update(context.Background(), func(tx *catalog.Tx) error { return tx.Delete("weather") })
	if !errors.Is(err, catalog.ErrConflict) {
		t.Errorf("deleting a group: %v", err)
	}
}

func TestNearest(t *testing.T) {
	c := create(t, nil)
	addTensors(t, c, "alpha", "alhpa2", "beta", "g/gamma", "g/gamut")
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"swap":    {"aplha", []string{"alpha"}},
		"missing": {"bta", []string{"beta"}},
		"group":   {"g/gama", []string{"g/gamma"}},
		"far":     {"zzzzzz", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			view(t, c, func(tx *catalog.Tx) error {
				got, err := tx.Nearest(tc.in, 3)
				mustEqual(t, "nearest", got, tc.want)
				return err
			})
		})
	}
}

func TestStorageLifecycle(t *testing.T) {
	c := create(t, nil)
	s := addTensors(t, c, "a", "b")
	trash := func() (files []string) {
		view(t, c, func(tx *catalog.Tx) error {
			list, err := tx.Trash()
			for _, f := range list {
				files = append(files, f.File)
			}
			return err
		})
		return files
	}
	update(t, c, func(tx *catalog.Tx) error {
		next := s
		next.Gen = 1
		return tx.PutStorage(next)
	})
	mustEqual(t, "trash after a new generation", trash(), []string{s.File()})
	update(t, c, func(tx *catalog.Tx) error { return tx.PutStorage(s) })
	s.Gen = 1
	mustEqual(t, "trash after going back", trash(), []string{s.File()})
	s.Gen = 0
	update(t, c, func(tx *catalog.Tx) error {
		if err := tx.DropStorage(s.ID); !errors.Is(err, catalog.ErrInvalid) {
			t.Errorf("dropping a storage in use: %v", err)
		}
		return errors.Join(tx.PutPatch(s.ID, catalog.Patch{Offset: 4, Bytes: []byte("abcd")}), tx.Delete("a"))
	})
	view(t, c, func(tx *catalog.Tx) error {
		p, err := tx.Patch(s.ID)
		mustEqual(t, "patch", p, catalog.Patch{Offset: 4, Bytes: []byte("abcd")})
		return err
	})
	update(t, c, func(tx *catalog.Tx) error { return tx.Delete("b") })
	view(t, c, func(tx *catalog.Tx) error {
		if _, err := tx.Storage(s.ID); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("storage after its last reference: %v", err)
		}
		if _, err := tx.Patch(s.ID); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("patch after the storage: %v", err)
		}
		return nil
	})
	if got := trash(); len(got) != 2 {
		t.Errorf("trash: %v", got)
	}
	update(t, c, func(tx *catalog.Tx) error {
		for _, f := range trashFiles(t, tx) {
			if err := tx.ClearTrash(f); err != nil {
				return err
			}
		}
		return nil
	})
	mustEqual(t, "trash after clearing", trash(), nil)
}

func trashFiles(t *testing.T, tx *catalog.Tx) (files []string) {
	t.Helper()
	list, err := tx.Trash()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		files = append(files, f.File)
	}
	return files
}

func TestStorageErrors(t *testing.T) {
	c := create(t, nil)
	for name, s := range map[string]catalog.Storage{
		"zero id":       {},
		"negative":      {ID: catalog.ID{1}, PayloadBytes: -1},
		"overflow":      {ID: catalog.ID{1}, HeaderBytes: 1 << 62, PayloadBytes: 1 << 62},
		"state":         {ID: catalog.ID{1}, State: 99},
		"relative path": {ID: catalog.ID{1}, Adopted: true, Path: "x"},
		"path":          {ID: catalog.ID{1}, Path: "/x"},
		"writer":        {ID: catalog.ID{1}, Writer: strings.Repeat("w", 2000)},
	} {
		err := c.Update(context.Background(), func(tx *catalog.Tx) error { return tx.PutStorage(s) })
		if !errors.Is(err, catalog.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
	for _, file := range []string{"", ".", "..", "../x", "/etc/passwd", "a//b", "a/../../b", `a\b`, "a\x00"} {
		err := c.Update(context.Background(), func(tx *catalog.Tx) error { return tx.Queue(file) })
		if !errors.Is(err, catalog.ErrInvalid) {
			t.Errorf("Queue(%q): %v, want ErrInvalid", file, err)
		}
	}
}
