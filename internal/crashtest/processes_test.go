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
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

var (
	mixedProcesses = flag.Int("processes", 4, "how many processes TestProcesses runs")
	mixedSteps     = flag.Int("process-steps", 60, "how many changes each process of TestProcesses makes")
)

const mixedSeed = 1

// TestProcesses lets several processes make mixed changes to one store at the same time, and then
// looks whether anything was lost.
func TestProcesses(t *testing.T) {
	t.Parallel()
	processes, steps := *mixedProcesses, *mixedSteps
	t.Logf("seed %d, %d processes of %d steps", mixedSeed, processes, steps)
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Create(t, s, "log", storetest.Source(t, 0, 0, 2))
	storetest.Create(t, s, "shared", storetest.Source(t, 0, sharedRows, *mixedProcesses))

	var running []*exec.Cmd
	for p := range processes {
		cmd := exec.Command(os.Args[0], dir, strconv.Itoa(p), strconv.Itoa(steps))
		cmd.Env = append(os.Environ(), storetest.ChildEnv+"=mixed")
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for p, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", p, err)
		}
	}
	var want []string
	appended := 0
	for p := range processes {
		m := newMixed(p)
		for i := range steps {
			m.plan(i)
		}
		for name := range m.have {
			want = append(want, name)
		}
		for name, v := range m.have {
			storetest.WantValues(t, s, name+"[0]", v)
		}
		appended += m.appended
		if m.inPlace >= 0 {
			storetest.WantAll(t, s, fmt.Sprintf("shared[:, %d]", p), m.inPlace)
		}
	}
	var got []string
	for item, err := range s.List(t.Context(), &tstore.ListOptions{Group: "p", Recursive: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, item.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("names: got %d %v, want %d %v", len(got), got, len(want), want)
	}
	wantAppended(t, s, appended)
	storetest.WantSound(t, dir)
}

// wantAppended checks that every row of every process is in the log once, and those of one process
// in their order.
func wantAppended(t *testing.T, s *tstore.Store, n int) {
	t.Helper()
	rows := storetest.Values(t, s, "log")
	if len(rows) != 2*n {
		t.Errorf("%d rows were appended, the log has %d", n, len(rows)/2)
	}
	next := map[float64]float64{}
	for i := 0; i+1 < len(rows); i += 2 {
		if rows[i+1] != next[rows[i]] {
			t.Fatalf("row %d: process %v wrote its row %v after its row %v", i/2, rows[i], rows[i+1], next[rows[i]]-1)
		}
		next[rows[i]]++
	}
}

// sharedRows is the length of the columns that each process writes in place.
const sharedRows = 1000

// mixed is one process' plan: a random walk that depends on its number only, so that the test can
// repeat it without the store.
type mixed struct {
	p        int
	rng      *rand.Rand
	have     map[string]float64 // own tensors and their first element
	names    []string           // keys of have, in a fixed order
	appended int
	inPlace  float64 // in the column of the process; -1: nothing yet
}

func newMixed(p int) *mixed {
	return &mixed{p: p, rng: rand.New(rand.NewPCG(mixedSeed, uint64(p))), have: map[string]float64{}, inPlace: -1}
}

// A mixedStep is one planned operation.
type mixedStep struct {
	kind, name, to string
	value          float64
}

// plan decides step i and takes over its effect.
func (m *mixed) plan(i int) mixedStep {
	st := mixedStep{kind: "create", name: fmt.Sprintf("p/%d/t%d", m.p, i), value: float64(i)}
	if len(m.names) > 0 {
		st.kind = []string{"create", "append", "replace", "rename", "delete", "fill", "attr", "read", "view", "gc", "snapshot", "compact", "in place", "eval in place"}[m.rng.IntN(14)]
		if st.kind != "create" {
			st.name = m.names[m.rng.IntN(len(m.names))]
		}
	}
	st.to = fmt.Sprintf("p/%d/n%d", m.p, i)
	switch st.kind {
	case "create":
		m.add(st.name, st.value)
	case "append":
		st.value = float64(m.appended)
		m.appended++
	case "in place", "eval in place":
		m.inPlace = st.value
	case "replace", "fill":
		m.have[st.name] = st.value
	case "rename":
		v := m.have[st.name]
		m.remove(st.name)
		m.add(st.to, v)
	case "delete":
		m.remove(st.name)
	case "read", "attr", "view", "snapshot":
		st.value = m.have[st.name]
	}
	return st
}

func (m *mixed) add(name string, v float64) {
	m.have[name] = v
	m.names = append(m.names, name)
}

func (m *mixed) remove(name string) {
	delete(m.have, name)
	m.names = slices.DeleteFunc(m.names, func(n string) bool { return n == name })
}

func mixedChild(ctx context.Context, s *tstore.Store, args []string) error {
	p, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	steps, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	m := newMixed(p)
	for i := range steps {
		st := m.plan(i)
		for {
			err = m.do(ctx, s, st)
			// Snapshots and those who write in place find each other at work.
			if !errors.Is(err, tstore.ErrLockTimeout) && !errors.Is(err, tstore.ErrConflict) && !errors.Is(err, tstore.ErrBusy) {
				break
			}
		}
		if err != nil {
			return fmt.Errorf("process %d, step %d (%+v): %w", p, i, st, err)
		}
	}
	return nil
}

func (m *mixed) do(ctx context.Context, s *tstore.Store, st mixedStep) error {
	switch st.kind {
	case "create":
		return s.Create(ctx, st.name, storetest.Constant(st.value, 3))
	case "append":
		src, err := tstore.FromSlice([]float64{float64(m.p), st.value}, 1, 2)
		if err != nil {
			return err
		}
		return s.Append(ctx, "log", src)
	case "replace":
		return s.Replace(ctx, st.name, storetest.Constant(st.value, 5))
	case "rename":
		return s.Rename(ctx, st.name, st.to)
	case "delete":
		return s.Delete(ctx, st.name)
	case "fill":
		return s.Fill(ctx, st.name, dtype.ScalarOf(st.value))
	case "in place":
		return fillParts(ctx, s, st.value, fmt.Sprintf("shared[::2, %d]", m.p), fmt.Sprintf("shared[1::2, %d]", m.p))
	case "eval in place":
		return storetest.Discard(s.Eval(ctx, fmt.Sprintf("shared[:500, %d] = %v; shared[500:, %[1]d] = %[2]v", m.p, st.value), &tstore.EvalOptions{InPlace: true}))
	case "attr":
		return s.SetAttr(ctx, st.name, "step", catalog.FloatValue(st.value))
	case "view":
		return errors.Join(s.View(ctx, st.to, st.name+"[:2]"), s.Delete(ctx, st.to))
	case "gc":
		_, err := s.GC(ctx, nil)
		return err
	case "compact":
		_, _, err := s.Compact(ctx)
		return err
	case "snapshot":
		return m.snapshot(ctx, s, st)
	default:
		return m.read(ctx, s, st)
	}
}

// snapshot makes a snapshot, changes a tensor, reads what it was, and restores it.
func (m *mixed) snapshot(ctx context.Context, s *tstore.Store, st mixedStep) error {
	name := strings.ReplaceAll(st.to, "/", "-")
	if _, err := s.CreateSnapshot(ctx, name, ""); err != nil && !errors.Is(err, tstore.ErrExists) {
		return err
	}
	then := st
	then.name += "@" + name
	if err := errors.Join(m.read(ctx, s, then), s.Fill(ctx, st.name, dtype.ScalarOf(-1.0)), m.read(ctx, s, then)); err != nil {
		return err
	}
	if _, err := s.RestoreSnapshot(ctx, name, st.name); err != nil {
		return err
	}
	_, err := s.RemoveSnapshot(ctx, name)
	return errors.Join(err, m.read(ctx, s, st))
}

func (m *mixed) read(ctx context.Context, s *tstore.Store, st mixedStep) error {
	x, err := s.Get(ctx, st.name)
	if err != nil {
		return err
	}
	defer x.Close()
	v, err := x.Tensor.Get(0)
	if err != nil {
		return err
	}
	if v.Float64() != st.value {
		return fmt.Errorf("read %v, expected %v", v, st.value)
	}
	return nil
}
