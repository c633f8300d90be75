package crashtest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

var (
	bankRounds = flag.Int("bank-rounds", 1, "how many stores TestBank makes")
	bankSteps  = flag.Int("bank-steps", 6, "how many transactions each writer of TestBank commits")
)

// TestBank lets processes, and goroutines of one, move amounts from one tensor to
// another in transactions, while garbage is collected. Each acknowledged one is
// there afterwards, and no other. The full size runs with
// -bank-rounds 50 -bank-steps 100.
func TestBank(t *testing.T) {
	t.Parallel()
	for round := range *bankRounds {
		t.Run(strconv.Itoa(round), func(t *testing.T) { bank(t, *bankSteps) })
	}
}

const (
	bankProcesses  = 4
	bankGoroutines = 2
)

func bank(t *testing.T, steps int) {
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, nil)
	storetest.Must(t, err)
	defer s.Close()
	const writers = bankProcesses + bankGoroutines
	storetest.Create(t, s, "a", storetest.Constant(0, writers))
	storetest.Create(t, s, "b", storetest.Constant(0, writers))

	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			if w < bankProcesses {
				cmd := exec.Command(os.Args[0], dir, strconv.Itoa(w), strconv.Itoa(steps))
				cmd.Env = append(os.Environ(), storetest.ChildEnv+"=bank")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("process %d: %v: %s", w, err, out)
				}
			} else if err := moveAmounts(t.Context(), s, w, steps); err != nil {
				t.Error(err)
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		all.Wait()
	}()
	for collecting := true; collecting; {
		select {
		case <-ended:
			collecting = false
		case <-time.After(time.Millisecond):
		}
		if _, err := s.GC(t.Context(), nil); err != nil {
			t.Error(err)
		}
	}
	storetest.WantAll(t, s, "a", -float64(steps))
	storetest.WantAll(t, s, "b", float64(steps))
	if n := storetest.StorageFiles(t, dir); n != 2 {
		t.Errorf("%d files, want 2", n)
	}
	storetest.WantSound(t, dir)
}

func bankChild(ctx context.Context, s *tstore.Store, args []string) error {
	w, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	steps, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	return moveAmounts(ctx, s, w, steps)
}

// moveAmounts moves 1 from a to b at index w, so many times. Each third transaction locks them one
// by one, in one order or the other.
func moveAmounts(ctx context.Context, s *tstore.Store, w, steps int) error {
	for i := range steps {
		texts := []string{fmt.Sprintf("a[%[1]d] -= 1; b[%[1]d] += 1", w)}
		if i%3 == 2 {
			texts = []string{fmt.Sprintf("a[%[1]d] -= 2; a[%[1]d] += 1", w), fmt.Sprintf("b[%[1]d] += 2; b[%[1]d] -= 1", w)}
		}
		if i%2 == 1 && len(texts) == 2 {
			texts[0], texts[1] = texts[1], texts[0]
		}
		for {
			err := s.Update(ctx, func(tx *tstore.Tx) error {
				for _, text := range texts {
					if err := storetest.EvalIn(ctx, tx, text); err != nil {
						return err
					}
				}
				return nil
			})
			if err == nil {
				break
			}
			if !errors.Is(err, tstore.ErrConflict) && !errors.Is(err, tstore.ErrBusy) {
				return fmt.Errorf("writer %d, step %d: %w", w, i, err)
			}
			time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
		}
	}
	return nil
}
