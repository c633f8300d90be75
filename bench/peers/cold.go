package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// coldRow is the row whose operand is not in the page cache and does not fit in the memory limit.
const coldRow = "cold"

// measureCold reads a tensor of three times the memory limit from the disk. Each run has a process
// of its own, in a memory limit of the size of the other operands where one can be set. The limit
// of the row is dd over the same file.
func (b *bench) measureCold(ctx context.Context) error {
	prefix := b.memoryLimit(ctx)
	res := result{row: row{id: coldRow, work: "sum(x), cold, x " + strconv.Itoa(coldFactor) + " × the memory limit, float32", goal: 1.1}, cells: map[string]cell{}}

	for range b.rounds {
		seconds, err := b.dd(ctx, prefix)
		if err != nil {
			return err
		}
		if res.limit == 0 || seconds < res.limit {
			res.limit = seconds
		}

		for _, name := range contenders {
			if name != "gonum" && !slices.Contains(b.missing, name) {
				if err := b.coldOnce(ctx, &res, name, prefix); err != nil {
					return err
				}
			}
		}
	}

	res.compare()
	b.results = append(b.results, res)
	fmt.Fprintln(b.log, res.line())
	return nil
}

// memoryLimit returns the words that run a command in a memory limit, or none if that can't be done
// here.
func (b *bench) memoryLimit(ctx context.Context) []string {
	prefix := []string{filepath.Join("scripts", "with-memory-limit"), strconv.FormatInt(b.size, 10)}
	if text, err := exec.CommandContext(ctx, prefix[0], prefix[1], "true").CombinedOutput(); err != nil {
		fmt.Fprintf(b.log, "SKIPPED: the memory limit of the cold row: %s", text)
		return nil
	}
	return prefix
}

// ddSeconds finds the time in what dd reports: "3221225472 bytes (3.2 GB, 3.0 GiB) copied, 1.4 s,
// 2.3 GB/s".
var ddSeconds = regexp.MustCompile(`copied, ([0-9.e+-]+) s`)

// dd reads the file as dd does and returns the seconds.
func (b *bench) dd(ctx context.Context, prefix []string) (float64, error) {
	if err := dropCache(b.files.x); err != nil {
		return 0, err
	}
	args := append(slices.Clone(prefix), "dd", "if="+b.files.x, "of=/dev/null", "bs=1M")
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	text, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("dd: %w: %s", err, text)
	}
	found := ddSeconds.FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("dd reported %q", text)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

// coldOnce runs one contender in a new process. One that is killed for the memory it takes has
// failed.
func (b *bench) coldOnce(ctx context.Context, res *result, name string, prefix []string) error {
	old := res.cells[name]
	if old.failed != "" {
		return nil
	}

	c, err := b.startOne(ctx, name, prefix...)
	if err == nil {
		if err := dropCache(b.files.x); err != nil {
			return err
		}
		err = res.runOnce(c)
		err = errors.Join(err, c.close())
	}

	if err != nil && ctx.Err() == nil && name != ours {
		old.failed = name + " was ended, for the memory it took"
		res.cells[name] = old
		return nil
	}

	return err
}

// dropCache removes a file from the page cache.
func dropCache(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return adviseDontNeed(f)
}
