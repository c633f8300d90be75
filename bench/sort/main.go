// Sort measures the sort of a tensor that is larger than the memory allowed, against the disk: what
// it takes to read and to write as many bytes twice, which is the least that sorted runs and their
// merge do. See bench/README.md.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/sort:", err)
		os.Exit(1)
	}
}

// config is what the flags say.
type config struct {
	dir         string // parent of the working folder
	size, limit int64  // bytes of the tensor, and of memory
	threads     int
}

func parseFlags(args []string) (config, error) {
	var c config
	flags := flag.NewFlagSet("bench/sort", flag.ContinueOnError)
	flags.StringVar(&c.dir, "dir", "", "folder to work in, on the disk to measure (default: the system's temporary folder)")
	size := flags.String("size", "4GiB", "bytes of the tensor, of float32")
	limit := flags.String("limit", "1GiB", "memory limit of the evaluation")
	flags.IntVar(&c.threads, "threads", 0, "workers (default: one a processor)")

	if err := flags.Parse(args); err != nil {
		return c, err
	}

	for text, to := range map[*string]*int64{size: &c.size, limit: &c.limit} {
		n, err := humanize.ParseBytes(*text)
		if err != nil || n < 1<<20 || n > 1<<50 {
			return c, fmt.Errorf("%q: want a size from 1 MiB to 1 PiB, such as 4GiB", *text)
		}
		*to = int64(n) / 4 * 4
	}

	return c, nil
}

// run does the benchmark and removes its files.
func run(ctx context.Context, args []string, out io.Writer) error {
	c, err := parseFlags(args)
	if err != nil {
		return err
	}

	if c.dir, err = os.MkdirTemp(c.dir, "tstore-sort-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)

	s, err := tstore.Init(ctx, filepath.Join(c.dir, "store"), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	bound, err := c.measureDisk(ctx)
	if err != nil {
		return err
	}

	if err := c.makeTensor(ctx, s); err != nil {
		return err
	}

	fmt.Fprintf(out, "%s of float32, %s of memory: reading and writing the bytes twice takes %.2f s\n", humanize.IBytes(uint64(c.size)), humanize.IBytes(uint64(c.limit)), bound.Seconds())
	return c.sort(ctx, s, bound, out)
}

// makeTensor creates the tensor a, and takes it out of the page cache.
func (c *config) makeTensor(ctx context.Context, s *tstore.Store) error {
	random, err := compute.Random(dtype.Float32, 1)
	if err != nil {
		return err
	}
	n := int(c.size / 4)
	if err := s.Create(ctx, "a", tstore.Source{Spec: tstore.Spec{DType: dtype.Float32, Shape: []int{n}}, Data: random.Take(n)}); err != nil {
		return err
	}
	a, err := s.Get(ctx, "a")
	if err != nil {
		return err
	}
	path := a.Storage().Path()
	return errors.Join(a.Close(), forget(path))
}

// sort evaluates the sort and reports what it took.
func (c *config) sort(ctx context.Context, s *tstore.Store, bound time.Duration, out io.Writer) error {
	before, stop := readUsage(), watchMemory()
	start := time.Now()
	result, err := s.Eval(ctx, "b = sort(a)", &tstore.EvalOptions{Compute: compute.Options{MemoryLimit: c.limit, Parallelism: c.threads}})
	took, peak, used := time.Since(start), stop(), readUsage().less(before)

	if err != nil {
		return err
	}

	fmt.Fprintf(out, "sort: %.2f s, %.2f × the disk's time, %.2f s of processors; read %s, wrote %s; at most %s of private and dirty memory\n",
		took.Seconds(), took.Seconds()/bound.Seconds(), used.cpu.Seconds(), humanize.IBytes(uint64(used.read)), humanize.IBytes(uint64(used.written)), humanize.IBytes(uint64(peak)))
	if err := result.Close(); err != nil {
		return err
	}

	b, err := s.Get(ctx, "b")
	if err != nil {
		return err
	}
	return errors.Join(checkSorted(b.Tensor), b.Close())
}

// checkSorted checks that elements ascend.
func checkSorted(t *view.Tensor) error {
	last := float32(-1)
	return t.Blocks(piece, func(b []byte) error {
		for ; len(b) > 0; b = b[4:] {
			v := math.Float32frombits(binary.LittleEndian.Uint32(b))
			if v < last {
				return fmt.Errorf("%v comes after %v", v, last)
			}
			last = v
		}
		return nil
	})
}

// measureDisk returns what it takes to write a file of the size of the tensor, to sync it, and to
// read it, twice.
func (c *config) measureDisk(ctx context.Context) (time.Duration, error) {
	path := filepath.Join(c.dir, "plain")
	defer os.Remove(path)
	start := time.Now()
	err := writePlain(ctx, path, c.size)
	took := time.Since(start)
	if err == nil {
		err = forget(path)
	}
	if err != nil {
		return 0, err
	}
	start = time.Now()
	err = readPlain(ctx, path)
	return 2 * (took + time.Since(start)), err
}

const piece = 8 << 20

func writePlain(ctx context.Context, path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	b := make([]byte, piece)
	for i := range b {
		b[i] = byte(i * 7919 >> 3)
	}
	for at := int64(0); at < size && err == nil; at += piece {
		if _, err = f.Write(b[:min(piece, size-at)]); err == nil {
			err = ctx.Err()
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

func readPlain(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for b := make([]byte, piece); ; {
		if _, err := f.Read(b); errors.Is(err, io.EOF) {
			return nil
		} else if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
}

// usage is what the process has used.
type usage struct {
	cpu           time.Duration
	read, written int64 // bytes from and to disks
}

func readUsage() (u usage) {
	u.cpu = processorTime()
	if text, err := os.ReadFile("/proc/self/io"); err == nil {
		u.read, u.written = field(text, "read_bytes:"), field(text, "write_bytes:")
	}
	return u
}

func (u usage) less(v usage) usage {
	return usage{u.cpu - v.cpu, u.read - v.read, u.written - v.written}
}
