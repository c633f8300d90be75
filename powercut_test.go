package tstore_test

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

	"github.com/tstore/tstore/internal/storetest"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/powercut"
	"github.com/tstore/tstore/view"
)

var (
	powerImages = flag.Int("power-images", 40, "how many states after a power cut TestPowerCut looks at")
	powerSeed   = flag.Uint64("power-seed", 1, "seed of what survives in TestPowerCut")
)

// state is what a store holds: the elements of all its tensors.
type state map[string][]float64

// A powerStep is a change, what it makes of the state, and the tensor that it writes in place,
// which may be half written when it is marked so.
type powerStep struct {
	name    string
	do      func(context.Context, *tstore.Store) error
	effect  func(state)
	inPlace string
}

func nines(n int) []float64 { return slices.Repeat([]float64{9}, n) }

// powerSteps are changes of all kinds, one after the other.
func powerSteps(t testing.TB) []powerStep {
	const rows = 12_000 // elements too many to be packed or patched
	put := func(name string, v []float64) func(state) { return func(s state) { s[name] = v } }
	nothing := func(state) {}
	return []powerStep{
		{"create", func(ctx context.Context, s *tstore.Store) error { return s.Create(ctx, "a", source(t, 0, rows)) }, put("a", upTo(rows)), ""},
		{"create packed", func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("p/1", packed(source(t, 0, 10))), tx.Create("p/2", packed(source(t, 0, 20))))
			})
		}, func(s state) { s["p/1"], s["p/2"] = upTo(10), upTo(20) }, ""},
		{"append to packed", func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "p/2", source(t, 20, 5)) }, put("p/2", upTo(25)), ""},
		{"create together", func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("o/1", source(t, 0, 10)), tx.Create("o/2", source(t, 0, 20)))
			})
		}, func(s state) { s["o/1"], s["o/2"] = upTo(10), upTo(20) }, ""},
		{"import", func(ctx context.Context, s *tstore.Store) error {
			return s.Import(ctx, "sealed", source(t, 0, rows), nil)
		}, put("sealed", upTo(rows)), ""},
		{"log", func(ctx context.Context, s *tstore.Store) error { return s.Create(ctx, "log", source(t, 0, 9000)) }, put("log", upTo(9000)), ""},
		{"append", func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "log", source(t, 9000, 3000)) }, put("log", upTo(12_000)), ""},
		{"append to sealed", func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "sealed", source(t, rows, 5000))
		}, put("sealed", upTo(rows+5000)), ""},
		{"patch", func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "p/1", scalar(t, 9)) }, put("p/1", nines(10)), ""},
		{"rewrite", func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "a", scalar(t, 9)) }, put("a", nines(rows)), ""},
		{"snapshot", func(ctx context.Context, s *tstore.Store) error {
			_, err := s.CreateSnapshot(ctx, "first", "")
			return err
		}, func(s state) {
			for _, name := range slices.Sorted(maps.Keys(s)) {
				s[name+"@first"] = s[name]
			}
		}, ""},
		{"replace", func(ctx context.Context, s *tstore.Store) error { return s.Replace(ctx, "a", source(t, 0, 9500)) }, put("a", upTo(9500)), ""},
		{"write in place", fillInPlace("a"), put("a", nines(9500)), "a"},
		{"write parts in place", func(ctx context.Context, s *tstore.Store) error { return fillParts(ctx, s, 5, "a[:4750]", "a[4750:]") },
			put("a", slices.Repeat([]float64{5}, 9500)), "a"},
		{"patch what a snapshot has", func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "p/1[5:]", scalar(t, 3)) }, put("p/1", []float64{9, 9, 9, 9, 9, 3, 3, 3, 3, 3}), ""},
		{"restore", func(ctx context.Context, s *tstore.Store) error {
			_, err := s.RestoreSnapshot(ctx, "first", "p/1", "log")
			return err
		}, put("p/1", nines(10)), ""},
		{"append to what a snapshot has", func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "log", source(t, 12_000, 1000)) }, put("log", upTo(13_000)), ""},
		{"rename", func(ctx context.Context, s *tstore.Store) error { return s.Rename(ctx, "p", "q") }, func(s state) {
			s["q/1"], s["q/2"] = s["p/1"], s["p/2"]
			delete(s, "p/1")
			delete(s, "p/2")
		}, ""},
		{"many at once", func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Delete("q/2"), tx.Rename("a", "b"), tx.Create("a", source(t, 0, 9001)), tx.Replace("q/1", source(t, 0, 3)), tx.SetAttr("log", "n", catalog.IntValue(1)))
			})
		}, func(s state) {
			delete(s, "q/2")
			s["a"], s["b"], s["q/1"] = upTo(9001), s["a"], upTo(3)
		}, ""},
		{"seal", func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "b", nil) }, nothing, ""},
		{"unseal", func(ctx context.Context, s *tstore.Store) error { return s.Unseal(ctx, "sealed") }, nothing, ""},
		{"eval", evaluates("c = log * 0 + 9; log[:10000] = 9"), func(s state) {
			s["c"] = nines(13_000)
			s["log"] = slices.Concat(nines(10_000), s["log"][10_000:])
		}, ""},
		{"delete", func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "sealed", "c") }, func(s state) {
			delete(s, "sealed")
			delete(s, "c")
		}, ""},
		{"compact", func(ctx context.Context, s *tstore.Store) error { _, _, err := s.Compact(ctx); return err }, nothing, ""},
		{"remove snapshot", func(ctx context.Context, s *tstore.Store) error { _, err := s.RemoveSnapshot(ctx, "first"); return err }, func(s state) {
			maps.DeleteFunc(s, func(name string, _ []float64) bool { return strings.Contains(name, "@") })
		}, ""},
		{"gc", func(ctx context.Context, s *tstore.Store) error { _, err := s.GC(ctx, nil); return err }, nothing, ""},
		{"resize", func(ctx context.Context, s *tstore.Store) error { return s.Resize(ctx, "log", 9500) }, func(s state) { s["log"] = s["log"][:9500] }, ""},
	}
}

// fillInPlace stores nines through a mapping.
func fillInPlace(name string) func(context.Context, *tstore.Store) error {
	return func(ctx context.Context, s *tstore.Store) error {
		w, err := s.OpenWritable(ctx, name)
		if err != nil {
			return err
		}
		return errors.Join(view.Fill(context.Background(), w.Tensor, dtype.ScalarOf(9.0)), w.Close())
	}
}

// recordPower makes a store, runs the steps and records what that does to the
// disk, with the mark 1 once the store is made. The states
// are those before each step, and after the last.
func recordPower(t testing.TB, steps []powerStep) (*powercut.Log, []state) {
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
	if err := storetest.InitOn(t.Context(), dir, faulty); err != nil {
		t.Fatal(err)
	}
	s, err := storetest.OpenOn(t.Context(), dir, faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r.Mark(1)
	states := []state{{}}
	for i, step := range steps {
		if err := step.do(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		r.Mark(i + 2)
		after := maps.Clone(states[i])
		step.effect(after)
		states = append(states, after)
	}
	log, err := r.Log()
	if err != nil {
		t.Fatal(err)
	}
	return log, states
}

// lookFrom is look after a mark of recordPower.
func lookFrom(ctx context.Context, dir string, steps []powerStep, states []state, mark int) error {
	if mark > 0 {
		return look(ctx, dir, steps, states, mark-1)
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
	return look(ctx, dir, nil, []state{{}}, 0)
}

// look opens a store as the next process does, and says what is wrong with it when some of the
// steps were acknowledged and the next one, if there is one, was at work.
func look(ctx context.Context, dir string, steps []powerStep, states []state, acknowledged int) error {
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
		inPlace = steps[acknowledged].inPlace
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
func differs(ctx context.Context, s *tstore.Store, want state, inPlace string) error {
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
		got, err := readAll(ctx, s, name)
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
		got, err := readAll(ctx, s, part)
		if err == nil && !slices.Equal(got, in(before)) && !slices.Equal(got, in(after)) {
			return fmt.Errorf("%s is not marked, and has elements of neither state", part)
		}
	}
	return nil
}

func readAll(ctx context.Context, s *tstore.Store, name string) ([]float64, error) {
	x, err := s.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	out := make([]float64, 0, x.NumElems())
	err = x.Blocks(1<<16, func(b []byte) error {
		for ; len(b) > 0; b = b[8:] {
			out = append(out, dtype.Load(dtype.Float64, b).Float64())
		}
		return nil
	})
	return out, err
}

// errEnough ends a walk over the cuts.
var errEnough = errors.New("enough")

// cutPower looks at about n states in which a power cut can leave the store, until one is wrong,
// and returns how many it looked at and what is wrong.
func cutPower(t testing.TB, log *powercut.Log, steps []powerStep, states []state, n int) (images int, wrong error) {
	t.Helper()
	rng := rand.New(rand.NewPCG(*powerSeed, 0))
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
			if err := lookFrom(t.Context(), filepath.Join(dir, "s"), steps, states, c.Mark); err != nil {
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

// TestPowerCut cuts the power at all points of changes of all kinds, and looks whether everything
// acknowledged is there, and each change wholly or not at all. It does so again without what the
// durable order needs, which must show.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	steps := powerSteps(t)
	log, states := recordPower(t, steps)
	images, wrong := cutPower(t, log, steps, states, *powerImages)
	t.Logf("seed %d: %d events of %d steps, looked at %d states", *powerSeed, log.Len(), len(steps), images)
	if wrong != nil {
		t.Fatal(wrong)
	}
	made := log.After(1) // else the making of the store is what shows
	spoilt := map[string]*powercut.Log{
		"no sync of data":               made.Without(powercut.Event.IsDataSync),
		"no sync of folders":            made.Without(func(e powercut.Event) bool { return e.Kind == powercut.SyncDir }),
		"no sync of the catalog":        made.Without(powercut.Event.IsDatabaseSync),
		"no sync before the meta page":  made.Without(powercut.Event.IsFirstDatabaseSync),
		"commit before sync of data":    made.AfterCommit(powercut.Event.IsDataSync),
		"commit before sync of folders": made.AfterCommit(func(e powercut.Event) bool { return e.Kind == powercut.SyncDir }),
		"commit before rename":          made.AfterCommit(func(e powercut.Event) bool { return e.Kind == powercut.Rename || e.Kind == powercut.SyncDir }),
		"removal before commit":         made.BeforeCommit(func(e powercut.Event) bool { return e.Kind == powercut.Remove }),
	}
	for i, name := range slices.Sorted(maps.Keys(spoilt)) {
		if i%every(3) != 0 {
			continue
		}
		images, wrong := cutPower(t, spoilt[name], steps, states, max(*powerImages, 1000))
		t.Logf("%s: state %d is wrong: %v", name, images, wrong)
		if wrong == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}
