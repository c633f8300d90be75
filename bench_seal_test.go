package tstore_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// sealBenchBytes is large enough for the disk to be what counts.
const sealBenchBytes = 1 << 30

// BenchmarkImportSealed imports a file that is in the page cache, sealed and not in turn. The
// metric "sealed/open" is the ratio of the median times.
func BenchmarkImportSealed(b *testing.B) {
	s := storetest.NewStore(b)
	f := benchFile(b)
	var times [2][]time.Duration
	importOnce := func(seal bool) time.Duration {
		src := tstore.Source{Spec: tstore.Spec{DType: dtype.Uint8, Shape: []int{sealBenchBytes}}, Data: io.NewSectionReader(f, 0, sealBenchBytes)}
		start := time.Now()
		err := s.Import(b.Context(), "x", src, &tstore.ImportOptions{NoSeal: !seal})
		took := time.Since(start)
		if err := errors.Join(err, s.Delete(b.Context(), "x")); err != nil {
			b.Fatal(err)
		}
		return took
	}
	importOnce(true)
	b.SetBytes(2 * sealBenchBytes)
	for round := 0; b.Loop(); round++ {
		for i := range 2 {
			which := (i + round) % 2 // neither is always first
			times[which] = append(times[which], importOnce(which == 1))
		}
	}
	b.ReportMetric(median(times[1]).Seconds()/median(times[0]).Seconds(), "sealed/open")
}

// BenchmarkVerify verifies a sealed tensor and reads its file from front to back, both from the
// disk, in turn. The metric "of-read" is the rate of the first in terms of that of the second, by
// their median times.
func BenchmarkVerify(b *testing.B) {
	s := storetest.NewStore(b)
	src := tstore.Source{Spec: tstore.Spec{DType: dtype.Uint8, Shape: []int{sealBenchBytes}}, Data: io.NewSectionReader(benchFile(b), 0, sealBenchBytes)}
	if err := s.Import(b.Context(), "x", src, nil); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(s.Dir(), filepath.FromSlash(storetest.Stat(b, s, "x").Storage.File()))
	var read, verify []time.Duration
	b.SetBytes(2 * sealBenchBytes)
	for b.Loop() {
		read = append(read, readCold(b, path))
		start := time.Now()
		r, err := s.Verify(b.Context(), nil)
		verify = append(verify, time.Since(start))
		if err != nil || len(r.Damage) > 0 || r.Bytes != sealBenchBytes {
			b.Fatalf("%+v, %v", r, err)
		}
	}
	b.ReportMetric(median(read).Seconds()/median(verify).Seconds(), "of-read")
	b.ReportMetric(sealBenchBytes/1e9/median(verify).Seconds(), "GB/s")
}

// readCold reads a file that is not in the page cache, as cat does, and leaves it so.
func readCold(b *testing.B, path string) time.Duration {
	b.Helper()
	f, err := fsx.OS.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	f.DropCache(0, 0)
	defer f.DropCache(0, 0)
	buf := make([]byte, 1<<20)
	start := time.Now()
	for {
		n, err := f.Read(buf)
		if n == 0 && errors.Is(err, io.EOF) {
			return time.Since(start)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// benchFile is a file of random bytes, on the disk and in the page cache.
func benchFile(b *testing.B) *os.File {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "source"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	_, err = io.CopyN(f, rand.NewChaCha8([32]byte{1}), sealBenchBytes)
	if err := errors.Join(err, f.Sync()); err != nil {
		b.Fatal(err)
	}
	return f
}

func median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}
