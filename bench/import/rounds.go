package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tstore/tstore/bench/internal/procmem"
)

// headerBytes is where the data of every storage file begins.
const headerBytes = 4096

// bench is one run over a source file.
type bench struct {
	config
	dir    string
	source string
	memory procmem.Usage // greatest over all imports
}

// result collects the times of one contestant.
type result struct {
	name  string
	times []time.Duration
}

// rounds lets the contestants run in turn and verifies what the last import has stored.
func (b *bench) rounds(ctx context.Context) ([]result, error) {
	results := []result{{name: "cp"}, {name: "cp + sync"}, {name: "import --no-seal"}, {name: "import"}}
	contestants := []func(context.Context) error{b.copy, b.copyAndSync, b.importOpen, b.importFile}

	// Take turns within each round, so that a change in the disk's speed meets all of them.
	for round := range b.config.rounds {
		for i, contestant := range contestants {
			if err := b.prepare(ctx); err != nil {
				return nil, err
			}

			start := time.Now()
			if err := contestant(ctx); err != nil {
				return nil, fmt.Errorf("round %d: %w", round+1, err)
			}
			results[i].times = append(results[i].times, time.Since(start))

			if err := os.RemoveAll(b.target()); err != nil {
				return nil, err
			}
		}
	}

	return results, b.verify(ctx)
}

func (b *bench) target() string { return filepath.Join(b.dir, "copy.npy") }
func (b *bench) store() string  { return filepath.Join(b.dir, "store") }

// prepare brings the machine into the same state before each measurement: the source in the page
// cache, as much memory and disk space just freed as the copy will need, an empty store, and
// nothing left to write back. Without the copy that is thrown away, whoever comes after a program
// that kept less memory pays for the memory of all.
func (b *bench) prepare(ctx context.Context) error {
	if err := os.RemoveAll(b.store()); err != nil {
		return err
	}
	if err := b.copyAndSync(ctx); err != nil {
		return err
	}
	if err := os.Remove(b.target()); err != nil {
		return err
	}
	if err := command(ctx, b.tstore, "--store", b.store(), "init"); err != nil {
		return err
	}
	return command(ctx, "sync")
}

func (b *bench) copy(ctx context.Context) error {
	return command(ctx, "cp", "--reflink=never", b.source, b.target())
}

func (b *bench) copyAndSync(ctx context.Context) error {
	if err := b.copy(ctx); err != nil {
		return err
	}
	return command(ctx, "sync", b.target())
}

// importFile imports the source, with checksums.
func (b *bench) importFile(ctx context.Context) error { return b.runImport(ctx) }

// importOpen imports the source without checksums.
func (b *bench) importOpen(ctx context.Context) error { return b.runImport(ctx, "--no-seal") }

// runImport imports the source and keeps the process's greatest memory use.
func (b *bench) runImport(ctx context.Context, flags ...string) error {
	var output bytes.Buffer
	args := append([]string{"--store", b.store(), "import", b.source, "--name", "x"}, flags...)
	cmd := exec.CommandContext(ctx, b.tstore, args...)
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		return err
	}
	sampled := procmem.Watch(cmd.Process.Pid)
	err := cmd.Wait()
	b.memory.Grow(sampled())
	if err != nil {
		return fmt.Errorf("%q: %w: %s", cmd.Args, err, &output)
	}
	return nil
}

// verify compares the stored data with the source.
func (b *bench) verify(ctx context.Context) error {
	text, err := exec.CommandContext(ctx, b.tstore, "--store", b.store(), "info", "--json", "x").Output()
	if err != nil {
		return fmt.Errorf("tstore info: %w", err)
	}
	var info struct {
		File string `json:"file"`
	}
	if err := json.Unmarshal(text, &info); err != nil {
		return fmt.Errorf("tstore info: %w", err)
	}
	if !filepath.IsAbs(info.File) {
		info.File = filepath.Join(b.store(), info.File)
	}
	return command(ctx, "cmp", fmt.Sprintf("--ignore-initial=%d:%d", len(header(b.size/4)), headerBytes), b.source, info.File)
}
