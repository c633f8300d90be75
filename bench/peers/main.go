// Peers measures tstore against a C program at the limit of the memory and against NumPy, numexpr,
// python-blosc2, PyTorch, Faiss and gonum, over the same files. `make bench-peers` builds what it
// needs; docs/performance.md says how it measures and how to read its table.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"

	"github.com/dustin/go-humanize"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := start(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/peers:", err)
		os.Exit(1)
	}
}

// start runs the benchmark, or as the process of one contender, what it is asked for.
func start(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "worker" {
		return serve(ctx, args[1:], os.Stdin, os.Stdout)
	}
	return run(ctx, args, os.Stdout, os.Stderr)
}

type config struct {
	dir     string // parent of the working folder
	tools   string // holds the programs limit and gonum
	python  string // the interpreter of the virtual environment
	worker  string // worker.py
	size    int64  // bytes of an operand
	side    int    // operands have side×side float32
	rounds  int
	threads int
	rows    *regexp.Regexp
	cold    bool
}

func parseFlags(args []string) (config, error) {
	var c config
	var size, rows string
	flags := flag.NewFlagSet("bench/peers", flag.ContinueOnError)
	flags.StringVar(&c.dir, "dir", "", "folder to work in, on the disk to measure (default: the system's temporary folder)")
	flags.StringVar(&c.tools, "tools", "bin/peers", "folder with the programs limit and gonum")
	flags.StringVar(&c.python, "python", "bin/peers/venv/bin/python", "Python with the peers' libraries")
	flags.StringVar(&c.worker, "worker", "bench/peers/worker.py", "the worker in Python")
	flags.StringVar(&size, "size", "1GiB", "bytes of an operand; what is left over of a square is not used")
	flags.IntVar(&c.rounds, "rounds", 5, "rounds; the best counts")
	flags.IntVar(&c.threads, "threads", 2, "threads of each contender")
	flags.StringVar(&rows, "rows", "", "regular expression of the rows to run (default: all)")
	flags.BoolVar(&c.cold, "cold", true, "also measure with a cold page cache, in a memory limit where this process may set one")

	if err := flags.Parse(args); err != nil {
		return c, err
	}

	n, err := humanize.ParseBytes(size)
	if err != nil || n < 1<<16 || n > 1<<40 {
		return c, fmt.Errorf("-size %q: want a size from 64KiB to 1TiB, such as 1GiB", size)
	}

	if c.rounds < 1 || c.threads < 1 {
		return c, fmt.Errorf("-rounds %d -threads %d: want at least 1 of each", c.rounds, c.threads)
	}

	c.side = squareSide(int64(n))
	c.size = 4 * int64(c.side) * int64(c.side)
	c.rows, err = regexp.Compile(rows)
	return c, err
}

// squareSide returns the greatest multiple of 128 such that a square of float32 takes at most size
// bytes.
func squareSide(size int64) int {
	side := 128
	for next := side + 128; 4*int64(next)*int64(next) <= size; next += 128 {
		side = next
	}
	return side
}

// run does the whole benchmark, prints the table to out and what happens meanwhile to log, and
// removes its files.
func run(ctx context.Context, args []string, out, log io.Writer) error {
	c, err := parseFlags(args)
	if err != nil {
		return err
	}

	dir, err := os.MkdirTemp(c.dir, "tstore-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	fmt.Fprintf(log, "operands of %s: float32 of %d×%d, and the same bytes as other types\n", humanize.IBytes(uint64(c.size)), c.side, c.side)
	files, err := prepare(ctx, dir, c)
	if err != nil {
		return fmt.Errorf("prepare the store: %w", err)
	}

	b := &bench{config: c, files: files, log: log}
	defer b.close()
	if err := b.startAll(ctx); err != nil {
		return err
	}

	for _, r := range allRows() {
		if !c.rows.MatchString(r.id) {
			continue
		}
		if c.size < r.least {
			fmt.Fprintf(log, "SKIPPED: row %s: operands of %s, it needs %s\n", r.id, humanize.IBytes(uint64(c.size)), humanize.IBytes(uint64(r.least)))
			continue
		}
		if err := b.measure(ctx, r); err != nil {
			return fmt.Errorf("row %s: %w", r.id, err)
		}
	}

	// The cold row comes last: it drops page caches and fills memory.
	if c.cold && c.rows.MatchString(coldRow) {
		if err := b.measureCold(ctx); err != nil {
			return fmt.Errorf("row %s: %w", coldRow, err)
		}
	}

	return b.report(out)
}
