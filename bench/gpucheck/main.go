// Gpucheck compares what a GPU computes with what the CPU computes, and measures how fast it is. It
// is built as bin/gpu-check, which needs a driver and nothing else. See docs/gpu.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/devicecheck"
	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/mmapstore"
)

// errWrong: the GPU does something wrong, as the figures say.
var errWrong = errors.New("the GPU, its driver or tstore does something wrong")

// Exit codes.
const (
	exitWrong  = 1
	exitFailed = 2 // nothing was found out
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, errWrong):
		fmt.Fprintln(os.Stderr, "gpu-check:", err)
		os.Exit(exitWrong)
	case err != nil && !errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(os.Stderr, "gpu-check:", err)
		os.Exit(exitFailed)
	}
}

// config is what the flags say.
type config struct {
	place  mmapstore.Place
	scale  float64
	time   time.Duration
	dir    string
	json   string
	golden string
	parts  *regexp.Regexp
	seed   uint64
	child  string
}

// childParts are those of the program itself, for which it starts itself again.
const (
	contractPart  = "contract"
	processesPart = "processes"
)

func parseFlags(args []string) (c config, err error) {
	var place, parts string
	names := append([]string{contractPart}, devicecheck.PartNames()...)
	flags := flag.NewFlagSet("gpu-check", flag.ContinueOnError)
	flags.StringVar(&place, "device", "gpu:0", "the GPU")
	flags.Float64Var(&c.scale, "scale", 1, "how much of the work is done: less than 1 is to see that all runs")
	flags.DurationVar(&c.time, "time", 390*time.Second, "how long it may take, about")
	flags.StringVar(&c.dir, "dir", os.TempDir(), "folder for files of 12 GiB in all")
	flags.StringVar(&c.json, "json", "gpu-check.json", "file for the figures")
	flags.StringVar(&c.golden, "golden", "instructions.golden", "file for what each instruction computed, for internal/ptxvm/ptxcase/testdata")
	flags.StringVar(&parts, "parts", "", "regular expression of the parts to do, of: "+strings.Join(append(names, processesPart), ", "))
	flags.Uint64Var(&c.seed, "seed", 1, "where random programs begin")
	flags.StringVar(&c.child, "child", "", "for the program itself")
	if err := flags.Parse(args); err != nil {
		return c, err
	}

	if c.place, err = mmapstore.ParsePlace(place); err != nil {
		return c, fmt.Errorf("-device: %w", err)
	}
	if c.scale <= 0 || c.scale > 1 {
		return c, fmt.Errorf("-scale %v: want a number from 0 to 1", c.scale)
	}
	if c.parts, err = regexp.Compile(parts); err != nil {
		return c, fmt.Errorf("-parts: %w", err)
	}
	return c, nil
}

// open opens the GPU.
func (c *config) open(limit int64) (device.Device, error) {
	return cudabridge.Open(c.place, &cudabridge.Options{MemoryLimit: limit})
}

// run does what the command line says.
func run(ctx context.Context, args []string, out io.Writer) error {
	c, err := parseFlags(args)
	if err != nil {
		return err
	}
	if c.child != "" {
		return c.runChild(ctx)
	}

	// The program takes notes for the file while it prints.
	r, err := c.newReport()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, r.title())
	add := func(f devicecheck.Figure) {
		r.Figures = append(r.Figures, f)
		fmt.Fprintln(out, f)
	}

	if c.parts.MatchString(contractPart) {
		add(c.contract(ctx))
	}
	golden, err := devicecheck.Run(ctx, &devicecheck.Options{
		Open: c.open, Scale: c.scale, Time: c.time, Dir: c.dir, Parts: c.parts.MatchString, Seed: c.seed, Report: add,
	})
	if err == nil && c.parts.MatchString(processesPart) {
		for _, f := range c.processes(ctx) {
			add(f)
		}
	}
	err = errors.Join(err, r.write(c.json))
	if err == nil && len(golden.Results) > 0 {
		golden.Device += ", CUDA " + r.Driver
		err = writeGolden(c.golden, golden)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, r.summary())
	if r.count(devicecheck.Wrong) > 0 {
		return fmt.Errorf("%w: %s", errWrong, c.json)
	}
	return nil
}
