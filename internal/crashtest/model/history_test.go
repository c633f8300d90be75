package model

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
)

var (
	seedFlag   = flag.Uint64("seed", 0, "seed of the first history; 0 means one by the time")
	modelTime  = flag.Duration("model-time", 0, "how long each test makes histories; 0 means a second or two")
	stepsFlag  = flag.Int("steps", 60, "steps of a history")
	without    = flag.String("without", "", "checks to leave out, to see what the others find: versions, readers, stale, backups, salvage")
	goOn       = flag.Bool("go-on", false, "go on after a failure, and print each kind once")
	shrinkTime = flag.Duration("shrink-time", 20*time.Second, "how long a failing history is made shorter")
)

// TestHistories makes random histories of one process. They are the same for the same seed.
func TestHistories(t *testing.T) {
	seed, limit := firstSeed(), limitOf(time.Second)
	t.Logf("first seed %d", seed)
	began, histories, steps, done, failures := time.Now(), 0, 0, map[string]int{}, map[string]int{}
	for ; time.Since(began) < limit && (*goOn || len(failures) == 0); histories++ {
		history, err := generate(t.Context(), t.TempDir(), seed+uint64(histories), done)
		steps += len(history)
		if err == nil {
			continue
		}
		if failures[kindOf(err)]++; failures[kindOf(err)] > 1 {
			continue
		}
		found := time.Since(began).Round(time.Millisecond)
		short := shrink(t.Context(), t.TempDir(), history, err)
		_, last := repeat(t.Context(), t.TempDir(), short)
		t.Errorf("history %d (-seed %d), after %v and %d steps: %v\nmade shorter:\n%s%v",
			histories+1, seed+uint64(histories), found, steps, err, listed(short), last)
	}
	t.Logf("%d histories, %d steps in %v; accepted: %v; failures: %v", histories, steps, time.Since(began).Round(time.Millisecond), done, failures)
}

// firstSeed is that of the first history of a test.
func firstSeed() uint64 {
	if *seedFlag != 0 {
		return *seedFlag
	}
	return uint64(time.Now().UnixNano()) % 1_000_000_000
}

// limitOf is how long a test makes histories.
func limitOf(usual time.Duration) time.Duration {
	if *modelTime != 0 {
		return *modelTime
	}
	return usual
}

// leftOut reports whether a check is not to be made.
func leftOut(check string) bool { return slices.Contains(strings.Split(*without, ","), check) }

// generate makes a history and does it until something is wrong.
func generate(ctx context.Context, dir string, seed uint64, done map[string]int) (history []step, err error) {
	w, err := newWorld(ctx, filepath.Join(dir, fmt.Sprint(seed)))
	if err != nil {
		return nil, err
	}
	g := newGenerator(seed, kinds)
	for range *stepsFlag {
		st := g.step(w)
		history = append(history, st)
		if err := w.run(st); err != nil {
			return history, errors.Join(&failure{st, err}, w.leave())
		}
	}
	for kind, n := range w.done {
		done[kind] += n
	}
	return history, w.finish()
}

// repeat does a history again. It returns the steps up to the one at which something is wrong.
func repeat(ctx context.Context, dir string, history []step) ([]step, error) {
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		return nil, err
	}
	w, err := newWorld(ctx, filepath.Join(dir, "w"))
	if err != nil {
		return nil, err
	}
	for i, st := range history {
		if err := w.run(st); err != nil {
			return history[:i+1], errors.Join(&failure{st, err}, w.leave())
		}
	}
	return history, w.finish()
}

// leave closes a world in which something is wrong.
func (w *world) leave() error {
	_ = w.close()
	return os.RemoveAll(w.dir)
}

// finish ends what is open, and looks whether the store is sound and has nothing that is not
// needed.
func (w *world) finish() error {
	defer os.RemoveAll(w.dir)
	if err := errors.Join(w.close(), w.open(), w.markWritten(), w.dropCut()); err != nil {
		return err
	}
	defer w.close()
	s := w.handles[0]
	if err := same(w, s, w.model); err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	if _, err := s.GC(w.ctx, nil); err != nil {
		return err
	}
	more, err := s.GC(w.ctx, nil)
	if err != nil || len(more) > 0 {
		return fmt.Errorf("a second gc finds %v, %v", more, err)
	}
	problems, err := s.Check(w.ctx)
	for _, p := range problems {
		if p.Kind != tstore.ProblemChanged && !(p.Kind == tstore.ProblemHeader && p.Harmless) {
			return fmt.Errorf("after gc: %+v", p)
		}
	}
	return errors.Join(err, same(w, s, w.model))
}

// shrink leaves steps out of a history as long as it fails in the same way.
func shrink(ctx context.Context, dir string, history []step, failure error) []step {
	deadline := time.Now().Add(*shrinkTime)
	for size := len(history) / 2; size > 0; {
		shorter := false
		for from := 0; from+size <= len(history) && time.Now().Before(deadline); {
			rest := slices.Concat(history[:from], history[from+size:])
			if upTo, err := repeat(ctx, dir, rest); err != nil && kindOf(err) == kindOf(failure) {
				history, shorter = upTo, true
				continue
			}
			from += size
		}
		if !shorter || size > 1 {
			size /= 2
		}
	}
	return history
}

// failure is what is wrong after a step.
type failure struct {
	step step
	err  error
}

func (f *failure) Error() string { return fmt.Sprintf("%v: %v", f.step, f.err) }

// kindOf is what failures of one cause have in common: the kind of the step, and the words without
// names and numbers.
func kindOf(err error) string {
	var words []string
	if f := (*failure)(nil); errors.As(err, &f) {
		words, err = append(words, f.step.Do), f.err
	}
	for _, word := range strings.Fields(err.Error()) {
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz,:") == "" && len(word) > 3 {
			words = append(words, word)
		}
	}
	return strings.Join(words[:min(len(words), 7)], " ")
}

func listed(history []step) string {
	var b strings.Builder
	for i, st := range history {
		fmt.Fprintf(&b, "%4d  %v\n", i+1, st)
	}
	return b.String()
}
