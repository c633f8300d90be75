package fsx_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/tstore/tstore/internal/fsx"
)

const chunk = 64 << 10 // small, so that small files have many

var streamSizes = map[string]int{
	"empty": 0, "one byte": 1, "part of a chunk": chunk / 2, "a chunk": chunk, "a byte more": chunk + 1,
	"many chunks": 23*chunk + 77,
}

func TestReadFrom(t *testing.T) {
	sources := map[string]func(*testing.T, []byte) io.Reader{
		"file":     func(t *testing.T, b []byte) io.Reader { return openWith(t, b) },
		"section":  func(t *testing.T, b []byte) io.Reader { return sectionOf(t, b) },
		"bytes":    func(_ *testing.T, b []byte) io.Reader { return bytes.NewReader(b) },
		"reader":   func(_ *testing.T, b []byte) io.Reader { return io.MultiReader(bytes.NewReader(b)) },
		"dribble":  func(_ *testing.T, b []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(b)) },
		"data+EOF": func(_ *testing.T, b []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) },
	}
	for sourceName, source := range sources {
		for sizeName, size := range streamSizes {
			for _, off := range []int64{0, 4096, chunk - 1} {
				t.Run(sourceName+"/"+sizeName, func(t *testing.T) {
					want := randomBytes(size)
					f := create(t, fsx.OS, filepath.Join(t.TempDir(), "out"))
					var done []int64
					var mu sync.Mutex
					seen := make([]byte, size)
					w := fsx.NewStreamWriter(f, off, &fsx.StreamOptions{
						ChunkBytes: chunk, DropSource: true, Progress: func(n int64) { done = append(done, n) },
						Tee: func(p []byte, at int64) {
							mu.Lock()
							defer mu.Unlock()
							copy(seen[at-off:], p)
						},
					})
					if err := w.ReadFrom(context.Background(), source(t, want), int64(size)); err != nil {
						t.Fatal(err)
					}
					checkContent(t, f, off, want)
					checkProgress(t, done, int64(size))
					if !bytes.Equal(seen, want) {
						t.Error("Tee was given other bytes")
					}
					if w.Offset() != off+int64(size) {
						t.Errorf("offset %d after %d bytes from %d", w.Offset(), size, off)
					}
				})
			}
		}
	}
}

func openWith(t *testing.T, b []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func sectionOf(t *testing.T, b []byte) *io.SectionReader {
	padded := append(append(make([]byte, 100), b...), "more that is not part of the section"...)
	return io.NewSectionReader(openWith(t, padded), 100, int64(len(b)))
}

func create(t testing.TB, fsys fsx.FS, name string) fsx.File {
	t.Helper()
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// checkContent checks that f has want at off, zeros before it, and nothing behind it.
func checkContent(t *testing.T, f fsx.File, off int64, want []byte) {
	t.Helper()
	got, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 {
		return
	}
	if !bytes.Equal(got, append(make([]byte, off), want...)) {
		t.Errorf("the file has %d bytes that differ from the %d expected", len(got), int(off)+len(want))
	}
}

func checkProgress(t *testing.T, done []int64, want int64) {
	t.Helper()
	last := int64(0)
	for _, n := range done {
		if n <= last {
			t.Errorf("progress went from %d to %d", last, n)
		}
		last = n
	}
	if last != want {
		t.Errorf("progress ended at %d, want %d", last, want)
	}
}

func TestCopyLength(t *testing.T) {
	content := randomBytes(3*chunk + 5)
	size := int64(len(content))
	for name, c := range map[string]struct {
		n    int64
		want error
	}{
		"exact":         {size, nil},
		"short":         {size + 1, io.ErrUnexpectedEOF},
		"very short":    {10 * size, io.ErrUnexpectedEOF},
		"long":          {size - 1, fsx.ErrSourceLong},
		"long by chunk": {2 * chunk, fsx.ErrSourceLong},
	} {
		for sourceName, source := range map[string]io.Reader{
			"file": openWith(t, content), "reader": io.MultiReader(bytes.NewReader(content)),
		} {
			t.Run(name+"/"+sourceName, func(t *testing.T) {
				out := create(t, fsx.OS, filepath.Join(t.TempDir(), "out"))
				w := fsx.NewStreamWriter(out, 0, &fsx.StreamOptions{ChunkBytes: chunk})
				err := w.ReadFrom(context.Background(), source, c.n)
				if !errors.Is(err, c.want) {
					t.Fatalf("copied %d of %d: %v, want %v", c.n, size, err, c.want)
				}
				if c.want == nil {
					return
				}
				t.Log(err)
				if _, later := w.Write([]byte{1}); later == nil || later.Error() != err.Error() {
					t.Errorf("after %v, Write returned %v", err, later)
				}
			})
		}
	}
}
