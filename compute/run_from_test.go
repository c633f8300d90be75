package compute_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// target is a plan of a program, with destinations for all that has a name.
type target struct {
	*compute.Plan
	results []*view.Tensor
}

func newTarget(t *testing.T, text string, env compute.Env, o *compute.Options) *target {
	t.Helper()
	stmts, err := compute.ParseProgram(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := compute.NewPlan(t.Context(), stmts, env, o)
	if err != nil {
		t.Fatal(err)
	}
	made := &target{Plan: p}
	for i, out := range p.Outputs() {
		if out.Replaced {
			continue
		}
		size := out.DType.Size()
		for _, n := range out.Shape {
			size *= n
		}
		l, err := view.NewLayout(out.Shape...)
		if err != nil {
			t.Fatal(err)
		}
		dst, err := view.NewTensor(mmapstore.FromBytes(make([]byte, size)), out.DType, l)
		if err == nil {
			err = p.SetDst(i, dst)
		}
		if err != nil {
			t.Fatal(err)
		}
		made.results = append(made.results, dst)
	}
	t.Cleanup(func() {
		err := p.Close()
		for _, r := range made.results {
			err = errors.Join(err, r.Close())
		}
		if err != nil {
			t.Error(err)
		}
	})
	return made
}

// bytes are the elements of all results.
func (p *target) bytes(t *testing.T) (all []byte) {
	t.Helper()
	for _, r := range p.results {
		all = slices.Grow(all, int(r.NumBytes()))
		if err := r.Blocks(0, func(b []byte) error { all = append(all, b...); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// fill gives the results other elements.
func (p *target) fill(t *testing.T, all []byte) {
	t.Helper()
	for _, r := range p.results {
		n := int(r.NumBytes())
		if _, err := r.Writer().Write(all[:n]); err != nil {
			t.Fatal(err)
		}
		all = all[n:]
	}
}

var errEnough = errors.New("enough")

// runFrom runs a plan that tells each place, until it has told so many; all if that is negative.
func (p *target) runFrom(t *testing.T, at compute.Checkpoint, enough int) (places []compute.Checkpoint) {
	t.Helper()
	err := p.RunFrom(t.Context(), at, compute.Marks{
		Span: func() int64 { return 1 },
		Reached: func(at compute.Checkpoint, _ []int) error {
			at.State = bytes.Clone(at.State)
			if places = append(places, at); len(places) == enough {
				return errEnough
			}
			return nil
		},
	})
	if enough < 0 && err != nil || enough >= 0 && !errors.Is(err, errEnough) {
		t.Fatalf("ended after %d places: %v", len(places), err)
	}
	return places
}

// goesOn runs a program, and parts of it one after another, which must make the same bytes, and do
// nothing twice.
func goesOn(t *testing.T, text string, env compute.Env, o compute.Options, rng *rand.Rand) {
	t.Helper()
	whole := newTarget(t, text, env, &o)
	if err := whole.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := whole.bytes(t)
	told := newTarget(t, text, env, &o).runFrom(t, compute.Checkpoint{}, -1)
	var at compute.Checkpoint
	for done, b := 0, []byte(nil); done < len(told); {
		o.Parallelism = 1 + rng.IntN(3)
		p := newTarget(t, text, env, &o)
		if b != nil {
			p.fill(t, b)
		}
		n := 1 + rng.IntN(len(told)-done)
		if done+n == len(told) {
			if got := p.runFrom(t, at, -1); len(got) != n {
				t.Errorf("from place %d on: %d more places, want %d", done, len(got), n)
			}
			b, done = p.bytes(t), len(told)
			if !bytes.Equal(b, want) {
				t.Error("other elements than Run makes")
			}
			continue
		}
		places := p.runFrom(t, at, n)
		at, done, b = places[n-1], done+n, p.bytes(t)
	}
}

func TestRunFrom(t *testing.T) {
	env := streamNames(t).env()
	rng := rand.New(rand.NewPCG(3, 3))
	texts := []string{
		"a = x*2; b = x + v", "a = x - x.mean(axis=0); b = a*a; c = b.sum(axis=(0, 1))", "a = x*2; b = a.reshape(-1); a = v",
		"a = x.T; b = a @ a.swapaxes(1, 2); c = cumsum(b, axis=1); d = cumsum(x.reshape(-1)); g = var(x, axis=(0, 1)); f = argmax(x, axis=2)",
		"a = x.sum(); b = cumprod(x, axis=0); c = x.mean(axis=0); d = x.max(axis=0)", "a = x.sum(axis=0); b = x - x.mean(axis=0); c = std(x*v, axis=1)",
		"a = cumsum(arange(2_000_000).reshape(1000, 2000), axis=0)", "a = arange(48_000).reshape(1200, 40) @ arange(52_000).reshape(40, 1300)",
		"a = median(x, axis=0); b = a*2; c = sort(x, axis=2)", "a = tile(x, 2); b = roll(a, (5, -9), (0, 2)); c = repeat(x.sum(axis=0), 300, 0)", "a = roll(x, 12345); b = roll(x.T*2, 3, 1); c = repeat(x[::9], 2, 1)",
		"a = x.T; b = a @ a.swapaxes(1, 2); c = cumsum(b, axis=1)", "a = concatenate([x, x*2]); b = a.sum(axis=0); c = stack([b, b + 1], axis=1)",
	}
	first := len(texts)
	for _, text := range streamed {
		texts = append(texts, "a = "+text)
	}
	for i, text := range texts {
		if !*compute.Long && i >= first && i%8 > 1 {
			continue
		}
		for _, limit := range []int64{0, 1} {
			if !*compute.Long && int64(i%2) != limit {
				continue
			}
			t.Run(fmt.Sprint(text, " in ", limit), func(t *testing.T) {
				goesOn(t, text, env, compute.Options{MemoryLimit: limit}, rng)
			})
		}
	}
}

// TestRunFromDoesNotRedo changes what is done: it stays so.
func TestRunFromDoesNotRedo(t *testing.T) {
	env, o := streamNames(t).env(), &compute.Options{MemoryLimit: 1}
	const text = "a = x*2; b = x + 1"
	first := newTarget(t, text, env, o)
	places := first.runFrom(t, compute.Checkpoint{}, 3)
	at := places[2]
	want, spoilt := newTarget(t, text, env, o), newTarget(t, text, env, o)
	want.runFrom(t, compute.Checkpoint{}, -1)
	b, all := first.bytes(t), want.bytes(t)
	for _, start := range []int{0, len(all) / 2} {
		for i := range at.Done * 4 {
			b[start+i] ^= 1
			all[start+i] ^= 1
		}
	}
	spoilt.fill(t, b)
	spoilt.runFrom(t, at, -1)
	if at.Done == 0 || at.Bytes != int64(8*at.Done) || !bytes.Equal(spoilt.bytes(t), all) {
		t.Errorf("from %+v on: done again, or not done", at)
	}
}

// TestRunFromInSteps changes results that are done: they stay so, also with other tiles than the
// memory limit asks for.
func TestRunFromInSteps(t *testing.T) {
	env := streamNames(t).env()
	for text, part := range map[string]func(at compute.Checkpoint, n int) int{
		"a = x.sum(axis=2)": func(at compute.Checkpoint, n int) int { return n * at.Done / at.Of },
		"a = cumsum(arange(2_000_000).reshape(1000, 2000), axis=1)":               func(at compute.Checkpoint, n int) int { return n * at.Done / at.Of },
		"a = cumsum(arange(2_000_000))":                                           func(at compute.Checkpoint, n int) int { return 0 },
		"a = x.swapaxes(1, 2) @ x":                                                func(at compute.Checkpoint, n int) int { return n * at.Done / at.Of },
		"a = arange(48_000).reshape(1200, 40) @ arange(52_000).reshape(40, 1300)": func(at compute.Checkpoint, n int) int { return 8 * 1000 },
	} {
		t.Run(text, func(t *testing.T) {
			want := newTarget(t, text, env, nil)
			want.runFrom(t, compute.Checkpoint{}, -1)
			first := newTarget(t, text, env, &compute.Options{MemoryLimit: 1})
			at := first.runFrom(t, compute.Checkpoint{}, 1)[0]
			b, all := first.bytes(t), want.bytes(t)
			for i := range part(at, len(b)) {
				b[i] ^= 1
				all[i] ^= 1
			}
			second := newTarget(t, text, env, &compute.Options{MemoryLimit: 1 << 30, Parallelism: 3})
			second.fill(t, b)
			second.runFrom(t, at, -1)
			if at.Done == 0 || at.Done == at.Of || !bytes.Equal(second.bytes(t), all) {
				t.Errorf("from chunk %d of %d on: done again, or not done", at.Done, at.Of)
			}
		})
	}
}

// TestRunFromBadStates has states of other work: the pass is done again.
func TestRunFromBadStates(t *testing.T) {
	env := streamNames(t).env()
	states := [][]byte{nil, {1}}
	texts := []string{"a = x.sum()", "a = x.max(axis=0)", "a = cumsum(arange(2_000_000))", "a = cumsum(arange(2_000_000).reshape(1000, 2000), axis=0)"}
	var places []compute.Checkpoint
	for _, text := range texts {
		at := newTarget(t, text, env, nil).runFrom(t, compute.Checkpoint{}, 2)[1]
		places = append(places, at)
		states = append(states, at.State, at.State[:len(at.State)-8], append(bytes.Clone(at.State), at.State...))
	}
	for i, text := range texts {
		whole := newTarget(t, text, env, nil)
		if err := whole.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := whole.bytes(t)
		for k, state := range states {
			if bytes.Equal(state, places[i].State) || !*compute.Long && (i+k)%5 > 0 {
				continue
			}
			t.Run(fmt.Sprint(text, " from state ", k), func(t *testing.T) {
				at := places[i]
				at.State = state
				got := newTarget(t, text, env, nil)
				got.runFrom(t, at, -1)
				if !bytes.Equal(got.bytes(t), want) {
					t.Error("other elements than Run makes")
				}
			})
		}
	}
}

// TestRunFromElsewhere begins at places of other plans, and at places that can't be: all is
// computed.
func TestRunFromElsewhere(t *testing.T) {
	env := streamNames(t).env()
	other := newTarget(t, "a = x*2; b = x.sum()", env, nil).runFrom(t, compute.Checkpoint{}, -1)
	const text = "a = x*2; b = x + 1"
	own := newTarget(t, text, env, nil).runFrom(t, compute.Checkpoint{}, -1)
	want := newTarget(t, text, env, nil)
	if err := want.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, at := range []compute.Checkpoint{
		other[len(other)-1], {Pass: 1}, {Plan: own[0].Plan, Pass: 9}, {Plan: own[0].Plan, Pass: -1}, {Plan: own[0].Plan, Done: 7, Of: 8},
		{Plan: own[0].Plan, Done: -1, Of: 300 * 7 * 211}, {Plan: own[0].Plan, Done: 300*7*211 + 1, Of: 300 * 7 * 211},
	} {
		got := newTarget(t, text, env, nil)
		got.runFrom(t, at, -1)
		if !bytes.Equal(got.bytes(t), want.bytes(t)) {
			t.Errorf("from %+v on: other elements than Run makes", at)
		}
	}
}

func TestIsResumable(t *testing.T) {
	env := streamNames(t).env()
	for text, want := range map[string]bool{
		"x*2 + v": true, "x - x.mean(axis=0)": true, "x.T[::2]": true, "(x.T*2).reshape(-1)": true, "arange(9)": true,
		"x.sum(axis=0)": true, "sum(x)": true, "cumsum(x, axis=0)": true, "x @ x.swapaxes(1, 2)": true, "cumsum(x, axis=0)[::2].reshape(-1)": false, "histogram(x, 10)": false, "sort(x, axis=0)": false,
		"sort(x, axis=0); b = median(x)": true, "roll(x, 1, 0)": true, "roll(x, 1, 0)[::2]": false, "tile(x, 2)": true, "repeat(x, 2)": true, "roll(sort(x, axis=0), 1)": true, "concatenate([x, x + 1])": true, "concatenate([sort(x, axis=0), x], axis=1)[::2]": true,
	} {
		if got := newTarget(t, "a = "+text, env, nil).IsResumable(); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}
