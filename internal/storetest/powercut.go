package storetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/powercut"
	"github.com/tstore/tstore/view"
)

var (
	PowerImages = flag.Int("power-images", 40, "how many states after a power cut TestPowerCut looks at")
	PowerSeed   = flag.Uint64("power-seed", 1, "seed of what survives in TestPowerCut")
)

// State is what a store holds: the elements of all its tensors.
type State map[string][]float64

// A powerStep is a change, what it makes of the state, and the tensor that it writes in place,
// which may be half written when it is marked so.
type PowerStep struct {
	Name    string
	Do      func(context.Context, *tstore.Store) error
	Effect  func(State)
	InPlace string
}

// FillInPlace stores nines through a mapping.
func FillInPlace(name string) func(context.Context, *tstore.Store) error {
	return func(ctx context.Context, s *tstore.Store) error {
		w, err := s.OpenWritable(ctx, name)
		if err != nil {
			return err
		}
		return errors.Join(view.Fill(context.Background(), w.Tensor, dtype.ScalarOf(9.0)), w.Close())
	}
}

// RecordPower makes a store, runs the steps and records what that does to the
// disk, with the mark 1 once the store is made. The states
// are those before each step, and after the last.
func RecordPower(t testing.TB, steps []PowerStep) (*powercut.Log, []State) {
	t.Helper()
	parent := t.TempDir()
	dir := filepath.Join(parent, "s")
	r, err := powercut.Record(parent, "s/catalog.db")
	if err != nil {
		t.Fatal(err)
	}
	faulty := fsx.NewFaulty(fsx.OS)
	faulty.CountReads()
	faulty.FailIf(r.Before)
	if err := InitOn(t.Context(), dir, faulty); err != nil {
		t.Fatal(err)
	}
	s, err := OpenOn(t.Context(), dir, faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r.Mark(1)
	states := []State{{}}
	for i, step := range steps {
		if err := step.Do(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", step.Name, err)
		}
		r.Mark(i + 2)
		after := maps.Clone(states[i])
		step.Effect(after)
		states = append(states, after)
	}
	log, err := r.Log()
	if err != nil {
		t.Fatal(err)
	}
	return log, states
}

// LookFrom is look after a mark of recordPower.
func LookFrom(ctx context.Context, dir string, steps []PowerStep, states []State, mark int) error {
	if mark > 0 {
		return Look(ctx, dir, steps, states, mark-1)
	}
	return lookMaking(ctx, dir)
}

// lookMaking looks at a store of which it was not yet said that it was made: it is one, or Init
// makes it one.
func lookMaking(ctx context.Context, dir string) error {
	s, err := tstore.Open(ctx, dir, nil)
	if errors.Is(err, tstore.ErrNotStore) || errors.Is(err, fs.ErrNotExist) {
		s, err = tstore.Init(ctx, dir, nil)
	}
	if err != nil {
		return fmt.Errorf("make a store where the power went while one was made: %w", err)
	}
	if err := s.Close(); err != nil {
		return err
	}
	return Look(ctx, dir, nil, []State{{}}, 0)
}

// Look opens a store as the next process does, and says what is wrong with it when some of the
// steps were acknowledged and the next one, if there is one, was at work.
func Look(ctx context.Context, dir string, steps []PowerStep, states []State, acknowledged int) error {
	s, err := tstore.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Repair(ctx, nil); err != nil {
		return fmt.Errorf("repair: %w", err)
	}
	inPlace := ""
	if acknowledged < len(steps) {
		inPlace = steps[acknowledged].InPlace
	}
	wrong := differs(ctx, s, states[acknowledged], inPlace)
	if wrong != nil && acknowledged < len(steps) {
		wrong = errors.Join(wrong, differs(ctx, s, states[acknowledged+1], inPlace))
		if differs(ctx, s, states[acknowledged+1], inPlace) == nil {
			wrong = nil
		}
	}
	if wrong == nil && inPlace != "" {
		wrong = differsInParts(ctx, s, inPlace, states[acknowledged][inPlace], states[acknowledged+1][inPlace])
	}
	if wrong != nil {
		return wrong
	}
	if _, err := s.GC(ctx, nil); err != nil {
		return fmt.Errorf("gc: %w", err)
	}
	found, err := s.Check(ctx)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	for _, p := range found {
		if p.Kind != tstore.ProblemDirty || inPlace == "" {
			return fmt.Errorf("after repair and gc: %+v", p)
		}
	}
	if r, err := s.Verify(ctx, nil); err != nil || len(r.Damage) > 0 {
		return fmt.Errorf("verify: %+v, %w", r, err)
	}
	return nil
}

// differs compares a store with a state.
func differs(ctx context.Context, s *tstore.Store, want State, inPlace string) error {
	var names []string
	for item, err := range s.List(ctx, &tstore.ListOptions{Recursive: true}) {
		if err != nil {
			return err
		}
		names = append(names, item.Name)
	}
	kept, err := s.Snapshots(ctx)
	if err != nil {
		return err
	}
	for _, snapshot := range kept {
		for name := range want {
			if at := "@" + snapshot.Name; strings.HasSuffix(name, at) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	if expected := slices.Sorted(maps.Keys(want)); !slices.Equal(names, expected) {
		return fmt.Errorf("found %v, expected %v", names, expected)
	}
	for name, v := range want {
		got, err := ReadAll(ctx, s, name)
		if name == inPlace && errors.Is(err, tstore.ErrDirty) {
			continue
		}
		if err != nil {
			return err
		}
		if !slices.Equal(got, v) {
			return fmt.Errorf("%s: %d elements, expected %d, or others", name, len(got), len(v))
		}
	}
	return nil
}

// differsInParts says whether a half of a tensor that can be read has other elements than before or
// after a change in place.
func differsInParts(ctx context.Context, s *tstore.Store, name string, before, after []float64) error {
	half := len(before) / 2
	for part, in := range map[string]func([]float64) []float64{
		fmt.Sprintf("%s[:%d]", name, half): func(v []float64) []float64 { return v[:half] },
		fmt.Sprintf("%s[%d:]", name, half): func(v []float64) []float64 { return v[half:] },
	} {
		got, err := ReadAll(ctx, s, part)
		if err == nil && !slices.Equal(got, in(before)) && !slices.Equal(got, in(after)) {
			return fmt.Errorf("%s is not marked, and has elements of neither state", part)
		}
	}
	return nil
}

// errEnough ends a walk over the cuts.
var errEnough = errors.New("enough")

// CutPower looks at about n states in which a power cut can leave the store, until one is wrong,
// and returns how many it looked at and what is wrong.
func CutPower(t testing.TB, log *powercut.Log, steps []PowerStep, states []State, n int) (images int, wrong error) {
	t.Helper()
	rng := rand.New(rand.NewPCG(*PowerSeed, 0))
	shares := []float64{0, 1, 0.5, 0.9, 0.1, 0.3, 0.7}
	root := t.TempDir()
	each := float64(n) / float64(log.Len())
	err := log.Cuts(func(c *powercut.Cut) error {
		for more := each; rng.Float64() < more; more-- {
			dir := filepath.Join(root, fmt.Sprint(images))
			share := shares[images%len(shares)]
			if err := c.Write(dir, rng, share); err != nil {
				return err
			}
			images++
			if err := LookFrom(t.Context(), filepath.Join(dir, "s"), steps, states, c.Mark); err != nil {
				wrong = fmt.Errorf("power cut after event %d, mark %d, %v of %d pending: %w", c.N, c.Mark, share, c.Pending, err)
				return errEnough
			}
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && err != errEnough {
		t.Fatal(err)
	}
	return images, wrong
}
