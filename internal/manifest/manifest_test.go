package manifest_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/sentinel"
)

func sample() *manifest.Manifest {
	return &manifest.Manifest{
		Head: manifest.Head{
			Format: manifest.Format, ID: "01", Store: "02", Seq: 3, Created: time.Unix(4, 5).UTC(), Mark: "tstore store\n", Synced: true,
			Since: []manifest.Link{{ID: "06", Created: time.Unix(7, 0).UTC(), Name: "a b.tar"}},
		},
		Files: []manifest.File{
			{Path: "catalog.db", Key: "k1", Size: 100, Sums: []string{"s"}},
			{Path: "storages/ab/x.npy", Key: "k2", Header: 4096, HeaderSum: 9, Size: manifest.ChunkBytes + 10, From: 20, Sums: []string{"s"}, Source: manifest.Source{Path: "p", Changes: 2}},
			{Path: "storages/ab/y.npy", Key: "k3", Header: 4096, Size: 50, From: 50, Grown: true, Sparse: true},
		},
	}
}

func encode(t testing.TB, m *manifest.Manifest) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	got, err := manifest.Decode(bytes.NewReader(encode(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	y := got.ByPath()["storages/ab/y.npy"]
	if !y.Absent() || y.Stored() != 0 || got.Files[1].Stored() != 4096+manifest.ChunkBytes-10 {
		t.Errorf("stored: %d and %d", y.Stored(), got.Files[1].Stored())
	}
}

// TestDamage alters each byte, and cuts the manifest everywhere.
func TestDamage(t *testing.T) {
	b := encode(t, sample())
	for i := range b {
		altered := bytes.Clone(b)
		altered[i] ^= 1
		for what, text := range map[string][]byte{"altered": altered, "cut": b[:i]} {
			if what == "cut" && i == len(b)-1 {
				continue // only the last line feed is gone
			}
			if _, err := manifest.Decode(bytes.NewReader(text)); !errors.Is(err, manifest.ErrFormat) && !bytes.Equal(text[:len(text)-1], b[:len(b)-1]) {
				t.Errorf("%s at %d: %v", what, i, err)
			}
		}
	}
}

func TestHostile(t *testing.T) {
	for name, f := range map[string]manifest.File{
		"up":           {Path: "../x", Key: "k"},
		"absolute":     {Path: "/etc/passwd", Key: "k"},
		"inside up":    {Path: "storages/../../x", Key: "k"},
		"nothing":      {Path: "", Key: "k"},
		"the folder":   {Path: ".", Key: "k"},
		"backslash":    {Path: `..\x`, Key: "k"},
		"drive":        {Path: "c:x", Key: "k"},
		"long":         {Path: strings.Repeat("x", 5000), Key: "k"},
		"no key":       {Path: "x"},
		"negative":     {Path: "x", Key: "k", Size: -1},
		"from":         {Path: "x", Key: "k", Size: 1, From: 2},
		"huge":         {Path: "x", Key: "k", Size: math.MaxInt64},
		"huge header":  {Path: "x", Key: "k", Header: 1 << 40},
		"twice":        {Path: "catalog.db", Key: "k"},
		"sums":         {Path: "x", Key: "k", Size: 1, Sums: []string{"a", "b"}},
		"carriage":     {Path: "x\ny", Key: "k"},
		"sums missing": {Path: "x", Key: "k", Size: 3 * manifest.ChunkBytes, Sums: []string{"a"}},
	} {
		m := sample()
		m.Files = append(m.Files, f)
		if _, err := manifest.Decode(bytes.NewReader(encode(t, m))); !errors.Is(err, manifest.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := sample()
	m.Format++
	if _, err := manifest.Decode(bytes.NewReader(encode(t, m))); !errors.Is(err, sentinel.ErrFuture) || !strings.Contains(err.Error(), "format 2") {
		t.Errorf("a newer format: %v", err)
	}
}

func TestSummer(t *testing.T) {
	b := make([]byte, 2*manifest.ChunkBytes+1000)
	for i := range b {
		b[i] = byte(i * i >> 9)
	}
	want := []string{manifest.Sum(b[:manifest.ChunkBytes]), manifest.Sum(b[manifest.ChunkBytes : 2*manifest.ChunkBytes]), manifest.Sum(b[2*manifest.ChunkBytes:])}
	for _, piece := range []int{len(b), manifest.ChunkBytes, 1 << 20, 999_983} {
		var s manifest.Summer
		for rest := b; len(rest) > 0; {
			n := min(piece, len(rest))
			if _, err := s.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, s.Sums()); diff != "" {
			t.Errorf("pieces of %d: %s", piece, diff)
		}
	}
	clear(b[1000 : len(b)-500])
	want = []string{manifest.Sum(b[:manifest.ChunkBytes]), manifest.Sum(b[manifest.ChunkBytes : 2*manifest.ChunkBytes]), manifest.Sum(b[2*manifest.ChunkBytes:])}
	var gaps manifest.Summer
	_, _ = gaps.Write(b[:1000])
	gaps.Zeros(int64(len(b) - 1500))
	_, _ = gaps.Write(b[len(b)-500:])
	if diff := cmp.Diff(want, gaps.Sums()); diff != "" {
		t.Error("zeros:", diff)
	}
	var none manifest.Summer
	if sums := none.Sums(); len(sums) != 0 {
		t.Errorf("sums of nothing: %v", sums)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := manifest.Decode(bytes.NewReader(b))
		if err != nil {
			return
		}
		again, err := manifest.Decode(bytes.NewReader(encode(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Error(diff)
		}
	})
}

func Example() {
	var sums manifest.Summer
	fmt.Fprint(&sums, "elements")
	m := &manifest.Manifest{
		Head:  manifest.Head{Format: manifest.Format, ID: "1"},
		Files: []manifest.File{{Path: "a.npy", Key: "k", Size: 8, Sums: sums.Sums()}},
	}
	var b bytes.Buffer
	if err := m.Encode(&b); err != nil {
		fmt.Println(err)
		return
	}
	read, err := manifest.Decode(&b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(read.Files[0].Path, read.Files[0].Sums[0] == manifest.Sum([]byte("elements")))
	// Output: a.npy true
}
