package fsx_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tstore/tstore/internal/fsx"
)

var importMiB = flag.Int64("import.mib", 512, "size of the file that BenchmarkImport copies, in MiB")

// BenchmarkImport copies a file from the page cache to a new one by several ways in turn, and
// compares the best round of each: the stream that imports use, the copy inside the kernel that
// clones use, both with their final Sync, and cp, without and with an fsync after it.
func BenchmarkImport(b *testing.B) {
	dir := b.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	size := *importMiB << 20
	writeSource(b, src, size)
	ways := []struct {
		name string
		copy func() error
		best time.Duration
	}{
		{name: "cp", copy: func() error { return run("cp", "--reflink=never", src, dst) }},
		{name: "cp+fsync", copy: func() error {
			return errors.Join(run("cp", "--reflink=never", src, dst), run("sync", dst))
		}},
		{name: "stream", copy: func() error { return between(src, dst, size, stream) }},
		{name: "kernel", copy: func() error { return between(src, dst, size, cloneFile) }},
	}
	b.SetBytes(int64(len(ways)) * size)
	for b.Loop() {
		for i := range ways {
			w := &ways[i]
			if err := errors.Join(os.RemoveAll(dst), run("sync")); err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if err := w.copy(); err != nil {
				b.Fatal(w.name, err)
			}
			took := time.Since(start)
			b.Logf("%-8s %6.2f GB/s", w.name, float64(size)/float64(took))
			if w.best == 0 || took < w.best {
				w.best = took
			}
		}
	}
	for _, w := range ways {
		b.ReportMetric(float64(size)/float64(w.best), w.name+"-GB/s")
	}
	b.ReportMetric(float64(ways[0].best)/float64(ways[2].best), "stream/cp")
	b.ReportMetric(float64(ways[1].best)/float64(ways[2].best), "stream/cp+fsync")
	b.ReportMetric(peakMiB(b), "peak-RSS-MiB")
}

func writeSource(b *testing.B, name string, size int64) {
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for n := int64(0); n < size; n += mib {
		if _, err := f.Write(randomBytes(mib)); err != nil {
			b.Fatal(err)
		}
	}
}

func run(name string, args ...string) error { return exec.Command(name, args...).Run() }

// between opens both files, copies by one way, and syncs.
func between(from, to string, size int64, way func(dst, src fsx.File, n int64) error) error {
	src, err := fsx.OS.OpenFile(from, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := fsx.OS.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer dst.Close()
	return errors.Join(way(dst, src, size), dst.Sync())
}

func stream(dst, src fsx.File, n int64) error {
	if err := fsx.Reserve(dst, 0, n); err != nil {
		return err
	}
	return fsx.NewStreamWriter(dst, 0, nil).ReadFrom(context.Background(), src, n)
}

func cloneFile(dst, src fsx.File, n int64) error {
	_, err := fsx.Clone(context.Background(), dst, src, n)
	return err
}

// peakMiB returns the most memory that this process ever had resident.
func peakMiB(b *testing.B) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Maxrss) / 1024
}
