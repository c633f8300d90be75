package disklog_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/internal/disklog"
)

func write(off int64, text string) disklog.Event {
	return disklog.Event{Kind: disklog.Write, Off: off, Data: []byte(text)}
}

var (
	flush = disklog.Event{Kind: disklog.Flush}
	done  = disklog.Event{Kind: disklog.Mark, Off: 7}
)

func TestReadBack(t *testing.T) {
	want := []disklog.Event{write(512, "abc"), flush, done, write(1<<40, strings.Repeat("x", 100_000))}
	var b bytes.Buffer
	for _, e := range want {
		if err := disklog.Append(&b, e); err != nil {
			t.Fatal(err)
		}
	}
	whole := b.Bytes()
	got, err := disklog.Read(bytes.NewReader(whole))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("read back (-want +got), %v:\n%s", err, diff)
	}
	for _, bad := range [][]byte{whole[:5], whole[:17], append([]byte{9}, whole[1:]...)} {
		if _, err := disklog.Read(bytes.NewReader(bad)); err == nil {
			t.Errorf("%d bytes that are no log were read", len(bad))
		}
	}
}

// images are the different disks of so many bytes that a power cut before event n can leave.
func images(t *testing.T, events []disklog.Event, n, size int, share float64) []string {
	t.Helper()
	dir := t.TempDir()
	open := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	medium := open("medium")
	if _, err := medium.WriteAt(bytes.Repeat([]byte("."), size), 0); err != nil {
		t.Fatal(err)
	}
	d := disklog.NewDisk(events, medium)
	if err := d.Go(n); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	found := map[string]bool{}
	for range 100 {
		before, err := os.ReadFile(medium.Name())
		if err != nil {
			t.Fatal(err)
		}
		image := open("image")
		if _, err := image.WriteAt(before, 0); err != nil {
			t.Fatal(err)
		}
		if err := d.Cut(image, rng, share); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(image.Name())
		if err != nil {
			t.Fatal(err)
		}
		found[string(after)] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func TestCut(t *testing.T) {
	events := []disklog.Event{write(0, "a"), flush, done, write(1, "b"), write(2, "c"), write(1, "d"), flush}
	for _, test := range []struct {
		name  string
		at    int
		share float64
		want  []string
	}{
		{"nothing yet", 0, 0.5, []string{"...."}},
		{"on its way", 1, 0.5, []string{"....", "a..."}},
		{"flushed", 2, 0, []string{"a..."}},
		{"none of them", 6, 0, []string{"a..."}},
		{"in any order", 6, 0.5, []string{"a...", "a.c.", "ab..", "abc.", "ad..", "adc."}},
		{"all of them", 6, 1, []string{"adc."}},
		{"all flushed", 7, 0, []string{"adc."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, images(t, events, test.at, 4, test.share)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTorn(t *testing.T) {
	const sector = 512
	events := []disklog.Event{write(0, strings.Repeat("x", 4*sector))}
	found := map[int]bool{}
	for _, image := range images(t, events, 1, 4*sector, 0.9) {
		n := strings.Count(image, "x")
		if strings.TrimRight(image, ".") != image[:n] {
			t.Errorf("torn otherwise than at its end: %q", image)
		}
		found[n] = true
	}
	if diff := cmp.Diff([]int{0, sector, 2 * sector, 3 * sector, 4 * sector}, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("lengths (-want +got):\n%s", diff)
	}
}

func TestMarks(t *testing.T) {
	d := disklog.NewDisk([]disklog.Event{write(0, "a"), done, flush}, nil)
	if err := d.Go(2); err != nil || d.Mark() != 7 || d.Pending() != 1 {
		t.Errorf("mark %d, %d pending, %v", d.Mark(), d.Pending(), err)
	}
}
