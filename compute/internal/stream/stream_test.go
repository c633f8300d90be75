package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/compute/internal/stream"
	"github.com/tstore/tstore/internal/testdir"
	"github.com/tstore/tstore/mmapstore"
)

const (
	mega      = 1 << 20
	chunkSize = mega
	fileSize  = 96*mega + 12345 // the last chunk is short
	numChunks = 97

	// What a pass keeps, less what a system that is short of memory takes back of its own accord.
	mostOfFile = fileSize / 2
)

// dataFile makes a file of fileSize bytes and returns a mapping of it, past a header.
func dataFile(t testing.TB) *mmapstore.Storage {
	t.Helper()
	path := filepath.Join(testdir.OnDisk(t), "data")
	if !mapOne(t, path+"0") {
		t.Skip("mappings are copies in memory in this build")
	}
	f, err := os.Create(path)
	must(t, err)
	piece := bytes.Repeat([]byte("tensors "), mega/8)
	for left := fileSize + 4096; left > 0; left -= len(piece) {
		piece = piece[:min(left, len(piece))]
		_, err := f.Write(piece)
		must(t, err)
	}
	must(t, f.Sync())
	must(t, f.Close())
	s, err := mmapstore.Map(path, 4096, fileSize, mmapstore.Shared, nil)
	must(t, err)
	t.Cleanup(func() { s.Release() })
	return s
}

// mapOne maps a small file and reports whether its bytes are pages of it.
func mapOne(t testing.TB, path string) bool {
	s, err := mmapstore.Map(path, 0, 1, mmapstore.Create, nil)
	must(t, err)
	defer s.Release()
	return s.FileBacked()
}

// inOrder is the range of chunk after chunk.
func inOrder(chunk int) (off, n int64) {
	off = int64(chunk) * chunkSize
	return off, min(chunkSize, fileSize-off)
}

func backwards(chunk int) (off, n int64) { return inOrder(numChunks - 1 - chunk) }

// cached returns the bytes of s in memory, and skips the test where the system does not tell.
func cached(t *testing.T, s *mmapstore.Storage) int64 {
	t.Helper()
	n, _, ok := s.Cached(0, s.Size())
	if !ok {
		t.Skip("the system does not tell what is in memory")
	}
	return n
}

// chill has s dropped from memory, and skips the test where it stays.
func chill(t *testing.T, s *mmapstore.Storage) {
	t.Helper()
	must(t, s.Flush(0, -1))
	must(t, s.Advise(0, -1, mmapstore.DontNeed))
	if n := cached(t, s); n > mega {
		t.Skipf("%d bytes stay in memory: is the file system there?", n)
	}
}

// walk works on all chunks in order and returns the most bytes of watched that were in memory.
func walk(t *testing.T, operands []stream.Operand, o *stream.Options, watched *mmapstore.Storage, work func(chunk int)) (most int64) {
	t.Helper()
	s := stream.Start(t.Context(), operands, numChunks, o)
	for chunk := range numChunks {
		must(t, s.Wait(chunk))
		work(chunk)
		most = max(most, cached(t, watched))
		s.Done(chunk)
	}
	must(t, s.Close())
	return most
}

func TestReads(t *testing.T) {
	tests := []struct {
		name       string
		rangeOf    func(chunk int) (off, n int64)
		drop       bool
		most, left int64 // bytes in memory: during the pass, and least after it
	}{
		{"keep", inOrder, false, fileSize + mega, mostOfFile},
		{"drop", inOrder, true, 80 * mega, 0},
		{"drop backwards", backwards, true, 80 * mega, 0},
		{"keep backwards", backwards, false, fileSize + mega, mostOfFile},
		{"twice", func(chunk int) (int64, int64) { return inOrder(chunk % 49) }, true, 80 * mega, 0},
		{"every second", func(chunk int) (int64, int64) { return inOrder(chunk / 2 * 2) }, true, 80 * mega, 0},
		{"one for all", func(int) (int64, int64) { return 5, 3 * mega }, true, 24 * mega, 0},
		{"everything", func(int) (int64, int64) { return 0, fileSize }, true, mega, 0},
		{"nothing", func(int) (int64, int64) { return 0, 0 }, true, mega, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := dataFile(t)
			chill(t, data)
			operands := []stream.Operand{{Storage: data, Range: test.rangeOf}}
			most := walk(t, operands, &stream.Options{DropBehind: test.drop}, data, func(chunk int) {
				off, n := test.rangeOf(chunk)
				// A system that is short of memory may have taken pages back by now.
				if got, _, _ := data.Cached(off, max(n, 1)); got < n/2 && n <= 8*mega {
					t.Errorf("of chunk %d %d bytes of %d are in memory", chunk, got, n)
				}
			})
			left := cached(t, data)
			if most > test.most || left < test.left {
				t.Errorf("%d bytes were in memory at most, %d at the end; want %d at most and then %d at least", most, left, test.most, test.left)
			}
			if test.drop && left > 24*mega { // what the system reads ahead of its own accord is not known
				t.Errorf("%d bytes are in memory at the end, want 24 MiB at most", left)
			}
		})
	}
}

// TestHotStays keeps a small input that is in memory in a pass that drops.
func TestHotStays(t *testing.T) {
	data := dataFile(t)
	must(t, data.Advise(0, -1, mmapstore.PopulateRead))
	before := cached(t, data)
	walk(t, []stream.Operand{{Storage: data, Range: inOrder}}, &stream.Options{DropBehind: true}, data, func(int) {})
	if after := cached(t, data); after < before/2 {
		t.Errorf("%d bytes were in memory, and %d after the pass, want half of them at least", before, after)
	}
}

// TestWrites stores to a new file in bounded memory, and finds every byte there.
func TestWrites(t *testing.T) {
	for _, drop := range []bool{false, true} {
		t.Run(fmt.Sprint("drop=", drop), func(t *testing.T) {
			out, err := mmapstore.Map(filepath.Join(testdir.OnDisk(t), "out"), 0, fileSize, mmapstore.Create, nil)
			must(t, err)
			defer out.Release()
			in := dataFile(t)
			chill(t, in)
			operands := []stream.Operand{{Storage: in, Range: inOrder}, {Storage: out, Range: inOrder, Write: true}}
			most := walk(t, operands, &stream.Options{DropBehind: drop}, out, func(chunk int) {
				off, n := inOrder(chunk)
				must(t, out.With(func(dst []byte) error {
					return in.With(func(src []byte) error {
						copy(dst[off:off+n], src[off:off+n])
						return nil
					})
				}))
			})
			_, dirty, _ := out.Cached(0, fileSize)
			if drop && (most > 80*mega || dirty > 0 || cached(t, out) > 8*mega) {
				t.Errorf("%d bytes of the output were in memory at most, %d are at the end, of them %d dirty; want 80 MiB at most, then 8 and none", most, cached(t, out), dirty)
			}
			must(t, out.With(func(b []byte) error {
				for off := 0; off < len(b); off += mega {
					n := min(mega, len(b)-off)
					if !bytes.Equal(b[off:off+n], bytes.Repeat([]byte("tensors "), n/8+1)[:n]) {
						t.Fatalf("the bytes from %d on are wrong", off)
					}
				}
				return nil
			}))
		})
	}
}

// TestTruncated cuts the file behind the mapping: that is an error of Wait, not a fault in a
// worker.
func TestTruncated(t *testing.T) {
	data := dataFile(t)
	chill(t, data)
	must(t, os.Truncate(data.Path(), 30*mega))
	s := stream.Start(t.Context(), []stream.Operand{{Storage: data, Range: inOrder}}, numChunks, nil)
	var err error
	chunk := 0
	for ; chunk < numChunks && err == nil; chunk++ {
		err = s.Wait(chunk)
		s.Done(chunk)
	}
	var fault *mmapstore.FaultError
	if !errors.As(err, &fault) || !errors.Is(err, mmapstore.ErrTruncated) || chunk > 31 {
		t.Errorf("at chunk %d: %v, want a fault before chunk 31", chunk, err)
	}
	if got := s.Close(); !errors.Is(got, mmapstore.ErrTruncated) {
		t.Errorf("Close gives %v", got)
	}
}

// TestNothingToDo has streams without a helper: over memory, and without chunks.
func TestNothingToDo(t *testing.T) {
	heap, err := mmapstore.New(100)
	must(t, err)
	defer heap.Release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, s := range map[string]*stream.Stream{
		"memory":      stream.Start(ctx, []stream.Operand{{Storage: heap, Range: inOrder}}, 3, nil),
		"no operands": stream.Start(ctx, nil, 3, nil),
		"no chunks":   stream.Start(ctx, []stream.Operand{{Storage: dataFile(t), Range: inOrder}}, 0, nil),
	} {
		if !stream.Idle(s) {
			t.Errorf("%s: there is a helper", name)
		}
		must(t, s.Wait(2))
		s.Done(2)
		must(t, s.Close())
	}
}

// BenchmarkHot reads a file that is in memory, with and without a stream.
func BenchmarkHot(b *testing.B) {
	data := dataFile(b)
	must(b, data.Advise(0, -1, mmapstore.PopulateRead))
	sum := func(s *stream.Stream) (total byte) {
		must(b, data.With(func(bytes []byte) error {
			for chunk := range numChunks {
				must(b, s.Wait(chunk))
				off, n := inOrder(chunk)
				for i := off; i < off+n; i += 64 {
					total += bytes[i]
				}
				s.Done(chunk)
			}
			return nil
		}))
		return total
	}
	operands := []stream.Operand{{Storage: data, Range: inOrder}}
	for name, list := range map[string][]stream.Operand{"stream": operands, "none": nil} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(fileSize)
			for b.Loop() {
				s := stream.Start(b.Context(), list, numChunks, nil)
				total := sum(s)
				must(b, s.Close())
				if total == 1 {
					b.Error("a sum that can't be")
				}
			}
		})
	}
}
