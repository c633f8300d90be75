package realdisk_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// ramp is a float64 tensor of one axis that counts up from first.
func ramp(first float64, n int) (tstore.Source, []float64) {
	v := make([]float64, n)
	var b []byte
	for i := range v {
		v[i] = first + float64(i)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v[i]))
	}
	return tstore.FromBytes(tstore.Spec{DType: dtype.Float64, Shape: []int{n}}, b), v
}

// realWork chooses changes at random, and knows what they make of a store.
type realWork struct {
	rng    *rand.Rand
	state  storetest.State
	sealed map[string]bool
	// snapshots are what was sealed in each snapshot.
	snapshots map[string]map[string]bool
	made      int
	steps     []storetest.PowerStep
}

// mostNames is how many tensors and snapshots a store of a realWork has, at most.
const (
	mostNames     = 9
	mostSnapshots = 2
)

// realSteps are n changes that a seed chooses, the same in each process. The store is empty before
// the first.
func realSteps(seed uint64, n int) []storetest.PowerStep {
	w := &realWork{rng: rand.New(rand.NewPCG(seed, 3)), state: storetest.State{}, sealed: map[string]bool{}, snapshots: map[string]map[string]bool{}}
	kinds := []func(){
		w.create, w.create, w.importSealed, w.append, w.append, w.replace, w.fill, w.fill, w.inPlace, w.delete, w.rename,
		w.many, w.eval, w.gc, w.compact, w.snapshot, w.forget, w.restore, w.seal, w.unseal,
	}
	w.create()
	for len(w.steps) < n {
		kinds[w.rng.IntN(len(kinds))]()
	}
	return w.steps
}

func (w *realWork) step(name string, effect func(storetest.State), do func(context.Context, *tstore.Store) error) {
	w.inPlaceStep(name, "", effect, do)
}

func (w *realWork) inPlaceStep(name, inPlace string, effect func(storetest.State), do func(context.Context, *tstore.Store) error) {
	w.steps = append(w.steps, storetest.PowerStep{Name: fmt.Sprintf("%d %s", len(w.steps), name), Do: do, Effect: effect, InPlace: inPlace})
	effect(w.state)
}

// source is new elements: a few, those of a page, or of many.
func (w *realWork) source() (func() tstore.Source, []float64) {
	w.made++
	n, first := []int{3, 300, 9001, 20_000, 60_000}[w.rng.IntN(5)], float64(w.made)*1e6
	_, v := ramp(first, n)
	return func() tstore.Source { src, _ := ramp(first, n); return src }, v
}

// names are those of the store that choose takes.
func (w *realWork) names(choose func(name string) bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(w.state)) {
		if !strings.Contains(name, "@") && choose(name) {
			names = append(names, name)
		}
	}
	return names
}

func (w *realWork) pick(choose func(name string) bool) (string, bool) {
	names := w.names(choose)
	if len(names) == 0 {
		return "", false
	}
	return names[w.rng.IntN(len(names))], true
}

func (w *realWork) any(string) bool { return true }

func (w *realWork) open(name string) bool { return !w.sealed[name] }

func (w *realWork) isSealed(n string) bool { return w.sealed[n] }

func (w *realWork) large(name string) bool { return w.open(name) && len(w.state[name]) > 9000 }

func (w *realWork) newName() (string, bool) {
	return fmt.Sprintf("x%d", w.made), len(w.names(w.any)) < mostNames
}

func (w *realWork) create() {
	src, v := w.source()
	if name, ok := w.newName(); ok {
		w.step("create "+name, func(s storetest.State) { s[name] = v }, func(ctx context.Context, s *tstore.Store) error { return s.Create(ctx, name, src()) })
	}
}

func (w *realWork) importSealed() {
	src, v := w.source()
	if name, ok := w.newName(); ok {
		w.sealed[name] = true
		w.step("import "+name, func(s storetest.State) { s[name] = v }, func(ctx context.Context, s *tstore.Store) error { return s.Import(ctx, name, src(), nil) })
	}
}

func (w *realWork) append() {
	src, v := w.source()
	name, ok := w.pick(func(name string) bool { return len(w.state[name]) < 100_000 })
	if ok {
		w.step("append to "+name, func(s storetest.State) { s[name] = slices.Concat(s[name], v) }, func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, name, src()) })
	}
}

func (w *realWork) replace() {
	src, v := w.source()
	if name, ok := w.pick(w.any); ok {
		delete(w.sealed, name)
		w.step("replace "+name, func(s storetest.State) { s[name] = v }, func(ctx context.Context, s *tstore.Store) error { return s.Replace(ctx, name, src()) })
	}
}

func (w *realWork) fill() {
	name, ok := w.pick(w.open)
	if !ok {
		return
	}
	w.made++
	n, v := len(w.state[name]), float64(w.made)
	from := w.rng.IntN(n)
	to := from + 1 + w.rng.IntN(n-from)
	sel := fmt.Sprintf("%s[%d:%d]", name, from, to)
	w.step("fill "+sel, func(s storetest.State) {
		after := slices.Clone(s[name])
		for i := from; i < to; i++ {
			after[i] = v
		}
		s[name] = after
	}, func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, sel, dtype.ScalarOf(v)) })
}

func (w *realWork) inPlace() {
	if name, ok := w.pick(w.large); ok {
		w.inPlaceStep("write in place "+name, name, func(s storetest.State) { s[name] = storetest.Nines(len(s[name])) }, storetest.FillInPlace(name))
	}
}

func (w *realWork) delete() {
	if name, ok := w.pick(w.any); ok && len(w.names(w.any)) > 2 {
		delete(w.sealed, name)
		w.step("delete "+name, func(s storetest.State) { delete(s, name) }, func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, name) })
	}
}

func (w *realWork) rename() {
	w.made++
	name, ok := w.pick(w.any)
	if !ok {
		return
	}
	to := fmt.Sprintf("x%d", w.made)
	w.sealed[to] = w.sealed[name]
	delete(w.sealed, name)
	w.step("rename "+name, func(s storetest.State) {
		s[to] = s[name]
		delete(s, name)
	}, func(ctx context.Context, s *tstore.Store) error { return s.Rename(ctx, name, to) })
}

// many is a transaction that makes two tensors, replaces one and deletes another.
func (w *realWork) many() {
	names := w.names(w.any)
	if len(names) < 3 || len(names) >= mostNames {
		return
	}
	gone, replaced := names[0], names[1]
	one, v1 := w.source()
	new1 := fmt.Sprintf("x%d", w.made)
	two, v2 := w.source()
	new2 := fmt.Sprintf("x%d", w.made)
	three, v3 := w.source()
	delete(w.sealed, gone)
	delete(w.sealed, replaced)
	w.step("many", func(s storetest.State) {
		delete(s, gone)
		s[new1], s[new2], s[replaced] = v1, v2, v3
	}, func(ctx context.Context, s *tstore.Store) error {
		return s.Update(ctx, func(tx *tstore.Tx) error {
			return errors.Join(tx.Create(new1, one()), tx.Create(new2, two()), tx.Replace(replaced, three()), tx.Delete(gone))
		})
	})
}

// eval makes a tensor and changes a part of another.
func (w *realWork) eval() {
	w.made++
	target, ok := w.pick(w.open)
	if !ok || len(w.names(w.any)) >= mostNames {
		return
	}
	name, n := fmt.Sprintf("x%d", w.made), (len(w.state[target])+1)/2
	w.step("eval "+name, func(s storetest.State) {
		doubled := slices.Clone(s[target])
		for i := range doubled {
			doubled[i] *= 2
		}
		s[name], s[target] = doubled, slices.Concat(storetest.Nines(n), s[target][n:])
	}, storetest.Evaluates(fmt.Sprintf("%s = %s * 2; %[2]s[:%d] = 9", name, target, n)))
}

func (w *realWork) gc() {
	w.step("gc", func(storetest.State) {}, func(ctx context.Context, s *tstore.Store) error { _, err := s.GC(ctx, nil); return err })
}

func (w *realWork) compact() {
	w.step("compact", func(storetest.State) {}, func(ctx context.Context, s *tstore.Store) error { _, _, err := s.Compact(ctx); return err })
}

func (w *realWork) snapshot() {
	w.made++
	name := fmt.Sprintf("s%d", w.made)
	if len(w.snapshots) == mostSnapshots {
		return
	}
	w.snapshots[name] = maps.Clone(w.sealed)
	names := w.names(w.any)
	w.step("snapshot "+name, func(s storetest.State) {
		for _, of := range names {
			s[of+"@"+name] = s[of]
		}
	}, func(ctx context.Context, s *tstore.Store) error {
		_, err := s.CreateSnapshot(ctx, name, "")
		return err
	})
}

func (w *realWork) aSnapshot() (string, bool) {
	names := slices.Sorted(maps.Keys(w.snapshots))
	if len(names) == 0 {
		return "", false
	}
	return names[w.rng.IntN(len(names))], true
}

func (w *realWork) forget() {
	if name, ok := w.aSnapshot(); ok {
		delete(w.snapshots, name)
		w.step("forget "+name, func(s storetest.State) {
			maps.DeleteFunc(s, func(of string, _ []float64) bool { return strings.HasSuffix(of, "@"+name) })
		}, func(ctx context.Context, s *tstore.Store) error { _, err := s.RemoveSnapshot(ctx, name); return err })
	}
}

func (w *realWork) restore() {
	snapshot, ok := w.aSnapshot()
	if !ok {
		return
	}
	name, ok := w.pick(func(name string) bool { _, in := w.state[name+"@"+snapshot]; return in })
	if !ok {
		return
	}
	w.sealed[name] = w.snapshots[snapshot][name]
	w.step("restore "+name+"@"+snapshot, func(s storetest.State) { s[name] = s[name+"@"+snapshot] }, func(ctx context.Context, s *tstore.Store) error {
		_, err := s.RestoreSnapshot(ctx, snapshot, name)
		return err
	})
}

func (w *realWork) seal() {
	if name, ok := w.pick(w.open); ok {
		w.sealed[name] = true
		w.step("seal "+name, func(storetest.State) {}, func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, name, nil) })
	}
}

func (w *realWork) unseal() {
	if name, ok := w.pick(w.isSealed); ok {
		w.sealed[name] = false
		w.step("unseal "+name, func(storetest.State) {}, func(ctx context.Context, s *tstore.Store) error { return s.Unseal(ctx, name) })
	}
}

// statesOf are the states before each of the steps, and after the last.
func statesOf(steps []storetest.PowerStep) []storetest.State {
	states := []storetest.State{{}}
	for i, step := range steps {
		after := maps.Clone(states[i])
		step.Effect(after)
		states = append(states, after)
	}
	return states
}
