package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tstore/tstore/bench/internal/procmem"
)

// A bench holds the contenders and what has been measured.
type bench struct {
	config
	files   files
	log     io.Writer
	limit   *contender
	others  []*contender // tstore first
	missing []string     // contenders that could not be started, and why
	results []result
}

// A result is one row that has been measured.
type result struct {
	row   row
	limit float64 // seconds; 0 if there is none
	cells map[string]cell
}

// A cell is what one contender did in one row.
type cell struct {
	seconds float64 // the best; 0 if the contender can't do the row
	check   float64
	anon    int64  // greatest private memory of one run, in bytes
	watched bool   // anon was measured
	failed  string // why it did not finish
	differs bool   // the result is not tstore's
}

// limitVariants returns the ways in which the C program does a stream; the fastest is the limit.
func limitVariants(stream string) []string {
	switch {
	case stream == "again":
		return []string{"1 plain"}
	case strings.HasPrefix(stream, "read"):
		return []string{"1 plain", "2 plain"} // nothing is stored
	}
	return []string{"1 nt", "1 plain", "2 nt", "2 plain"}
}

// startAll starts the contenders. Peers that can't be had are missing from the table, with a line
// that says why.
func (b *bench) startAll(ctx context.Context) (err error) {
	b.limit, err = launch(ctx, "limit", b.log, filepath.Join(b.tools, "limit"), b.files.a, b.files.b, b.files.c, strconv.FormatInt(b.size, 10))
	if err != nil {
		return err
	}

	for _, name := range contenders {
		c, err := b.startOne(ctx, name)
		switch {
		case err == nil:
			fmt.Fprintf(b.log, "%s: %s\n", name, c.version)
			b.others = append(b.others, c)
		case name == ours:
			return err
		default:
			fmt.Fprintf(b.log, "SKIPPED: %s: %v\n", name, err)
			b.missing = append(b.missing, name)
		}
	}

	return ctx.Err()
}

// ours is the contender that the others are compared with.
const ours = "tstore"

var contenders = []string{ours, "numpy", "numexpr", "blosc2", "torch", "faiss", "gonum"}

// startOne starts a contender by name. prefix are words in front of its command.
func (b *bench) startOne(ctx context.Context, name string, prefix ...string) (*contender, error) {
	side, threads := strconv.Itoa(b.side), strconv.Itoa(b.threads)
	var args []string
	switch name {
	case ours:
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		args = []string{self, "worker", b.files.store, threads}
	case "gonum":
		args = []string{filepath.Join(b.tools, "gonum"), b.files.a, b.files.b, b.files.c, strconv.FormatInt(b.size, 10)}
	default:
		args = []string{b.python, b.worker, name, b.files.a, b.files.b, b.files.c, b.files.x, side, threads}
	}
	return launch(ctx, name, b.log, append(slices.Clone(prefix), args...)...)
}

func (b *bench) close() {
	for _, c := range append(b.others, b.limit) {
		if c != nil {
			c.close() // the process is only made to end
		}
	}
}

// measure runs the rounds of one row: in each, the limit and every contender take a turn, another
// one first each time. One more run of each, which is not timed, is watched for its memory.
func (b *bench) measure(ctx context.Context, r row) error {
	res := result{row: r, cells: map[string]cell{}}

	for round := range b.rounds {
		if err := b.touch(); err != nil {
			return err
		}

		turns := 1 + len(b.others)
		for turn := range turns {
			if err := b.takeTurn(&res, (round+turn)%turns); err != nil {
				return err
			}
		}

		if err := ctx.Err(); err != nil {
			return err
		}
	}

	for _, c := range b.others {
		if err := res.watchOnce(c); err != nil {
			return err
		}
	}

	res.compare()
	b.results = append(b.results, res)
	fmt.Fprintln(b.log, res.line())
	return nil
}

// takeTurn runs the limit, which is the first, or one of the contenders.
func (b *bench) takeTurn(res *result, who int) error {
	if who == 0 {
		return b.measureLimit(res)
	}
	return res.runOnce(b.others[who-1])
}

// touch brings the operands into the page cache if they were dropped from it.
func (b *bench) touch() error {
	for _, path := range []string{b.files.a, b.files.b, b.files.c} {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, struct{ io.Reader }{f})
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// measureLimit lets the C program do the row's stream in every way.
func (b *bench) measureLimit(res *result) error {
	if res.row.limit == "" {
		return nil
	}
	for _, variant := range limitVariants(res.row.limit) {
		got, err := b.limit.ask(res.row.limit + " " + variant)
		if err != nil {
			return err
		}
		if res.limit == 0 || got.seconds < res.limit {
			res.limit = got.seconds
		}
	}
	return nil
}

// runOnce adds one run of a contender.
func (res *result) runOnce(c *contender) error {
	old := res.cells[c.name]
	if old.failed != "" {
		return nil
	}

	got, err := c.ask(res.row.id)

	var answer errAnswer
	switch {
	case errors.As(err, &answer):
		old.failed = err.Error()
	case err != nil:
		return err
	case got.none:
	case old.seconds == 0 || got.seconds < old.seconds:
		old.seconds, old.check = got.seconds, got.check
	}

	res.cells[c.name] = old
	return nil
}

// watchOnce runs a contender once more and keeps the memory that it used beyond what it had before.
func (res *result) watchOnce(c *contender) error {
	old := res.cells[c.name]
	if old.seconds == 0 || old.failed != "" {
		return nil
	}
	before := procmem.Read(c.cmd.Process.Pid).Anon
	watched := procmem.Watch(c.cmd.Process.Pid)
	_, err := c.ask(res.row.id)
	old.anon, old.watched = max(watched().Anon-before, 0), true
	res.cells[c.name] = old
	return err
}

// compare marks the contenders whose result is not ours, by a margin that no rounding of a careful
// sum makes.
func (res *result) compare() {
	want := res.cells[ours].check
	for name, c := range res.cells {
		c.differs = !res.row.apart && c.seconds > 0 && !(math.Abs(c.check-want) <= 1e-2*math.Abs(want))
		res.cells[name] = c
	}
}
