// Import measures `tstore import` of a large .npy file against cp. See bench/README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/dustin/go-humanize"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/import:", err)
		os.Exit(1)
	}
}

// config is what the flags say.
type config struct {
	tstore string // path of the binary
	dir    string // parent of the working folder
	size   int64  // payload of the source file in bytes
	rounds int
}

func parseFlags(args []string) (config, error) {
	var c config
	var size string
	flags := flag.NewFlagSet("bench/import", flag.ContinueOnError)
	flags.StringVar(&c.tstore, "tstore", "bin/tstore", "the binary to measure")
	flags.StringVar(&c.dir, "dir", "", "folder to work in, on the disk to measure (default: the system's temporary folder)")
	flags.StringVar(&size, "size", "4GiB", "bytes of array data")
	flags.IntVar(&c.rounds, "rounds", 5, "rounds")
	if err := flags.Parse(args); err != nil {
		return c, err
	}

	n, err := humanize.ParseBytes(size)
	if err != nil || n < 4 || n > 1<<50 {
		return c, fmt.Errorf("-size %q: want a size from 4 bytes to 1 PiB, such as 4GiB", size)
	}

	if c.rounds < 1 {
		return c, fmt.Errorf("-rounds %d: want at least 1", c.rounds)
	}

	c.size = int64(n) / 4 * 4
	c.tstore, err = filepath.Abs(c.tstore)
	return c, err
}

// run does the whole benchmark and removes its files.
func run(ctx context.Context, args []string, out io.Writer) error {
	c, err := parseFlags(args)
	if err != nil {
		return err
	}

	dir, err := os.MkdirTemp(c.dir, "tstore-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	source := filepath.Join(dir, "source.npy")
	fmt.Fprintf(out, "writing %s of random float32\n", humanize.IBytes(uint64(c.size)))
	if err := writeSource(source, c.size); err != nil {
		return err
	}

	b := &bench{config: c, dir: dir, source: source}
	results, err := b.rounds(ctx)
	if err != nil {
		return err
	}

	report(out, c.size, results)
	fmt.Fprintf(out, "import: peak private memory %s, peak resident with mapped files %s\n",
		bytesOrUnknown(b.memory.Anon), bytesOrUnknown(b.memory.Peak))
	return nil
}

// command runs a program and returns its output with the error if it fails.
func command(ctx context.Context, name string, args ...string) error {
	text, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %q: %w: %s", name, args, err, text)
	}
	return nil
}
